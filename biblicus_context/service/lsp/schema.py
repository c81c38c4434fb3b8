"""The JSON Schemas of plans, asked for the keys and the values at a path."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from biblicus_context.reading import Step, shipped_schemas

_Json: TypeAlias = Mapping[str, Any]
_ALL: Final = ("allOf", "anyOf", "oneOf")
_DEEPEST: Final = 12
"""Schemas refer to themselves: a compactor has compactors."""


class Setting(NamedTuple):
    """A key that may be written."""

    key: str
    description: str
    values: tuple[str, ...] = ()


def setting_at(kind: str, path: Sequence[Step], value: object) -> Setting | None:
    """What the schema says of the key that ends a path; `value` is that of the whole document."""
    *parents, last = path or [""]
    return next((each for each in settings_at(kind, parents, value) if each.key == last), None)


def settings_at(kind: str, path: Sequence[Step], value: object) -> list[Setting]:
    """The keys that the mapping at a path may have."""
    root = _schema(kind)
    if root is None:
        return []
    here: list[_Json] = [*_parts(root, root, value)]
    for step in path:
        value = _part(value, step)
        inner = (each for schema in here for each in _inside(schema, step))
        here = [part for each in inner for part in _parts(root, each, value)]
    found: dict[str, Setting] = {}
    for schema in here:
        for key, said in schema.get("properties", {}).items():
            parts = [said, *_parts(root, said, None)]
            text = next((each["description"] for each in parts if "description" in each), "")
            values = [str(each) for part in parts for each in part.get("enum", ())]
            values += _in_conditions(here, key)
            if key not in found or len(found[key].description) < len(text):
                found[key] = Setting(key, text, tuple(dict.fromkeys(values)))
    return [*found.values()]


@cache
def _schema(kind: str) -> _Json | None:
    file = shipped_schemas().get(kind)
    if file is None:
        return None
    found: _Json = json.loads(file.read_text(encoding="utf-8"))
    return found


def _in_conditions(schemas: Iterable[_Json], key: str) -> Iterator[str]:
    """Values that other keys depend on: those of `retriever_id` are listed there alone."""
    for schema in schemas:
        said = schema.get("if", {}).get("properties", {}).get(key, {})
        yield from map(str, said.get("enum", [said["const"]] if "const" in said else []))


def _inside(schema: _Json, step: Step) -> Iterator[_Json]:
    if isinstance(step, int):
        if isinstance(schema.get("items"), Mapping):
            yield schema["items"]
        return
    if step in schema.get("properties", {}):
        yield schema["properties"][step]
    elif isinstance(schema.get("additionalProperties"), Mapping):
        yield schema["additionalProperties"]


def _parts(root: _Json, schema: _Json, value: object, depth: int = 0) -> Iterator[_Json]:
    """A schema and all that it is made of, as far as conditions hold for a value."""
    if depth > _DEEPEST or not isinstance(schema, Mapping):
        return
    yield schema
    parts = [each for key in _ALL for each in schema.get(key, ())]
    if "$ref" in schema:
        parts.append(_named(root, schema["$ref"]))
    if "if" in schema:
        parts.append(schema.get("then" if _holds(schema["if"], value) else "else", {}))
    for each in parts:
        yield from _parts(root, each, value, depth + 1)


def _holds(condition: _Json, value: object) -> bool:
    """Whether a condition holds, as far as an unfinished document tells."""
    given = value if isinstance(value, Mapping) else {}
    if any(key not in given for key in condition.get("required", ())):
        return False
    if "not" in condition and _holds(condition["not"], value):
        return False
    for key, said in condition.get("properties", {}).items():
        valid = said.get("enum", [said["const"]] if "const" in said else None)
        if valid is not None and key in given and given[key] not in valid:
            return False
    return True


def _named(root: _Json, reference: str) -> _Json:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step, {})
    schema: _Json = found
    return schema


def _part(value: object, step: Step) -> object:
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and step < len(value) else None
    return value.get(step) if isinstance(value, Mapping) else None
