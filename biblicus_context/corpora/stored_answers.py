"""Remembered values in a store: they outlive the process, and processes share them."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Callable
from threading import Lock

from biblicus_context.base.checked_names import LONGEST_NAME
from biblicus_context.corpora.answer_cache import matching
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.ingest.records import Record
from biblicus_context.stores import Json
from biblicus_context.stores.principal import Principal

_KIND = "remembered value"
_BETWEEN_CLEANUPS = 100
"""Values that are put between two counts of them."""


class StoredAnswerCache:
    """An `AnswerCache` in a workspace of its own in the store of a corpus.

    The oldest values are forgotten first. Keys that are too long for a store are not kept.
    """

    def __init__(
        self,
        corpus: Corpus,
        max_entries: int = 10_000,
        *,
        workspace: str = "remembered values",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._corpus = corpus.for_principal(Principal(workspace))
        self._most = max_entries
        self._clock = clock
        self._until_cleanup = 0
        self._lock = Lock()

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None if it is unknown or too old."""
        for known in self._corpus.get([key]):
            value, until = known.metadata.get("value"), known.metadata.get("until")
            if isinstance(value, str) and isinstance(until, float) and self._clock() < until:
                try:
                    return b64decode(value, validate=True)
                except Error:  # somebody else wrote it
                    return None
        return None

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long."""
        if not key or len(key) > LONGEST_NAME:
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
        found = matching((each.id for each in self._corpus.documents()), pattern)
        if found:
            self._corpus.remove(found)
        return len(found)

    def _clean_up(self, now: float) -> None:
        known = [(each.metadata, each.id) for each in self._corpus.documents()]
        old = [key for metadata, key in known if float(str(metadata.get("until", 0))) <= now]
        newest = sorted(known, key=lambda each: (-float(str(each[0].get("put", 0))), each[1]))
        gone = {*old, *(key for _, key in newest[self._most :])}
        if gone:
            self._corpus.remove(sorted(gone))
