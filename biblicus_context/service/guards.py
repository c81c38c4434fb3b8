"""What all workers count together: requests of a key, and requests that come twice."""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from starlette.responses import Response

from biblicus_context.base import logger
from biblicus_context.service.callers import Caller
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.problems import refusal
from biblicus_context.service.settings import ServiceSettings
from biblicus_context.shared_state import (
    Claims,
    MemoryClaims,
    MemoryRates,
    NotSharedError,
    Rates,
    RedisClaims,
    RedisRates,
    RedisServer,
)

KEY: Final = "idempotency-key"
_REPLAYED: Final = {"idempotency-replayed": "true"}
_KEPT: Final = 24 * 3600.0
"""Seconds for which the answer of a request is kept."""
_MINUTE: Final = 60.0
_LONGEST: Final = 255
_PATIENCE: Final = 0.25
"""Seconds that a request waits for a rate; then this process counts for itself for a while."""


class Guards:
    """Rates and claims, in Redis if the settings name one, else in this process."""

    def __init__(self, settings: ServiceSettings, *, is_alone: bool = True) -> None:
        """Of several processes without a Redis none `is_alone`, and none knows all requests."""
        url = settings.redis
        server = None if url is None else RedisServer(url, patience=_PATIENCE)
        self._rates: Rates = MemoryRates() if server is None else RedisRates(server)
        self._claims: Claims = (
            MemoryClaims() if server is None else RedisClaims(server, required=True)
        )
        self._limit = settings.limits.requests_a_minute
        self._running = settings.limits.seconds + _MINUTE
        self.is_local = server is None
        """Whether nothing here waits."""
        self._sees_all = is_alone or server is not None

    @property
    def has_rates(self) -> bool:
        """Whether requests of a key are counted."""
        return self._limit is not None

    def take(self, caller: Caller) -> None:
        """Count a request of a key; a 429 if it has made too many."""
        if self._limit is None:
            return
        taken = self._rates.take(caller.owner, caller.key, limit=self._limit, seconds=_MINUTE)
        if not taken.is_allowed:
            after = {"retry-after": str(max(1, math.ceil(taken.retry_after)))}
            problem = f"more than {self._limit:,} requests in a minute"
            fix = "Wait for the seconds of Retry-After."
            raise refusal(429, problem, name="too many requests", fix=fix, headers=after)

    def once(
        self, operation: Operation, call: OperationCall, work: Callable[[], Response]
    ) -> Response:
        """The response of the work; of a second request with the same key that of the first."""
        key = call.headers.get(KEY) if operation.is_write else None
        if key is None:
            return work()
        self._check(key)
        owner, name = call.caller.owner, f"{operation.name} {key}"
        try:
            claim = self._claims.claim(owner, name, _digest(call), seconds=self._running)
        except NotSharedError as error:
            logger("service").error("%s", error)
            problem = "it is not known whether this was done before"
            fix = "Try again after the seconds of Retry-After."
            raise refusal(503, problem, fix=fix, headers={"retry-after": "1"}) from None
        match claim.state:
            case "new":
                try:
                    response = work()
                except BaseException:
                    self._claims.release(owner, name, claim.token)
                    raise
                body = bytes(response.body)
                self._claims.finish(owner, name, claim.token, body, seconds=_KEPT)
                return response
            case "running":
                problem = "the first request with this key is not done yet"
                raise refusal(409, problem, place=f"header.{KEY}", headers={"retry-after": "1"})
            case "other":
                fix = "Use a new key for another request."
                problem = "this key was used for another request"
                raise refusal(422, problem, place=f"header.{KEY}", fix=fix)
        if claim.answer is None:
            problem = "it was done, and its answer was too long to keep"
            raise refusal(409, problem, place=f"header.{KEY}")
        return Response(claim.answer, operation.status, _REPLAYED, operation.media)

    def _check(self, key: str) -> None:
        if not (0 < len(key) <= _LONGEST and key.isascii() and key.isprintable()):
            raise refusal(422, "this is not an idempotency key", place=f"header.{KEY}")
        if not self._sees_all:
            fix = "Set 'redis', or serve with one worker."
            problem = "several workers know of an idempotency key through Redis alone"
            raise refusal(422, problem, place=f"header.{KEY}", fix=fix)


def _digest(call: OperationCall) -> str:
    content = repr((sorted(call.path.items()), call.query)).encode() + call.content
    return blake2b(content, digest_size=16).hexdigest()
