"""What is written of an item and searched in it: the formats of the plan add the rest."""

from __future__ import annotations

from functools import partial
from typing import Final

from biblicus_context import CodeUnit, Commit, ContextPackBlock
from biblicus_context.systems.evidence_block import evidence_block
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value
from biblicus_context.systems.typed_records import Hit

_FIELDS: Final[dict[Axis, str]] = {
    "full": "goal hypothesis action prediction outcome surprise lesson",
    "strategy": "goal action outcome lesson",
    "surprise": "prediction outcome surprise",
    "root_cause": "hypothesis outcome root_cause",
}


def views(experience: Experience) -> dict[str, str]:
    """An experience on each axis that it is on, each field on a line."""
    said = experience.model_dump()
    said["outcome"] = f"{experience.outcome_status} - {experience.outcome_result}"
    return {
        axis: "\n".join(
            f"- **{name.capitalize().replace('_', ' ')}**: {' '.join(said[name].split())}"
            for name in fields.split()
            if said[name]
        )
        for axis, fields in _FIELDS.items()
        if said.get(axis, axis)
    }


def block_of(
    hit: Hit[Memory | CodeUnit | Experience | Value | Commit], axis: Axis
) -> ContextPackBlock:
    """A hit as evidence; `about` in its metadata names what it shares with items of other sources."""
    item = hit.item
    made = partial(evidence_block, item, hit.relevance)
    match item:
        case Memory():
            own = {"importance": item.importance, "created": item.created_at}
            more = {"about": [item.id]}
            return made(item.content, id_=f"memory:{item.id}", kind="memory", more=more, **own)
        case Experience():
            text, name = views(item).get(axis, ""), f"experience:{axis}:{item.id}"
            more = {"about": [item.id]}
            return made(text, id_=name, kind="experience", more=more, created=item.created_at)
        case Value():
            more = {"about": [item.id, *item.experience_ids]}
            return made(item.text, id_=f"value:{item.id}", kind="value", more=more)
        case Commit():
            name, when, files = f"commit:{item.sha}", item.timestamp, [*item.files_changed]
            more = {"about": files, "files": files}
            return made(item.message, id_=name, kind="commit", more=more, created=when)
    path, line, text = item.file_path, item.start_line, f"{item.signature}\n{item.docstring}"
    facts = {"title": item.qualified_name, "path": path, "lines": (line, item.end_line)}
    name, more = f"code:{path}:{line}", {"about": [path]}
    return made(text.strip(), id_=name, kind="code", more=more, source=path, **facts)
