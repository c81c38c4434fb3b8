"""A document as plain values that remember their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypedDict, Unpack

from biblicus_context.errors import LoadError
from biblicus_context.reading.mistakes import Mistake

Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
Step: TypeAlias = str | int
Path: TypeAlias = Sequence[Step]


class ErrorDetails(TypedDict, total=False):
    """What an error may say besides its place and its problem."""

    found: object
    valid: Iterable[str]
    fix: str | None
    mistake: Mistake | None


class Place(NamedTuple):
    """A line and a column, counted from one as editors do."""

    line: int
    column: int

    def error(self, file: str, problem: str, **details: Unpack[ErrorDetails]) -> LoadError:
        """An error at this place of a file."""
        return LoadError(problem, file=file, line=self.line, column=self.column, **details)


class Member(NamedTuple):
    """The place of a key in a mapping, and its value."""

    key_place: Place
    node: Node


class Node(NamedTuple):
    """A value with its place, and its parts with theirs."""

    value: Value
    place: Place
    members: Mapping[str, Member] = MappingProxyType({})
    items: Sequence[Node] = ()
    style: str = ""
    """How a text is written: its quote, `|` or `>`; `*` for the value of an alias."""
    last_line: int = 0
    """Where a word or a text without quotes ends."""

    def part(self, step: Step) -> Node | None:
        """The value under a key or an index, where there is one."""
        if isinstance(step, int):
            return self.items[step] if step < len(self.items) else None
        return self.members[step].node if step in self.members else None


class Tree(NamedTuple):
    """One document of a file."""

    file: str
    root: Node
    text: str = ""
    """What the document was read from; it begins in the line `first_line`."""
    first_line: int = 1
    loose_anchors: Sequence[tuple[str, Place]] = ()
    """Anchors that no alias names."""
    bases: tuple[str, ...] = ()
    """The retrievers of the same file that settings were taken over from; they keep their places."""

    def at(self, path: Path) -> Node:
        """The node at a path, or the innermost one that exists on the way there."""
        node = self.root
        for step in path:
            part = node.part(step)
            if part is None:
                break
            node = part
        return node

    def key_place(self, path: Path) -> Place:
        """The place of the key that ends a path, or of its value if it has no key."""
        *parents, last = path or [0]
        member = self.at(parents).members.get(str(last))
        return member.key_place if member else self.at(path).place

    def error(self, problem: str, place: Place, **details: Unpack[ErrorDetails]) -> LoadError:
        """An error at a place of this document."""
        return place.error(self.file, problem, **details)
