"""The rows of blocks that were handed out lately, so that the next read need not look them up."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from threading import Lock
from typing import Final

from biblicus_context.stores.sqlite.reader import rows_of
from biblicus_context.stores.sqlite.reading import Reading

_VIEWS: Final = 8
_BLOCKS: Final = 10_000
"""Rows that are known of a view: what a few questions find, each of which asks for it again."""


class Handed:
    """Rows by id for each view: what these eyes could see of a version stays visible in it."""

    def __init__(self) -> None:
        self._views: OrderedDict[Hashable, dict[str, int]] = OrderedDict()
        self._lock = Lock()

    def note(self, reading: Reading, rows: Mapping[str, int]) -> None:
        """Remember rows that this reading has found to be visible."""
        view = (reading.eyes, reading.at)
        with self._lock:
            known = self._views.pop(view, {})
            self._views[view] = known if len(known) < _BLOCKS else {}
            self._views[view].update(rows)
            if len(self._views) > _VIEWS:
                self._views.popitem(last=False)

    def rows_of(self, reading: Reading, ids: Sequence[str]) -> dict[str, int]:
        """The rows of those of these blocks that may be seen."""
        with self._lock:
            known = self._views.get((reading.eyes, reading.at), {})
            rows = {each: known[each] for each in ids if each in known}
        others = [each for each in ids if each not in rows]
        return rows | rows_of(reading, others) if others else rows
