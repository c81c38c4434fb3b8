"""Items of a searcher as evidence, and what is written of each: the formats of the plan add the rest."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import BaseModel

from biblicus_context.base import door
from biblicus_context.corpora import RelevantItem
from biblicus_context.retrieval import ContextPackBlock, facts_of
from biblicus_context.systems.learning.code_unit import CodeUnit
from biblicus_context.systems.learning.commit import Commit
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value
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


def block_of(
    found: RelevantItem[Memory | CodeUnit | Experience | Value | Commit], axis: Axis
) -> ContextPackBlock:
    """An item as evidence; `about` in its metadata names what it shares with items of other sources."""
    item, facts = found.item, dict[str, Any]()
    match item:
        case Memory():
            kind, name, text, about = "memory", item.id, item.content, [item.id]
        case Experience():
            kind, name, about = "experience", f"{axis}:{item.id}", [item.id]
            text, facts = item.view(axis), {"source": item.id}
        case Value():
            kind, name, text, about = "value", item.id, item.text, [item.id, *item.experience_ids]
        case Commit():
            kind, name, text, about = "commit", item.sha, item.message, [*item.files_changed]
            facts = {"files": about}
        case CodeUnit():
            path, lines = item.file_path, (item.start_line, item.end_line)
            kind, name, about = "code", f"{path}:{lines[0]}", [path]
            text = item.text or f"{item.signature}\n{item.docstring}".strip()
            facts = {"source": path, "lines": lines, "title": item.qualified_name}
    facts |= {"kind": kind, "name": name, "about": about}
    return model_block(item, text, found.figure, **facts)
