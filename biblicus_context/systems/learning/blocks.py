"""What is written of an item: the formats of the plan add the rest."""

from __future__ import annotations

from typing import Any

from biblicus_context import ContextPackBlock
from biblicus_context.corpora import RelevantItem
from biblicus_context.systems.learning.code_unit import CodeUnit
from biblicus_context.systems.learning.commit import Commit
from biblicus_context.systems.learning.model_block import model_block
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value


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
            text = f"{item.signature}\n{item.docstring}".strip()
            facts = {"source": path, "lines": lines, "title": item.qualified_name}
    facts |= {"kind": kind, "name": name, "about": about}
    return model_block(item, text, found.relevance, **facts)
