"""Statements put together, and names and texts as Postgres keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from biblicus_context.stores.sql import Sql

FOREVER: Final = (1 << 63) - 1
"""`removed` of a row that nothing has removed."""


def joined(*parts: Sql | str) -> Sql:
    """Pieces one after the other.

    >>> joined("SELECT", Sql("%s", (1,)))
    Sql(text='SELECT %s', values=(1,))
    """
    pieces = [Sql(each) if isinstance(each, str) else each for each in parts]
    text = " ".join(each.text for each in pieces)
    return Sql(text, tuple(value for each in pieces for value in each.values))


def key_of(name: str) -> bytes:
    """What a name is found by: a B-tree takes up to 2,704 bytes, and a name may have 4,000.

    >>> len(key_of("a.md"))
    16
    """
    return blake2b(name.encode(), digest_size=16).digest()


def optional_key(name: str | None) -> bytes | None:
    """The same of a name that may be missing."""
    return None if name is None else key_of(name)


def keys_of(names: Iterable[str]) -> list[bytes]:
    """The keys of several names."""
    return [key_of(each) for each in names]


_ESCAPE: Final = "\x10"
_NUL: Final = f"{_ESCAPE}0"


def kept(text: str) -> str:
    """A text as Postgres can keep it, which refuses NUL.

    >>> kept("a\\x00b") == "a\\x100b", shown(kept("\\x10\\x00\\x100")) == "\\x10\\x00\\x100"
    (True, True)
    """
    if "\0" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, _ESCAPE * 2).replace("\0", _NUL)


def shown(text: str) -> str:
    """A text that was kept, as it was."""
    if _ESCAPE not in text:
        return text
    doubled = text.split(_ESCAPE * 2)
    return _ESCAPE.join(each.replace(_NUL, "\0") for each in doubled)
