"""Small things that plans are tried with: counted words, a retriever over given texts, one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from biblicus_context import ContextAssembler, ContextAssemblyResult, ContextPack, ContextPackBlock

WHITESPACE = {"counter": "whitespace"}


def words(count: int, word: str = "word") -> str:
    """So many tokens, as the whitespace counter sees them."""
    return " ".join([word] * count)


@dataclass
class Shelf:
    """A retriever over blocks, given as texts or as fields; keeps what it is asked."""

    blocks: list[str | dict[str, Any]]
    evidence_count: int | None = None
    requests: list[Any] = field(default_factory=list)

    def __call__(self, request: Any) -> ContextPack:
        self.requests.append(request.model_copy(deep=True))
        numbered = list(enumerate(self.blocks))[request.offset : request.offset + request.limit]
        page = [
            ContextPackBlock(
                **{
                    "evidence_item_id": f"e{number}",
                    **(block if isinstance(block, dict) else {"text": block}),
                }
            )
            for number, block in numbered
        ]
        return ContextPack(
            text="\n\n".join(block.text for block in page),
            evidence_count=len(page) if self.evidence_count is None else self.evidence_count,
            blocks=page,
        )


def plan(*messages: Any, **policy: Any) -> dict[str, Any]:
    """A context counted in words."""
    return {"messages": list(messages), "policy": {**WHITESPACE, **policy}}


def assembled(
    context: Mapping[str, Any],
    retrievers: Mapping[str, Any] | None = None,
    contexts: Mapping[str, Any] | None = None,
    compactors: Mapping[str, Any] | None = None,
    **call: Any,
) -> ContextAssemblyResult:
    """One assembly of this context, called `main`."""
    assembler = ContextAssembler(
        {"main": context, **(contexts or {})}, retrievers, compactor_registry=compactors
    )
    return assembler.assemble("main", **call)


def part_named(result: ContextAssemblyResult, name: str) -> Any:
    """The entry of the receipt with this name or of this kind."""
    return next(part for part in result.receipt.parts if name in (part.name, part.kind))
