"""Compactors written in place, which the models keep as free-form settings."""

from __future__ import annotations

from biblicus_context.reading.kinds import COMPACTORS
from generators.schemas.shapes import (
    Definitions,
    Schema,
    one_of_kinds,
    reference,
    with_property,
)

_SETTINGS = "CompactorSettings"
_WRITTEN_IN_PLACE = (
    ("ContextPolicySpec", "compactor"),
    ("HistoryInsertSpec", "compactor"),
    ("SummarizeSpec", "fallback"),
    ("CompactorDeclaration", "config"),
)


def with_compactors(definitions: Definitions) -> Definitions:
    """Wherever a compactor may be written, the settings that its `type` has."""
    names = {word: model.__name__ for word, model in COMPACTORS.items()}
    settings = one_of_kinds("type", names, definitions)
    del settings["type"]  # who refers to it says which other shapes it stands beside
    added: Definitions = {
        **definitions,
        _SETTINGS: {"description": "A compactor, as `type` says.", **settings},
    }
    for name, key in _WRITTEN_IN_PLACE:
        added = with_property(added, name, key, _settled)
    added = with_property(added, "ChainSpec", "steps", _settled_steps)
    declaration = added["CompactorDeclaration"]
    return {
        **added,
        "CompactorDeclaration": {**declaration, "required": [*declaration["required"], "config"]},
    }


def _settled(schema: Schema) -> Schema:
    said = {keyword: schema[keyword] for keyword in schema if keyword != "additionalProperties"}
    return {**said, "allOf": [reference(_SETTINGS)]}


def _settled_steps(schema: Schema) -> Schema:
    return {**schema, "items": _settled(schema["items"])}
