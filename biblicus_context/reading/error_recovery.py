"""A document with mistakes becomes one without them, so that the rest of it can be checked as well.

What an author obviously meant takes the place of what is written; anything else is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from biblicus_context.errors import nearest
from biblicus_context.reading.check import departures
from biblicus_context.reading.fast_validation import proven
from biblicus_context.reading.schema_errors import unknown_keys
from biblicus_context.reading.suggested_fix import meant_value, type_as_role
from biblicus_context.reading.validator import SchemaViolation
from biblicus_context.reading.yaml.tree import Member, Node, Step, Tree, Value

_Path = tuple[Step, ...]
_MOST_ROUNDS: Final = 3
_NEEDED: Final = ("kind", "name", "type")
"""Without these keys the mapping that has them is left out, too."""


@dataclass
class _Changes:
    cut: set[_Path] = field(default_factory=set)
    replaced: dict[_Path, Node] = field(default_factory=dict)
    renamed: dict[_Path, str] = field(default_factory=dict)

    def touched(self) -> set[_Path]:
        """Every path on the way to a change."""
        paths = (*self.cut, *self.replaced, *self.renamed)
        return {path[:length] for path in paths for length in range(len(path) + 1)}


class Mending(NamedTuple):
    """A document without its mistakes."""

    tree: Tree
    lost: frozenset[str]
    """The keys of the document under which something was left out."""


def mended(tree: Tree, violations: Sequence[SchemaViolation]) -> Mending | None:
    """The document without these mistakes, and without what is wrong under a key that is guessed.

    None if nothing can be left out, as in a document without a name.
    """
    lost: frozenset[str] = frozenset()
    for _ in range(_MOST_ROUNDS):
        mending = _once(tree, violations)
        if mending is None:
            return None
        tree, lost = mending.tree, lost | mending.lost
        violations = () if proven(tree.root.value) else departures(tree)
        if not violations:
            return Mending(tree, lost)
    return None


def _once(tree: Tree, violations: Sequence[SchemaViolation]) -> Mending | None:
    changes = _Changes()
    for violation in violations:
        for path in _unmeant(tree, violation, changes):
            cut = _removable(path)
            if not cut:
                return None
            changes.cut.add(cut)
    root = _rebuilt(tree.root, (), changes, changes.touched())
    if root is None:
        return None
    return Mending(tree._replace(root=root), frozenset(str(path[0]) for path in changes.cut))


def _unmeant(tree: Tree, violation: SchemaViolation, changes: _Changes) -> Iterator[_Path]:
    """Note what the author meant; yield the paths of what nobody can know."""
    path = violation.path
    if violation.keyword == "additionalProperties":
        present = tree.at(path).members
        for key in unknown_keys(tree, violation):
            guess = nearest(key, violation.rule["properties"])
            if guess and guess not in present and guess not in changes.renamed.values():
                changes.renamed[(*path, key)] = guess
            elif key == "role" and type_as_role(tree, path):
                changes.renamed[(*path, key)] = "type"
            else:
                yield (*path, key)
        return
    meant = meant_value(tree, violation)
    if meant is not None:
        changes.replaced[path] = meant.node
    elif violation.keyword == "required" and type_as_role(tree, path):
        changes.renamed[(*path, "role")] = "type"
    else:
        yield path


def _removable(path: _Path) -> _Path:
    while path and path[-1] in _NEEDED:
        path = path[:-1]
    return path


def _rebuilt(node: Node, path: _Path, changes: _Changes, touched: set[_Path]) -> Node | None:
    if path in changes.cut:
        return None
    if path in changes.replaced:
        return changes.replaced[path]
    if path not in touched or not isinstance(node.value, list | dict):
        return node
    if isinstance(node.value, list):
        parts = (
            _rebuilt(each, (*path, at), changes, touched) for at, each in enumerate(node.items)
        )
        items = [each for each in parts if each is not None]
        return node._replace(value=[each.value for each in items], items=items)
    members: dict[str, Member] = {}
    for key, member in node.members.items():
        inner = _rebuilt(member.node, (*path, key), changes, touched)
        if inner is not None:
            members[changes.renamed.get((*path, key), key)] = member._replace(node=inner)
    value: dict[str, Value] = {key: member.node.value for key, member in members.items()}
    return node._replace(value=value, members=members)
