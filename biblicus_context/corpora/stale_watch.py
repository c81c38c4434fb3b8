"""Tells that a corpus has files which its index does not know."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from biblicus_context.base.forks import child_lock
from biblicus_context.base.logs import logger
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.errors import remedy
from biblicus_context.corpora.staleness import Staleness, measure_staleness
from biblicus_context.errors import ContextError

_SECONDS: Final = 60.0
_PART_OF_TIME: Final = 0.01
"""The part of the time that comparing files with the index may take."""


class StaleWatch:
    """Compares the files of a corpus with its index: at the first request, then now and then.

    A walk through a large folder takes long, so it is repeated after a minute at the earliest, and
    takes 1 % of the time at most.
    """

    def __init__(self, corpus: Corpus, clock: Callable[[], float] = time.monotonic) -> None:
        self._corpus = corpus
        self._clock = clock
        self._next = float("-inf")
        self._known: str | None = None
        self._lock = child_lock()

    def warning(self) -> str | None:
        """What a receipt has to say; None if the index is up to date, or nobody can know."""
        with self._lock:
            began = self._clock()
            if began >= self._next:
                self._known = self._measured()
                if self._known is not None:
                    logger("corpora").warning("%s", self._known)
                took = self._clock() - began
                self._next = began + max(_SECONDS, took / _PART_OF_TIME)
            return self._known

    def _measured(self) -> str | None:
        try:
            found = measure_staleness(self._corpus)
        except (OSError, ContextError):  # what prevents a search is raised by the search
            return None
        if found is None or not found.is_stale:
            return None
        return _said(self._corpus, found)


def _said(corpus: Corpus, found: Staleness) -> str:
    kinds = {"new": found.new, "changed": found.changed, "removed": found.gone}
    listed = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    noun = "file" if corpus.history is None else "commit"
    nouns = noun if sum(kinds.values()) == 1 else f"{noun}s"
    command = remedy(corpus.name, corpus.root)
    return f"the index of corpus '{corpus.name}' is stale ({listed} {nouns}). {command}"
