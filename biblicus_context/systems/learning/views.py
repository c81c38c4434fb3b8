"""What is written of an item and searched in it: the formats of the plan add the rest."""

from __future__ import annotations

import re
from typing import Any, Final

from biblicus_context import Commit, escaped_headings
from biblicus_context.systems.learning import models

_FENCE: Final = re.compile("```|~~~")
"""A text with one would begin or end a block of code."""
_FIELDS: Final[dict[models.Axis, str]] = {
    "full": "goal hypothesis action prediction outcome surprise lesson",
    "strategy": "goal action outcome lesson",
    "surprise": "prediction outcome surprise",
    "root_cause": "hypothesis outcome root_cause",
}


def views(experience: models.Experience) -> dict[str, str]:
    """An experience on each axis."""
    return {axis: view(experience, axis) for axis in _FIELDS}


def view(experience: models.Experience, axis: models.Axis) -> str:
    """An experience on an axis, each field on a line; empty if it is not on this axis."""
    said = experience.model_dump()
    said["outcome"] = f"{experience.outcome_status} - {experience.outcome_result}"
    if not said.get(axis, axis):
        return ""
    fields = ((name.capitalize().replace("_", " "), said[name]) for name in _FIELDS[axis].split())
    return "\n".join(f"- **{name}**: {' '.join(text.split())}" for name, text in fields if text)


def block_of(hit: models.Hit, axis: models.Axis) -> dict[str, Any]:
    """A hit as evidence; `about` names what it shares with items of other sources."""
    item, known = hit.item, hit.item.model_dump(mode="json", exclude_none=True)
    match item:
        case models.Memory():
            kind, name, text, about = "memory", item.id, item.content, [item.id]
        case models.Experience():
            kind, name, text, about = "experience", item.id, view(item, axis), [item.id]
        case models.Value():
            kind, name, text, about = "value", item.id, item.text, [item.id, *item.experience_ids]
        case Commit():
            kind, name, text, about = "commit", item.sha, item.message, [*item.files_changed]
            known["short"] = item.sha[:7]
        case _:
            kind, name = "code", f"{item.file_path}:{item.start_line}"
            text, about = f"{item.signature}\n{item.docstring}".strip(), [item.file_path]
            known |= {"title": item.qualified_name, "path": item.file_path}
            known["lines"] = [item.start_line, item.end_line]
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
