"""Schemas as pydantic writes them become schemas in which one mistake gives one message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]
Definitions: TypeAlias = Mapping[str, Schema]

_PYDANTIC_REF = "#/$defs/"
_REF = "#/definitions/"
_FIRST_SHOWN = ("description", "type", "enum", "default", "examples")


def simple_definition(name: str, definitions: Definitions) -> Schema:
    """A definition whose unions are distinguished by shape or by `type` instead of tried in turn.

    It does not say `type: object`; whoever refers to it does. So "a name, null or the thing
    itself" is a list of types next to keywords that concern mappings only.
    """
    definition = definitions[name]
    properties = {
        key: _property(schema, definitions, definition["description"])
        for key, schema in definition["properties"].items()
    }
    required = definition.get("required", [])
    return {
        "description": definition["description"],
        **({"required": required} if required else {}),
        "properties": properties,
        "additionalProperties": False,
    }


def reference(name: str) -> Schema:
    """Points at a definition; it has to stand alone, because draft 7 ignores keywords next to it."""
    return {"$ref": _REF + name}


def with_property(
    definitions: Definitions, name: str, key: str, change: Callable[[Schema], Schema]
) -> Definitions:
    """The definitions with one property of one of them changed."""
    definition = definitions[name]
    properties = {**definition["properties"], key: change(definition["properties"][key])}
    return {**definitions, name: {**definition, "properties": properties}}


def references(schema: object) -> Iterator[str]:
    """The names of the definitions a schema points at."""
    if isinstance(schema, list):
        for part in schema:
            yield from references(part)
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix(_REF)
        for part in schema.values():
            yield from references(part)


def one_of_kinds(key: str, kinds: Mapping[str, str], definitions: Definitions) -> Schema:
    """A mapping whose `key` says which definition it follows; `kinds` goes from word to name."""
    return {
        "type": "object",
        "required": [key],
        "properties": {
            key: {
                "enum": list(kinds),
                "enumDescriptions": [definitions[name]["description"] for name in kinds.values()],
            }
        },
        "allOf": [
            {
                "if": {"required": [key], "properties": {key: {"const": word}}},
                "then": reference(name),
            }
            for word, name in kinds.items()
        ],
    }


def _property(schema: Schema, definitions: Definitions, owner: str) -> Schema:
    simple = _simple(schema, definitions)
    simple.setdefault("description", owner)
    return {key: simple[key] for key in (*_FIRST_SHOWN, *simple) if key in simple}


def _simple(schema: Schema, definitions: Definitions) -> Schema:
    said = {key: schema[key] for key in schema if key not in ("title", "anyOf", "oneOf")}
    if "default" in said and said["default"] is None:
        del said["default"]
    choices = list(_choices(schema))
    if not choices:
        return _one_shape(said, definitions)
    named = [choice["$ref"].removeprefix(_PYDANTIC_REF) for choice in choices if "$ref" in choice]
    shapes = [_one_shape(choice, definitions) for choice in choices if "$ref" not in choice]
    if len(named) > 1:
        shapes.append(_one_of_definitions(named, definitions))
    elif named:
        shapes.append({"type": "object", "allOf": [reference(named[0])]})
    return {**_united(shapes), **said}


def _choices(schema: Schema) -> Iterator[Schema]:
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        inner = list(_choices(choice))
        yield from inner or [choice]


def _one_shape(schema: Schema, definitions: Definitions) -> Schema:
    shape = {key: value for key, value in schema.items() if key not in ("title", "$ref", "const")}
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_PYDANTIC_REF)
        shape |= {"type": "object", "allOf": [reference(name)]}
    if "const" in schema:
        shape["enum"] = [schema["const"]]
    if "enum" in shape:
        shape.pop("type", None)
    for part in ("items", "additionalProperties"):
        if isinstance(shape.get(part), dict):
            shape[part] = _simple(shape[part], definitions)
    return shape


def _one_of_definitions(names: Sequence[str], definitions: Definitions) -> Schema:
    """A union of mappings: by the word under `type`, or by the one key that only one of them has."""
    words = {_word(definitions[name]): name for name in dict.fromkeys(names)}
    wordless = words.pop(None, None)
    union = one_of_kinds("type", {word: name for word, name in words.items() if word}, definitions)
    if wordless is None:
        return union
    (key,) = definitions[wordless]["required"]
    message = f"an entry must have a type ({', '.join(filter(None, words))}), or {key}"
    neither = {"required": union.pop("required"), "errorMessage": message}
    wordless_is_meant = {"required": [key], "not": {"required": ["type"]}}
    union["allOf"].insert(
        0, {"if": wordless_is_meant, "then": reference(wordless), "else": neither}
    )
    return union


def _word(definition: Schema) -> str | None:
    word: str | None = definition["properties"].get("type", {}).get("const")
    return word


def _united(shapes: Sequence[Schema]) -> Schema:
    united: Schema = {}
    for shape in shapes:
        for keyword, value in shape.items():
            if keyword in ("type", "enum"):
                values = value if isinstance(value, list) else [value]
                united[keyword] = [*united.get(keyword, []), *values]
            elif keyword in united:
                raise ValueError(f"two shapes of one property both say {keyword!r}")
            else:
                united[keyword] = value
    if "enum" in united and united.pop("type", None) == ["null"]:
        united["enum"].append(None)
    return united
