"""Remembered values in a store: they outlive the process, and processes share them."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Final

from biblicus_context.base.checked_names import name_problem
from biblicus_context.base.doors import door
from biblicus_context.base.star_patterns import matching
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.ingest.records import Record
from biblicus_context.stores import VALUES, Json, kept_keys

_KIND = "remembered value"
_PATIENCE: Final = 0.5
"""Seconds that a read of the values may take until what was forgotten is erased."""
_BETWEEN_CLEANUPS = 100
"""Values that are put between two counts of them."""


@door
class StoredAnswerCache:
    """An `AnswerCache` in a workspace of its own (`remembered values`) in the store of a corpus.

    The oldest values are forgotten first. What is removed from any workspace of the same store takes
    along the values that are remembered of that workspace. What has a key that a store does not take (too long, with a
    null character or half of a surrogate pair) is not kept, and what somebody else wrote is unknown.
    """

    def __init__(
        self,
        corpus: Corpus,
        max_entries: int = 10_000,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._corpus = corpus.for_principal(VALUES)
        self._most = max_entries
        self._clock = clock
        self._until_cleanup = 0
        self._lock = Lock()

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None if it is unknown or too old."""
        for known in self._corpus.get([key]):
            value = known.metadata.get("value")
            if isinstance(value, str) and self._clock() < _second(known.metadata, "until"):
                try:
                    return b64decode(value, validate=True)
                except ValueError:  # somebody else wrote it
                    return None
        return None

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long."""
        if name_problem(key):
            return
        now = self._clock()
        known: dict[str, Json] = {
            "value": b64encode(value).decode(),
            "until": float(now + seconds),
            "put": now,
        }
        self._corpus.put([Record(id=key, kind=_KIND, metadata=known)])
        with self._lock:
            self._until_cleanup -= 1
            is_due = self._until_cleanup < 0
            if is_due:
                self._until_cleanup = min(_BETWEEN_CLEANUPS, self._most)
        if is_due:
            self._clean_up(now)

    def invalidate(self, pattern: str) -> int:
        """Forget the keys that match a pattern with `*`, and return how many these were."""
        store = self._corpus.index.open_store(create=True)
        found = matching(kept_keys(store, pattern.partition("*")[0]), pattern)
        if found:
            self._corpus.remove(found)
        # A StillReadError where a read of the values has not ended: what is forgotten is in no file.
        self._corpus.purge(_PATIENCE)
        return len(found)

    def _clean_up(self, now: float) -> None:
        known = [(each.metadata, each.id) for each in self._corpus.documents()]
        old = [key for metadata, key in known if _second(metadata, "until") <= now]
        newest = sorted(known, key=lambda each: (-_second(each[0], "put"), each[1]))
        gone = {*old, *(key for _, key in newest[self._most :])}
        if gone:
            self._corpus.remove(sorted(gone))


def _second(metadata: Mapping[str, Json], name: str) -> float:
    """A point in time; what somebody else wrote is of long ago."""
    value = metadata.get(name)
    return value if isinstance(value, float) else 0.0
