"""Values in templates: the parts that a path can name, and how a value is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Final, Self, cast

from pydantic import BaseModel

_MOST_KNOWN = 1000


class NoSuchPartError(LookupError):
    """A value has no part of this name; `known` lists the names of its parts."""

    def __init__(self, part: str, known: Iterable[str]) -> None:
        self.part = part
        self.known = tuple(known)
        super().__init__(part)


class Missing(Mapping[str, object]):
    """A value that nobody gave, where that is not an error: empty, false, and so are its parts.

    >>> as_text(MISSING), bool(MISSING), MISSING["anything"] > 3
    ('', False, False)
    """

    __slots__ = ()

    def __getitem__(self, part: str) -> Self:
        return self

    def __contains__(self, part: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __str__(self) -> str:
        return ""

    def __round__(self, digits: int = 0) -> Self:
        return self

    def _compared(self, other: object) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _compared


MISSING: Final = Missing()


def part_of(value: object, part: str) -> object:
    """The part of this name: a key, an index or a field. Nothing is called.

    >>> part_of({"items": [1, 2]}, "items")
    [1, 2]
    >>> part_of([1, 2], "1")
    2
    """
    if isinstance(value, Mapping) and part in value:
        return value[part]
    if isinstance(value, list | tuple) and part.isdecimal() and int(part) < len(value):
        return value[int(part)]
    held, members = _held(value), _members(value)
    if part.startswith("_") or (part not in held and part not in members):
        raise NoSuchPartError(part, known_parts(value))
    if part in held:
        return held[part]
    try:
        return members[part].__get__(value)
    except AttributeError:  # a slot that was never filled
        raise NoSuchPartError(part, known_parts(value)) from None


def known_parts(value: object) -> list[str]:
    """The names of a value's parts, up to the number that an error lists."""
    names: Iterable[object]
    if isinstance(value, Mapping):
        names = value
    elif isinstance(value, list | tuple):
        names = _held(value) or range(len(value))
    else:
        names = dict.fromkeys([*_members(value), *_held(value)])
    return [str(name) for name in islice(names, _MOST_KNOWN) if not str(name).startswith("_")]


def as_text(value: object) -> str:
    """A value as text.

    >>> as_text(None), as_text(True), as_text({"größe": [1, 2]})
    ('', 'True', '{"größe":[1,2]}')
    """
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), default=_plain)
    return str(value)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)  # the order of a set differs between processes
    return value if isinstance(value, list | tuple) else str(value)


def _held(value: object) -> Mapping[str, object]:
    """An object's fields without running its properties or `__getattr__`."""
    if isinstance(value, type | ModuleType):
        return {}
    # Not isinstance: it would read `__class__`, which the value may define.
    if issubclass(type(value), BaseModel):
        return {**vars(value), **(cast("BaseModel", value).__pydantic_extra__ or {})}
    if isinstance(value, tuple):
        return dict(zip(getattr(type(value), "_fields", ()), value, strict=False))
    try:
        own = vars(value)
    except TypeError:
        own = {}
    return {**_class_data(type(value)), **own}


def _class_data(kind: type) -> dict[str, object]:
    """Plain class attributes; descriptors that would run code are left out."""
    return {
        name: value
        for each in reversed(kind.__mro__)
        for name, value in vars(each).items()
        if not hasattr(type(value), "__get__")
    }


def _members(value: object) -> dict[str, MemberDescriptorType | GetSetDescriptorType]:
    """Slots and fields of built-in types such as date.year, which run no Python code."""
    return {
        name: member
        for kind in reversed(type(value).__mro__)
        for name, member in vars(kind).items()
        if isinstance(member, MemberDescriptorType | GetSetDescriptorType)
    }
