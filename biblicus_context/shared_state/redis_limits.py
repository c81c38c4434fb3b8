"""Claims and rates in Redis, which all workers share."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any, Final, cast

from biblicus_context.base.doors import door
from biblicus_context.shared_state.claims import MOST_BYTES, ClaimState, MemoryClaims, RequestClaim
from biblicus_context.shared_state.rates import MemoryRates, Taken
from biblicus_context.shared_state.redis_server import NotSharedError, RedisServer, digest

_CLAIM: Final = """
local known = redis.call('HMGET', KEYS[1], 'request', 'state', 'answer')
if not known[1] then
  redis.call('HSET', KEYS[1], 'request', ARGV[1], 'state', 'running', 'token', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'new', false}
end
if known[1] ~= ARGV[1] then return {'other', false} end
return {known[2], known[3]}
"""
_FINISH: Final = """
local known = redis.call('HMGET', KEYS[1], 'token', 'state')
if known[1] ~= ARGV[1] or known[2] ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'state', 'done')
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], 'answer', ARGV[2]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
"""
_RELEASE: Final = """
local known = redis.call('HMGET', KEYS[1], 'token', 'state')
if known[1] == ARGV[1] and known[2] == 'running' then redis.call('DEL', KEYS[1]) end
"""
# As `rates._taken`, in microseconds and with the server's own clock: those of workers differ.
_TAKE: Final = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local each = window / limit
local before = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local after = before + each
local wait = after - now - window
if wait > each * 0.000001 then return {0, 0, math.ceil(wait)} end
redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil((after - now) / 1000) + 1)
return {1, math.floor((window - (after - now)) / each + 0.000001), 0}
"""


@door
class RedisClaims:
    """Claims of requests that all workers see. Keys and requests are kept as digests.

    While the server is down, each worker sees its own claims, so that a request may be done twice; with
    `required=True` a claim is a `NotSharedError` then, and its caller tries again later.
    """

    def __init__(self, server: RedisServer, *, required: bool = False) -> None:
        self._server = server
        self._is_required = required
        self._own = MemoryClaims()

    def claim(self, owner: str, key: str, request: str, *, seconds: float) -> RequestClaim:
        """Claim a request of an owner."""
        own = self._own.claim(owner, key, request, seconds=seconds)
        if own.state != "new":  # claimed here, maybe while the server was down
            return own
        values = digest(request), own.token, _milliseconds(seconds)
        at = self._server.key("claim", owner, key)
        try:
            found = self._run(_CLAIM, at, *values)
        except NotSharedError:
            self._own.release(owner, key, own.token)
            raise
        if found is None:
            return own
        state = cast("ClaimState", found[0].decode())
        if state == "new":
            return own
        self._own.release(owner, key, own.token)
        return RequestClaim(state, answer=found[1])

    def finish(self, owner: str, key: str, token: str, answer: bytes, *, seconds: float) -> bool:
        """Keep the answer of a request for that long; False if the claim had ended."""
        is_short = len(answer) <= MOST_BYTES
        kept = answer if is_short else b""
        values = token, kept, _milliseconds(seconds), str(int(is_short))
        at = self._server.key("claim", owner, key)
        try:
            done = self._run(_FINISH, at, *values)
        except NotSharedError:  # it is done: whoever repeats it here gets its answer
            done = None
        if done is None:
            return self._own.finish(owner, key, token, answer, seconds=seconds)
        self._own.release(owner, key, token)
        return bool(done)

    def release(self, owner: str, key: str, token: str) -> None:
        """Give up a claim."""
        self._own.release(owner, key, token)
        at = self._server.key("claim", owner, key)
        with suppress(NotSharedError):
            self._run(_RELEASE, at, token)

    def _run(self, script: str, key: str, *values: str | bytes | float) -> Any:
        """What the script returns; None if the server does not answer, and need not."""
        if self._is_required:
            return self._server.require(script, [key], *values)
        return self._server.calls.call(
            partial(self._server.run, script, [key], *values), otherwise=None
        )


@door
class RedisRates:
    """Rates that all workers share; while the server is down, each worker counts its own."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._own = MemoryRates()

    def take(self, owner: str, key: str, *, limit: int, seconds: float) -> Taken:
        """Take one of `limit` requests that a key of an owner may make within `seconds`."""
        at = self._server.key("rate", owner, key, f"{limit}/{seconds}")
        values = limit, round(seconds * 1_000_000)
        found = self._server.calls.call(
            partial(self._server.run, _TAKE, [at], *values), otherwise=None
        )
        if found is None:
            return self._own.take(owner, key, limit=limit, seconds=seconds)
        is_allowed, remaining, wait = found
        return Taken(bool(is_allowed), remaining, wait / 1_000_000)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1_000))
