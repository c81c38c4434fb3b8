"""The events of a YAML parser become nodes, within fixed limits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from biblicus_context.errors import LoadError
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.yaml.tree import Member, Node, Place

MAX_DEPTH = 50
MAX_ALIASES = 100
MAX_VALUES = 100_000
"""Keys and values in one document; those of an alias count each time it is used."""
MAX_PROBLEMS = 100
"""Problems reported for one document at one stage."""

_WRITE_OUT = "Split the plan, and move long texts into a corpus."

_MERGE = "<<"
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTE = "Put text that begins with a brace or a bracket in quotes."
_NO_TAG = "Remove it, or put text that begins with '!' in quotes."
_NO_ANCHOR = "Put text that begins with '*' in quotes."


class _Anchored(NamedTuple):
    node: Node | None
    size: int


class Composer:
    """Builds the nodes of one document, and collects the problems after which it can continue.

    PyYAML's own composer recurses in C as deep as the text is nested, which can crash the process.
    """

    def __init__(self, events: Iterator[Event], file: str, first_line: int) -> None:
        self.problems: list[LoadError] = []
        self._events = events
        self._file = file
        self._first_line = first_line
        self._anchors: dict[str, _Anchored] = {}
        self._loose: dict[str, Place] = {}
        self._aliases = 0
        self._size = 0

    def root(self) -> Node:
        """The document's outermost value; raises LoadError where reading cannot go on."""
        return self._node(next(self._events), depth=0)

    @property
    def loose_anchors(self) -> Sequence[tuple[str, Place]]:
        """Anchors that no alias names, once the document has been read."""
        return tuple(self._loose.items())

    def _node(self, event: Event, depth: int) -> Node:
        place = self._place(event)
        if isinstance(event, AliasEvent):
            return self._alias(str(event.anchor), place)
        assert isinstance(event, ScalarEvent | CollectionStartEvent)
        size_before = self._size
        self._grow(1, place)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(None, 0)
            self._loose[event.anchor] = place
        if event.tag is not None:
            self._note(
                "yaml-tag", "YAML tags are not supported", place, found=event.tag, fix=_NO_TAG
            )
        if isinstance(event, ScalarEvent):
            node = self._scalar(event, place)
        else:
            node = self._inner(event, place, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(node, self._size - size_before)
        return node

    def _scalar(self, event: ScalarEvent, place: Place) -> Node:
        if event.style or event.tag is not None:
            if _SURROGATE.search(event.value):
                fix = "Write the complete escape, such as \\U0001F600."
                self._note("lone-surrogate", "lone surrogate", place, fix=fix)
            return Node(event.value, place, style=event.style or "")
        value = plain_scalar(event.value)
        if isinstance(value, Unclear):
            self._note(value.mistake, value.problem, place, found=event.value, fix=value.fix)
            return Node(event.value, place)
        return Node(value, place, last_line=self._last_line(event))

    def _inner(self, event: CollectionStartEvent, place: Place, depth: int) -> Node:
        if depth == MAX_DEPTH:
            problem = f"nesting is deeper than {MAX_DEPTH} levels"
            raise place.error(self._file, problem, mistake="nesting-too-deep", fix=_WRITE_OUT)
        if isinstance(event, MappingStartEvent):
            return self._mapping(place, depth + 1)
        return self._sequence(place, depth + 1)

    def _sequence(self, place: Place, depth: int) -> Node:
        items = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._node(event, depth))
        return Node([item.value for item in items], place, items=items)

    def _mapping(self, place: Place, depth: int) -> Node:
        members: dict[str, Member] = {}
        merges = False
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, depth)
            node = self._node(next(self._events), depth)
            if key is None:
                continue
            if key in members:
                self._note_repeated(key, self._place(event), members[key].key_place)
                continue
            members[key] = Member(self._place(event), node)
            merges = merges or _is_merge(event)
        if merges:
            for source in self._mergeable(members.pop(_MERGE)):
                for key, member in source.members.items():
                    members.setdefault(key, member)
        value = {key: member.node.value for key, member in members.items()}
        return Node(value, place, members=members)

    def _key(self, event: Event, depth: int) -> str | None:
        node = self._node(event, depth)
        if isinstance(event, ScalarEvent) and isinstance(node.value, str):
            return node.value
        found, fix = None, _QUOTE
        if isinstance(event, ScalarEvent):
            found, fix = event.value, "Put it in quotes."
        problem = "a key must be text"
        self._note("non-text-key", problem, node.place, found=found, fix=fix)
        return None

    def _mergeable(self, merge: Member) -> Sequence[Node]:
        sources = merge.node.items if isinstance(merge.node.value, list) else [merge.node]
        if all(isinstance(source.value, dict) for source in sources):
            return sources
        problem, fix = (
            f"'{_MERGE}' can merge only mappings",
            "Name one mapping, or a list of mappings.",
        )
        self._note("invalid-merge-key", problem, merge.key_place, fix=fix)
        return ()

    def _alias(self, name: str, place: Place) -> Node:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            problem = f"more than {MAX_ALIASES} aliases"
            raise place.error(self._file, problem, mistake="too-many-aliases", fix=_WRITE_OUT)
        anchored = self._anchors.get(name)
        if anchored is None:
            raise self._unknown_alias(name, place)
        self._loose.pop(name, None)
        if anchored.node is None:
            problem = "the alias is inside its own anchor"
            fix = "Write out the value instead."
            raise place.error(self._file, problem, mistake="recursive-alias", found=name, fix=fix)
        self._grow(anchored.size, place)
        return anchored.node._replace(place=place, style="*")

    def _grow(self, size: int, place: Place) -> None:
        self._size += size
        if self._size > MAX_VALUES:
            problem = f"more than {MAX_VALUES:,} keys and values"
            raise place.error(self._file, problem, mistake="too-many-values", fix=_WRITE_OUT)

    def _note_repeated(self, key: str, place: Place, first: Place) -> None:
        fix = f"Keep one of the two; the first is in line {first.line}."
        self._note("duplicate-key", "duplicate key", place, found=key, fix=fix)

    def _note(
        self,
        mistake: Mistake,
        problem: str,
        place: Place,
        *,
        found: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.problems.append(
            place.error(self._file, problem, mistake=mistake, found=found, fix=fix)
        )
        if len(self.problems) == MAX_PROBLEMS:
            raise place.error(
                self._file,
                "too many problems, so the rest of the document is not checked",
                mistake="too-many-problems",
            )

    def _unknown_alias(self, name: str, place: Place) -> LoadError:
        return place.error(
            self._file,
            "unknown alias",
            mistake="unknown-alias",
            found=name,
            valid=list(self._anchors),
            fix=_NO_ANCHOR,
        )

    def _place(self, event: Event) -> Place:
        mark = event.start_mark
        assert mark is not None
        return Place(mark.line + self._first_line, mark.column + 1)

    def _last_line(self, event: Event) -> int:
        mark = event.end_mark
        assert mark is not None
        return mark.line + self._first_line


def _is_merge(event: Event) -> bool:
    return isinstance(event, ScalarEvent) and event.value == _MERGE and not event.style


Scalar = str | int | float | bool | None

_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_UNCLEAR = re.compile(
    r"[-+]?0[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_MAX_INTEGER = 2**63 - 1
_MAX_INTEGER_LENGTH = len(str(-_MAX_INTEGER))


class Unclear(NamedTuple):
    """A word that readers of YAML take for different numbers."""

    mistake: Mistake
    problem: str
    fix: str


def plain_scalar(word: str) -> Scalar | Unclear:
    """The value of an unquoted word.

    >>> [plain_scalar(word) for word in ("true", "yes", "12:30", "2024-01-01", "1e3", "~")]
    [True, 'yes', '12:30', '2024-01-01', 1000.0, None]
    >>> plain_scalar("010").problem
    'ambiguous number that YAML readers interpret differently'
    """
    if word in _WORDS:
        return _WORDS[word]
    if word[0] not in "+-.0123456789":
        return word
    if _UNCLEAR.fullmatch(word):
        return Unclear(
            "ambiguous-number",
            "ambiguous number that YAML readers interpret differently",
            "Write a decimal number without leading zeros, or put it in quotes to make it text.",
        )
    return _number(word) if _NUMBER.fullmatch(word) else word


def _number(word: str) -> int | float | Unclear:
    if word.lstrip("+-").isdecimal():
        whole = int(word) if len(word) <= _MAX_INTEGER_LENGTH else math.inf
        number: int | float = whole if abs(whole) <= _MAX_INTEGER else math.inf
    else:
        number = float(word)
    if math.isinf(number):
        problem = "the number is too large"
        fix = "Write a smaller number, or put it in quotes to make it text."
        return Unclear("number-too-large", problem, fix)
    return number
