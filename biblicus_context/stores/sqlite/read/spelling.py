"""Stems of the collection that may be spelt like the terms of a query."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.ranking.spelling import MOST_COMPARED, StemIndex, sharing, trigrams
from biblicus_context.stores.sqlite.read.filtered_rows import integers
from biblicus_context.stores.sqlite.write import vocabulary

_HOLDING: Final = "SELECT group_concat(doc) FROM spelling_places WHERE term = ?"
_STEMS: Final = "SELECT row, stem FROM stems WHERE row IN (SELECT value FROM json_each(?))"


def spelt_like(connection: sqlite3.Connection, stems: Sequence[str]) -> dict[str, list[str]]:
    """For each stem those that share a fifth of its trigrams: any of four letters with one mistake does.

    A long query over a corpus of words that are all alike, such as order numbers, has candidates by
    the million. Then those that share most are compared, as many for each stem.
    """
    known = (
        _Listed(connection)
        if vocabulary.is_complete(connection)
        else StemIndex(vocabulary.listed(connection))
    )
    most = max(1, MOST_COMPARED // max(1, len(stems)))
    rows = {each: sharing(known.holding(trigrams(each)), each, most) for each in stems}
    texts = known.texts({row for own in rows.values() for row in own})
    return {each: [texts[row] for row in own if row in texts] for each, own in rows.items()}


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
