"""A model that a program found, as a block of evidence whose text cannot change the structure around it."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import BaseModel

from biblicus_context.base import door
from biblicus_context.retrieval import ContextPackBlock, facts_of
from biblicus_context.text import escaped_headings

_FENCE: Final = re.compile("```|~~~")
"""A text with one would begin or end a block of code."""
_NOT_OF_A_LANGUAGE: Final = re.compile(r"[^\w+#.-]")
"""The language is written after the marks that begin a block of code."""
_EMPTY: Final = "-"


@door
def model_block(
    item: BaseModel, text: str, relevance: float, *, kind: str, name: str, **facts: Any
) -> ContextPackBlock:
    """A block with this text; its metadata are the fields of the model, the facts and the relevance.

    Formats and rankings know `title`, `path`, `lines` and `created` among them. A text of kind `code`
    keeps its headings, as a format writes it inside a fence.

    >>> class Note(BaseModel): author: str
    >>> block = model_block(Note(author="Ann"), "# Tea", 0.9, kind="note", name="1", title="Tea")
    >>> print(block.text, block.metadata["author"])
    \\# Tea Ann
    """
    known = item.model_dump(mode="json", exclude_none=True)
    known |= {"kind": kind, "relevance": relevance, **facts}
    if "language" in known:
        known["language"] = _NOT_OF_A_LANGUAGE.sub("", known["language"])
    closed = _FENCE.sub("'''", text)
    safe = closed if kind == "code" else escaped_headings(closed)
    block = ContextPackBlock(
        evidence_item_id=f"{kind}:{name}",
        text=safe or _EMPTY,
        source=known.get("source"),
        score=min(1.0, max(0.0, relevance)),
        metadata=known,
    )
    return block.carrying(facts_of(block))  # read once: many steps of an assembly ask for them
