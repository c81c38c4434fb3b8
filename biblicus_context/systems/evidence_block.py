"""A model that a search found, as a block of evidence whose text cannot change the structure around it."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import BaseModel

from biblicus_context import Candidate, ContextPackBlock, escaped_headings

_FENCE: Final = re.compile("```|~~~")
"""A text with one would begin or end a block of code."""
_NOT_OF_A_LANGUAGE: Final = re.compile(r"[^\w+#.-]")
"""The language is written after the marks that begin a block of code."""
_EMPTY: Final = "-"


def evidence_block(
    item: BaseModel, relevance: float, text: str, *, id_: str, kind: str, **facts: Any
) -> ContextPackBlock:
    """The block of a model; its fields are the metadata, with `more` and the relevance.

    `facts` are those of a candidate. Code keeps its headings: it is written inside a fence.
    """
    more = facts.pop("more", {})
    known = item.model_dump(mode="json", exclude_none=True) | {"relevance": relevance} | more
    if "language" in known:
        known["language"] = _NOT_OF_A_LANGUAGE.sub("", known["language"])
    text = _FENCE.sub("'''", text if kind == "code" else escaped_headings(text)) or _EMPTY
    placed: dict[str, Any] = {"text": text, "score": min(1.0, max(0.0, relevance))}
    own = Candidate(id=id_, tokens=0, kind=kind, metadata=known, **placed, **facts)
    return ContextPackBlock.with_facts(
        lambda: own, evidence_item_id=id_, source=own.source, metadata=known, **placed
    )
