"""The cache that a corpus declares: answers and vectors of questions in Redis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from biblicus_context.base.connections import connection_url
from biblicus_context.corpora.answer_cache import SteadyCache
from biblicus_context.shared_state import RedisAnswerCache, RedisVectors
from biblicus_context.shared_state.redis_server import redis_at
from biblicus_context.spec.corpus import REDIS

_SHARED: Final = 1
"""The bound of a cache in this process, which is not used."""


class CorpusCache:
    """Made with the corpus, and not when it is first searched: what a program removes is forgotten there too."""

    def __init__(self, written: str, corpus: str) -> None:
        self._server = redis_at(connection_url(written, REDIS, place=f"corpus '{corpus}' cache"))
        self._answers = RedisAnswerCache(self._server)
        self.answers: Final = SteadyCache(self._answers, _SHARED)

    def vectors(self, workspace: str) -> RedisVectors:
        """The vectors of questions of a workspace."""
        return RedisVectors(self._server, workspace)

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Hits and misses of the last seven days by what is remembered, of all processes; empty while
        the server is away."""
        known: Mapping[str, Mapping[str, int]] = self._server.calls.call(
            lambda: {"answers": self._answers.counts(), "vectors": self.vectors("").counts()},
            otherwise={},
        )
        return known
