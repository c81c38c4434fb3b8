"""Results that were computed before: remembered for a while, by everything that they depend on."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from hashlib import blake2b
from typing import TypeVar
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from biblicus_context.base import SingleFlight, __version__, door
from biblicus_context.corpora import AnswerCache, SteadyCache
from biblicus_context.errors import InputError
from biblicus_context.stores import key_start

M = TypeVar("M", bound=BaseModel)
_READABLE = 200
_WAS_HIT = ContextVar("whether the last result was remembered", default=False)


@door
class ResultCache:
    """Remembers models of users, each for some seconds after its last use.

    They are kept as JSON in an `AnswerCache`, which processes may share: nobody can change what
    others get.
    """

    def __init__(
        self,
        cache: AnswerCache | None = None,
        *,
        entries: int,
        seconds: float,
        scope: object = None,
        workspace_of: Callable[[str], str] = str,
    ) -> None:
        """`entries` are those of a cache in this process, where none is passed.

        `workspace_of` says which workspace has what the results of a user are made of: what is
        removed from it takes them along.

        `scope` is what every result depends on, such as a plan and its settings. If something in it
        is not data, such as a function, no other `ResultCache` shares the results.
        """
        self._cache = SteadyCache(cache, entries)
        self._flights = SingleFlight[str, bytes]()
        self._seconds = seconds
        self._workspace_of = workspace_of
        own = uuid4().hex
        # Another version of this package may build and write the same results in another way.
        self._scope = json.dumps([__version__, scope], sort_keys=True, default=lambda _: own)
        self._asked = self._hits = 0

    @property
    def hit_rate(self) -> float:
        """The part of all requests that were answered from here."""
        return self._hits / self._asked if self._asked else 0.0

    @property
    def was_hit(self) -> bool:
        """Whether the last result that the current task got was remembered."""
        return _WAS_HIT.get()

    async def get_or_build(
        self,
        model: type[M],
        user_id: str,
        names: Mapping[str, str],
        versions: object,
        build: Callable[[], Awaitable[M]],
    ) -> M:
        """The result of a user for these texts in these versions; no other user can get it.

        Pass versions that were read before the build: what is written meanwhile makes new ones.
        """
        for name, each in {"user_id": user_id, **names}.items():
            if not isinstance(each, str):
                raise InputError("a text is expected", place=name, found=each)
        content = repr((self._scope, user_id, [*names.items()], versions)).encode(errors="replace")
        readable = "/".join([user_id, *(each[:_READABLE] for each in names.values())])
        key = f"{self._start(user_id)}{readable}|{blake2b(content, digest_size=16).hexdigest()}"
        self._asked += 1
        is_new = False

        async def make(_: object) -> list[bytes]:
            nonlocal is_new
            value = await self._cache.aget(key)
            # Bytes that are none of the model are unknown: a shared cache may be anybody's.
            if value is None or _read(model, value) is None:
                is_new = True
                value = (await build()).model_dump_json().encode()
            await self._cache.aput(key, value, self._seconds)
            return [value]

        # Who asks while it is built waits for it: twenty equal calls at once are one build.
        known = await self._flights.aget([key], make)
        self._hits += not is_new
        _WAS_HIT.set(not is_new)
        return model.model_validate_json(known[key])

    def _start(self, user_id: str) -> str:
        return key_start(self._workspace_of(user_id))

    async def forget_user(self, user_id: str) -> None:
        """Forget the results of a user, unless the cache cannot be reached: then they age."""
        await self._cache.forget(f"{self._start(user_id)}*")

    def invalidate(self, pattern: str | None = None) -> int:
        """Forget the results with this text in their `user/text/text`; a `*` in it is any text.

        Without a text, all are forgotten.
        """
        if not isinstance(pattern, str | None):
            raise InputError("a text is expected", place="pattern", found=pattern)
        pattern = pattern or ""
        return self._cache.invalidate(f"*|*{pattern}*|*")


def _read(model: type[M], value: bytes) -> M | None:
    try:
        return model.model_validate_json(value)
    except (ValidationError, TypeError):
        return None
