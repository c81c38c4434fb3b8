"""Hits become blocks of evidence; the formats of the plan write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from biblicus_context import escaped_headings
from biblicus_context.systems.learning.models import (
    Axis,
    CodeUnit,
    Commit,
    Experience,
    Hit,
    Item,
    Memory,
    Value,
)
from biblicus_context.systems.learning.views import view


def block_of(hit: Hit[Item], axis: Axis = "full") -> dict[str, Any]:
    """What the engine places: only its text may be shortened."""
    kind, text, known = _written(hit.item, axis)
    metadata = {**hit.item.model_dump(mode="json", exclude_none=True), **known, "kind": kind}
    relevance = min(1.0, max(0.0, hit.relevance))
    return {
        "evidence_item_id": f"{kind}:{axis}:{hit.item.id}",
        "text": text or "-",
        "score": relevance,
        "metadata": {**metadata, "created": metadata.pop("created_at", None)},
    }


def _written(item: Item, axis: Axis) -> tuple[str, str, Mapping[str, Any]]:
    match item:
        case Memory():
            return "memory", escaped_headings(item.content), {}
        case CodeUnit():
            # Three accents would end the block of code.
            text = f"{item.signature}\n{item.docstring}".strip().replace("```", "'''")
            lines = [item.start_line, item.end_line]
            known = {"title": item.qualified_name, "path": item.file_path, "lines": lines}
            return "code", text, known
        case Experience():
            return "experience", view(item, axis), {}
        case Value():
            return "value", escaped_headings(item.text), {}
        case Commit():
            return "commit", escaped_headings(item.message), {"short": item.sha[:7]}


def without_repeats(found: Mapping[str, Sequence[Hit[Item]]]) -> dict[str, list[Hit[Item]]]:
    """Of hits in several sources about one experience or one file, the most relevant source stays."""
    ranked = [(hit, name) for name, hits in found.items() for hit in hits]
    owners: dict[str, str] = {}
    kept: dict[str, list[Hit[Item]]] = {name: [] for name in found}
    for hit, name in sorted(ranked, key=lambda each: -each[0].relevance):
        keys = [*_keys(hit.item)]
        if all(owners.get(key, name) == name for key in keys):
            owners.update(dict.fromkeys(keys, name))
            kept[name].append(hit)
    return kept


def _keys(item: Item) -> Iterable[str]:
    match item:
        case Experience() | Memory():
            return [f"id {item.id}"]
        case Value():
            return [f"id {each}" for each in (item.id, *item.experience_ids)]
        case CodeUnit():
            return [f"file {item.file_path}"]
        case Commit():
            return [f"file {each}" for each in item.files_changed]
