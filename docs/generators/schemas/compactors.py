"""Compactors: their settings, from the fields of the classes in the registry."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter

from biblicus_context.text.compaction import COMPACTORS
from generators.schemas.shapes import (
    Definitions,
    Schema,
    one_of_kinds,
    reference,
    simple_definition,
    with_property,
)

_SETTINGS = "CompactorSettings"
_WRITTEN_IN_PLACE = (
    ("ContextPolicySpec", "compactor"),
    ("HistoryInsertSpec", "compactor"),
    ("SummarizeSettings", "fallback"),
    ("CompactorDeclaration", "config"),
)

_TYPES = {word: kind for word, kind in COMPACTORS.entries.items() if isinstance(kind, type)}
DEFINITIONS = {word: kind.__name__ for word, kind in _TYPES.items()}
"""The name of the definition of each type's settings."""


def with_compactors(definitions: Definitions) -> Definitions:
    """Wherever a compactor may be written, the settings that its `type` has."""
    definitions = {**definitions, **_settings_of_types()}
    settings = one_of_kinds("type", DEFINITIONS, definitions)
    del settings["type"]  # who refers to it says which other shapes it stands beside
    added: Definitions = {
        **definitions,
        _SETTINGS: {"description": "A compactor, depending on `type`.", **settings},
    }
    for name, key in _WRITTEN_IN_PLACE:
        added = with_property(added, name, key, _settled)
    added = with_property(added, "ChainSettings", "steps", _settled_steps)
    declaration = added["CompactorDeclaration"]
    return {
        **added,
        "CompactorDeclaration": {**declaration, "required": [*declaration["required"], "config"]},
    }


def _settings_of_types() -> Definitions:
    """The settings of each type, with the `type` that the registry adds to them."""
    adapters: list[tuple[str, Literal["validation"], TypeAdapter[Any]]] = [
        (word, "validation", TypeAdapter(kind)) for word, kind in _TYPES.items()
    ]
    _, generated = TypeAdapter.json_schemas(adapters)
    definitions = {}
    for word, name in DEFINITIONS.items():
        generated["$defs"][name]["description"] = _summary(_TYPES[word])
        settings = simple_definition(name, generated["$defs"])
        tag = {"description": settings["description"], "enum": [word]}
        definitions[name] = {
            **settings,
            "required": ["type", *settings.get("required", ())],
            "properties": {"type": tag, **settings["properties"]},
        }
    return definitions


def _summary(entry: object) -> str:
    return (entry.__doc__ or "").partition("\n")[0]


def _settled(schema: Schema) -> Schema:
    said = {keyword: schema[keyword] for keyword in schema if keyword != "additionalProperties"}
    return {**said, "allOf": [reference(_SETTINGS)]}


def _settled_steps(schema: Schema) -> Schema:
    return {**schema, "items": _settled(schema["items"])}
