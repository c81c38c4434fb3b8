"""One declared retriever over a corpus, asked the way a user asks it: by assembling a context."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biblicus_context import ContextAssembler
from biblicus_context.assembly.result.result import ContextAssemblyResult


def assembler(
    root: Path,
    *retrievers: Mapping[str, Any],
    policy: Mapping[str, Any] | None = None,
    pack: Mapping[str, Any] | None = None,
    corpus: Mapping[str, Any] | None = None,
    **more: Any,
) -> ContextAssembler:
    """A context `ask` with a pack `kb0`, `kb1`, ... for each retriever's settings."""
    names = [f"kb{number}" for number in range(len(retrievers))]
    return ContextAssembler(
        {
            "ask": {
                "policy": policy or {"input_budget": {"max_tokens": 4000}, **PACKS},
                "messages": [{"type": "context", "name": name, **(pack or {})} for name in names],
            }
        },
        {
            name: {
                "corpus": "notes",
                "config": {"retriever_id": "hybrid", "query": "{input.question}", **config},
            }
            for name, config in zip(names, retrievers, strict=True)
        },
        {"notes": {"config": {"root": str(root), **(corpus or {})}}},
        **more,
    )


PACKS = {"pack_budget": {"default_ratio": 1.0}}


def ask(root: Path, question: str, config: Mapping[str, Any], **more: Any) -> ContextAssemblyResult:
    """What a context with one pack comes to."""
    inputs = more.pop("inputs", {})
    asked = assembler(root, config, **more)
    return asked.assemble("ask", inputs={"question": question, **inputs})


def ids(result: ContextAssemblyResult, pack: str = "kb0") -> list[str]:
    """The blocks that a pack placed, in their order."""
    return [each.evidence for each in result.citations if each.pack == pack]


def paths(result: ContextAssemblyResult, pack: str = "kb0") -> list[str | None]:
    """The files that a pack's blocks come from, in their order."""
    return [each.path for each in result.citations if each.pack == pack]
