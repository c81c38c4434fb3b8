"""What is at a place of a document: the innermost value, its path, and where it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from biblicus_context.lint import Plan
from biblicus_context.reading import Node, Place, Step


class Spot(NamedTuple):
    """A stretch of one line of a file."""

    file: str
    start: Place
    end: Place

    def has(self, place: Place) -> bool:
        """Whether a place is in it, or at its end."""
        return self.start <= place <= self.end


class FoundNode(NamedTuple):
    """A key or a value of a document."""

    path: tuple[Step, ...]
    node: Node
    is_key: bool


def found_at(plan: Plan, place: Place) -> FoundNode | None:
    """The key or the value that a place is in: the last one that begins at it or before it."""
    best: tuple[Place, FoundNode] | None = None
    for start, found in _walk(plan.document.tree.root, ()):
        if start <= place and (best is None or best[0] <= start):
            best = start, found
    return best[1] if best else None


def spot_of_name(file: str, lines: tuple[str, ...], place: Place, name: str) -> Spot:
    """Where a name is written, without its quotes."""
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    at = line.find(name, place.column - 1)
    column = place.column if at < 0 else at + 1
    return Spot(file, Place(place.line, column), Place(place.line, column + len(name)))


def _walk(node: Node, path: tuple[Step, ...]) -> Iterator[tuple[Place, FoundNode]]:
    yield node.place, FoundNode(path, node, is_key=False)
    for key, member in node.members.items():
        inner = (*path, key)
        yield member.key_place, FoundNode(inner, member.node, is_key=True)
        yield from _walk(member.node, inner)
    for index, item in enumerate(node.items):
        yield from _walk(item, (*path, index))
