"""Contexts that were built before: remembered for a while, by everything that they depend on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import TypeVar

from pydantic import BaseModel

from biblicus_context import AnswerCache, MemoryAnswerCache

M = TypeVar("M", bound=BaseModel)
_READABLE = 200


class ContextCache:
    """Of a user's contexts, each is kept for some seconds after its last use."""

    def __init__(self, cache: AnswerCache | None, *, entries: int, seconds: float) -> None:
        self._cache = cache or MemoryAnswerCache(entries)
        self._seconds = seconds
        self._asked = self._hits = 0

    @property
    def hit_rate(self) -> float:
        """The part of all requests that were answered from here."""
        return self._hits / self._asked if self._asked else 0.0

    async def get_or_build(
        self,
        model: type[M],
        user_id: str,
        names: tuple[str, ...],
        versions: object,
        build: Callable[[], Awaitable[M]],
    ) -> M:
        """The context of a user under these names in these versions; no other user can get it."""
        content = repr((user_id, names, versions)).encode(errors="replace")
        readable = "/".join([user_id, *(each[:_READABLE] for each in names)])
        key = f"{_of(user_id)}|{readable}|{blake2b(content, digest_size=16).hexdigest()}"
        self._asked += 1
        known = self._cache.get(key)
        if known is None:
            known = (await build()).model_dump_json().encode()
        else:
            self._hits += 1
        self._cache.put(key, known, self._seconds)
        return model.model_validate_json(known)  # a new object: nobody changes what others get

    def forget_user(self, user_id: str) -> int:
        """Forget the contexts of a user."""
        return self._cache.invalidate(f"{_of(user_id)}|*")

    def invalidate(self, pattern: str) -> int:
        """Forget the contexts whose `user/name/name` matches a pattern with `*`."""
        return self._cache.invalidate(f"*|{pattern}|*")


def _of(user_id: str) -> str:
    """A digest: a name may have the signs of a pattern."""
    return blake2b(user_id.encode(errors="replace"), digest_size=16).hexdigest()
