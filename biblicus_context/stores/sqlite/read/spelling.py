"""Stems of the collection that may be spelt like the terms of a query."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.sqlite.read.filtered_rows import integers
from biblicus_context.stores.sqlite.write import vocabulary

_HOLDING: Final = "SELECT group_concat(doc) FROM spelling_places WHERE term = ?"
_STEMS: Final = "SELECT row, stem FROM stems WHERE row IN (SELECT value FROM json_each(?))"
_MOST_COMPARED: Final = 500_000
"""Pairs of a term and a stem that one query compares: a twentieth of a second."""


def spelt_like(connection: sqlite3.Connection, stems: Sequence[str]) -> dict[str, list[str]]:
    """For each stem those that share a fifth of its trigrams: any of four letters with one mistake does.

    A long query over a corpus of words that are all alike, such as order numbers, has candidates by
    the million. Then those that share most are compared, as many for each stem.
    """
    known = _Listed(connection) if vocabulary.is_complete(connection) else _Read(connection)
    most = max(1, _MOST_COMPARED // max(1, len(stems)))
    rows = {each: _sharing(known.holding(trigrams(each)), each, most) for each in stems}
    texts = known.texts({row for own in rows.values() for row in own})
    return {each: [texts[row] for row in own if row in texts] for each, own in rows.items()}


def _sharing(found: Sequence[Integers], stem: str, most: int) -> list[int]:
    """The rows that are in a fifth of these lists, those in most of them first."""
    shared = np.bincount(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero((shared > 0) & (shared * 5 >= len(trigrams(stem))))
    if len(rows) > most:
        # Stable, so that the same stems are taken each time.
        rows = rows[np.argsort(-shared[rows], kind="stable")[:most]]
    listed: list[int] = rows.tolist()
    return listed


class _Listed:
    """The stems of the table, by trigram; terms that are alike have most of their trigrams in common."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, Integers] = {}

    def holding(self, wanted: Iterable[str]) -> list[Integers]:
        """The rows of the stems with each trigram."""
        for each in wanted:
            if each not in self._known:
                (rows,) = self._connection.execute(_HOLDING, (each,)).fetchone()
                self._known[each] = integers(rows)
        return [self._known[each] for each in wanted]

    def texts(self, rows: Iterable[int]) -> Mapping[int, str]:
        """The stems of rows."""
        return dict(self._connection.execute(_STEMS, (json.dumps(sorted(rows)),)).fetchall())


class _Read:
    """The same of all stems, read once a query, while the table lacks those of a large batch."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._stems = vocabulary.listed(connection)
        holding = defaultdict[str, list[int]](list)
        for row, stem in enumerate(self._stems):
            for each in trigrams(stem):
                holding[each].append(row)
        self._holding = {each: np.array(rows, dtype=np.int64) for each, rows in holding.items()}

    def holding(self, wanted: Iterable[str]) -> list[Integers]:
        """The places of the stems with each trigram."""
        return [self._holding[each] for each in wanted if each in self._holding]

    def texts(self, rows: Iterable[int]) -> Mapping[int, str]:
        """The stems at places."""
        return {row: self._stems[row] for row in rows}


def trigrams(stem: str) -> set[str]:
    """The runs of three letters of a stem, with the spaces around it."""
    padded = f"  {stem} "
    return {padded[n : n + 3] for n in range(len(padded) - 2)}
