"""What is written of an item and searched in it: the formats of the plan add the rest."""

from __future__ import annotations

import re
from typing import Any, Final

from biblicus_context import escaped_headings
from biblicus_context.systems.learning.models import (
    Axis,
    CodeUnit,
    Commit,
    Experience,
    Hit,
    Memory,
    Value,
)

_FENCE: Final = re.compile("```|~~~")
"""A text with one would begin or end a block of code."""
AXES: Final[dict[Axis, str]] = {
    "full": "goal hypothesis action prediction outcome surprise lesson",
    "strategy": "goal action outcome lesson",
    "surprise": "prediction outcome surprise",
    "root_cause": "hypothesis outcome root_cause",
}


def view(experience: Experience, axis: Axis) -> str:
    """An experience on an axis, each field on a line; empty if it is not on this axis."""
    said = experience.model_dump()
    said["outcome"] = f"{experience.outcome_status} - {experience.outcome_result}"
    if not said.get(axis, axis):
        return ""
    fields = ((name.capitalize().replace("_", " "), said[name]) for name in AXES[axis].split())
    return "\n".join(f"- **{name}**: {' '.join(text.split())}" for name, text in fields if text)


def block_of(hit: Hit, axis: Axis) -> dict[str, Any]:
    """A hit as evidence; `about` names what it shares with items of other sources."""
    item, known = hit.item, hit.item.model_dump(mode="json", exclude_none=True)
    match item:
        case Memory():
            kind, name, text, about = "memory", item.id, item.content, [item.id]
        case Experience():
            kind, name, text, about = "experience", item.id, view(item, axis), [item.id]
        case Value():
            kind, name, text = "value", item.id, item.text
            about = [item.id, *item.experience_ids]
        case CodeUnit():
            kind, name = "code", f"{item.file_path}:{item.start_line}"
            text = f"{item.signature}\n{item.docstring}".strip()
            known |= {"title": item.qualified_name, "path": item.file_path}
            known["lines"], about = [item.start_line, item.end_line], [item.file_path]
        case Commit():
            kind, name, text, about = "commit", item.sha, item.message, [*item.files_changed]
            known["short"] = item.sha[:7]
    return {
        "evidence_item_id": f"{kind}:{axis}:{name}",
        "text": _FENCE.sub("'''", text if kind == "code" else escaped_headings(text)) or "-",
        "score": min(1.0, max(0.0, hit.relevance)),
        "metadata": {
            **known,
            "created": item.created_at,
            "kind": kind,
            "about": about,
            "relevance": hit.relevance,
        },
    }
