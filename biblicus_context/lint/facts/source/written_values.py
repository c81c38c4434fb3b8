"""Every key and value of a document as written, for rules about YAML itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Node, Place

_ALIAS = "*"


class WrittenKey(NamedTuple):
    """A key of a mapping and its place."""

    text: str
    place: Place


class WrittenValues(NamedTuple):
    """The keys and values of a document, each once, however many aliases repeat them."""

    keys: Sequence[WrittenKey]
    values: Sequence[Node]
    """Texts, numbers, true, false and null."""


@once_per_document
def written_values(plan: Plan, declared: Declarations) -> WrittenValues:
    """The keys and values of a document, in no particular order."""
    del declared
    keys: dict[Place, WrittenKey] = {}
    values: dict[Place, Node] = {}
    waiting = [plan.document.tree.root]
    while waiting:
        node = waiting.pop()
        if node.style == _ALIAS:
            continue
        for key, member in node.members.items():
            keys[member.key_place] = WrittenKey(key, member.key_place)
            waiting.append(member.node)
        waiting.extend(node.items)
        if not isinstance(node.value, list | dict):
            values[node.place] = node
    return WrittenValues(tuple(keys.values()), tuple(values.values()))
