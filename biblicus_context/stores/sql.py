"""Pieces of SQL; values from outside are only ever bound, never part of the text."""

from __future__ import annotations

from itertools import chain
from typing import Final, NamedTuple


class Sql(NamedTuple):
    """A piece of SQL, and the values that are bound to it."""

    text: str
    values: tuple[object, ...] = ()


ALWAYS: Final = Sql("TRUE")


def all_of(*conditions: Sql) -> Sql:
    """A condition that all of these hold.

    >>> all_of(Sql("a = 1"), ALWAYS, Sql("b IN (?)", (2,)))
    Sql(text='(a = 1) AND (b IN (?))', values=(2,))
    """
    held = [each for each in conditions if each != ALWAYS]
    if not held:
        return ALWAYS
    text = " AND ".join([f"({each.text})" for each in held])
    return Sql(text, tuple(chain.from_iterable([each.values for each in held])))
