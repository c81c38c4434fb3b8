"""What authors mean by the mistakes that they make most: the hint, and the value to go on with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from biblicus_context.reading.validator import SchemaViolation, definition
from biblicus_context.reading.yaml.tree import Member, Node, Path, Tree, Value

_REF: Final = "#/definitions/"
_NUMBERS: Final[Mapping[str, str]] = {
    "budget": "max_tokens",
    "pack-share": "max_tokens",
    "history-budget": "max_tokens",
    "pack-budget": "default_max_tokens",
    "reserve": "output_tokens",
    "expansion": "max_pages",
}
"""What a number means where a mapping is needed."""
_WORDS: Final[Mapping[str, Mapping[str, tuple[str, Value]]]] = {
    "format": {
        "fence": ("fence", True),
        "fenced": ("fence", True),
        "metadata": ("metadata", True),
        "citations": ("citations", "inline"),
        "inline": ("citations", "inline"),
    },
}
"""What a word means where a mapping is needed."""


class Meant(NamedTuple):
    """A mapping that an author abbreviated."""

    text: str
    """As it is written in YAML."""
    node: Node


def meant_value(tree: Tree, violation: SchemaViolation) -> Meant | None:
    """The mapping that a number or a word stands for, such as `{max_tokens: 2000}` for 2000."""
    node, rule = tree.at(violation.path), violation.rule
    kinds = rule.get("type", ())
    if violation.keyword != "type" or "object" not in (
        [kinds] if isinstance(kinds, str) else kinds
    ):
        return None
    for name in _references(rule):
        known = _setting(name, node.value)
        if known is not None:
            key, value = known
            inner = {key: Member(node.place, Node(value, node.place))}
            shown = "true" if value is True else value
            return Meant(f"{{{key}: {shown}}}", Node({key: value}, node.place, members=inner))
    return None


def place_of_key(tree: Tree, violation: SchemaViolation, key: str) -> str | None:
    """Where a key belongs that is unknown in its mapping: under another key of it, or one level up."""
    inside = [
        name
        for name, schema in violation.rule.get("properties", {}).items()
        if any(key in definition(each).get("properties", {}) for each in _references(schema))
    ]
    if len(inside) == 1:
        (parent,) = inside
        return _under(tree, violation.path, parent, key)
    if len(violation.path) == 1:
        kind = tree.root.value.get("kind") if isinstance(tree.root.value, dict) else None
        if key in definition(str(kind)).get("properties", {}):
            return f"It belongs one level up, next to '{violation.path[0]}': check its indentation."
    return None


def type_as_role(tree: Tree, path: Path) -> Member | None:
    """The `role` of an entry of `messages` that has no `type`."""
    entry = tree.at(path)
    role = entry.members.get("role")
    known = ("system", "user", "assistant")
    return role if role and "type" not in entry.members and role.node.value in known else None


def _under(tree: Tree, path: Path, parent: str, key: str) -> str:
    holder = tree.at(path).members.get(parent)
    if holder is not None and holder.node.value is None:
        return (
            f"It belongs under '{parent}' in line {holder.key_place.line}: check its indentation."
        )
    return f"It belongs under '{parent}': write {parent}: {{{key}: ...}}."


def _setting(name: str, value: Value) -> tuple[str, Value] | None:
    if isinstance(value, str):
        return _WORDS.get(name, {}).get(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or name not in _NUMBERS:
        return None
    if isinstance(value, int):
        return _NUMBERS[name], value
    ratio = _NUMBERS[name].replace("max_tokens", "ratio")
    return (ratio, value) if ratio in definition(name).get("properties", {}) else None


def _references(rule: object) -> list[str]:
    """The definitions that a schema follows, whatever decides which of them."""
    if not isinstance(rule, dict):
        return []
    branches = [
        each for choice in rule.get("allOf", ()) for each in (choice, choice.get("then", {}))
    ]
    refs = [branch["$ref"] for branch in branches if "$ref" in branch]
    return [ref.removeprefix(_REF) for ref in refs]
