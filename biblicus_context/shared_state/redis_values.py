"""Values in Redis that are remembered for a while: answers and vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias
from weakref import WeakMethod

from biblicus_context.base.best_effort import BestEffort
from biblicus_context.base.doors import door
from biblicus_context.base.forks import child_lock
from biblicus_context.base.star_patterns import matching
from biblicus_context.shared_state.redis_server import RedisServer

MOST_BYTES: Final = 1024 * 1024
"""Of a value; a longer one is not kept."""
_LONGEST_KEY: Final = 8 * 1024
_DAYS: Final = 7
"""Days that hits are counted for."""
_SECONDS_OF_COUNTS: Final = (_DAYS + 1) * 24 * 3600

# Values are the fields of a hash, and a sorted set says until when: so all of an owner is removed at once,
# also while the server evicts keys. Where it evicted one of both, they do not belong together any more.
_GET: Final = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local found, hits = {}, 0
for at, field in ipairs(ARGV) do
  if at > 1 then
    local ends = redis.call('ZSCORE', KEYS[2], field)
    local value = ends and tonumber(ends) > now and redis.call('HGET', KEYS[1], field)
    if value then hits = hits + 1 end
    found[at - 1] = value or false
  end
end
redis.call('HINCRBY', KEYS[3], 'hits', hits)
redis.call('HINCRBY', KEYS[3], 'misses', #ARGV - 1 - hits)
redis.call('EXPIRE', KEYS[3], ARGV[1])
return found
"""
_PUT: Final = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
if redis.call('HLEN', KEYS[1]) ~= redis.call('ZCARD', KEYS[2]) then redis.call('UNLINK', KEYS[1], KEYS[2]) end
local most, seconds = tonumber(ARGV[1]), tonumber(ARGV[2])
for at = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  redis.call('ZADD', KEYS[2], now + seconds, ARGV[at])
end
local gone = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)
local over = redis.call('ZCARD', KEYS[2]) - #gone - most
if over > 0 then
  for _, field in ipairs(redis.call('ZRANGE', KEYS[2], #gone, #gone + over - 1)) do table.insert(gone, field) end
end
for _, field in ipairs(gone) do
  redis.call('HDEL', KEYS[1], field)
  redis.call('ZREM', KEYS[2], field)
end
local ends = math.ceil(math.max(redis.call('TTL', KEYS[1]), seconds))
redis.call('EXPIRE', KEYS[1], ends)
redis.call('EXPIRE', KEYS[2], ends)
"""
_FORGET: Final = """
local before = redis.call('HLEN', KEYS[1])
if #ARGV == 0 then
  redis.call('UNLINK', KEYS[1], KEYS[2])
  return before
end
for _, field in ipairs(ARGV) do
  redis.call('HDEL', KEYS[1], field)
  redis.call('ZREM', KEYS[2], field)
end
return before - redis.call('HLEN', KEYS[1])
"""


class Lookups:
    """What this process found in shared caches and did not find, for whoever counts it."""

    def __init__(self) -> None:
        self._lock = child_lock()
        self._watching: list[WeakMethod[_Watch]] = []

    def watch(self, method: _Watch) -> None:
        """Tell a method of an object, as long as there is the object."""
        with self._lock:
            self._watching = [each for each in self._watching if each() is not None]
            self._watching.append(WeakMethod(method))

    def note(self, kind: str, hits: int, misses: int) -> None:
        """Tell them all."""
        for each in self._watching:
            method = each()
            if method is not None:
                method(kind, hits, misses)


_Watch: TypeAlias = Callable[[str, int, int], None]
LOOKUPS: Final = Lookups()
"""Of this process."""


class _Values:
    """Values of one kind: each owner has a hash with its own bound."""

    def __init__(self, server: RedisServer, kind: str, most: int) -> None:
        self._server = server
        self._kind = kind
        self._most = most

    def get(self, names: Sequence[str], fields: Sequence[bytes]) -> list[bytes | None]:
        keys = [*self._keys_of(names), self._counts_of(datetime.now(UTC))]
        found: list[bytes | None] = self._server.run(_GET, keys, _SECONDS_OF_COUNTS, *fields)
        missing = found.count(None)
        LOOKUPS.note(self._kind, len(found) - missing, missing)
        return found

    def put(self, names: Sequence[str], values: Mapping[bytes, bytes], seconds: float) -> None:
        kept = [(key, value) for key, value in values.items() if len(value) <= MOST_BYTES]
        if kept:
            written = [each for pair in kept for each in pair]
            self._server.run(_PUT, self._keys_of(names), self._most, seconds, *written)

    def forget(self, names: Sequence[str]) -> int:
        return int(self._server.forget(_FORGET, self._keys_of(names)))

    def forget_matching(self, pattern: str, names: Sequence[str] | None) -> int:
        """Forget the fields that match; without names, those of all owners."""
        keys = [self._keys_of(names)[0]] if names is not None else self._all()
        return sum(self._forget_fields(key, pattern) for key in keys)

    def counts(self) -> Mapping[str, int]:
        """Hits and misses of the last seven days."""
        now = datetime.now(UTC)
        days = [self._counts_of(now - timedelta(days=before)) for before in range(_DAYS)]
        return {"hits": 0, "misses": 0} | self._server.sums(days)

    def _forget_fields(self, key: str, pattern: str) -> int:
        gone = matching(self._server.fields(key), pattern)
        if not gone:
            return 0
        fields = [each.encode(errors="surrogatepass") for each in gone]
        return int(self._server.forget(_FORGET, [key, f"{key}:ends"], *fields))

    def _all(self) -> list[str]:
        start = self._server.key(self._kind)
        return [each for each in self._server.keys(f"{start}:") if not each.endswith(":ends")]

    def _keys_of(self, names: Sequence[str]) -> list[str]:
        key = self._server.key(self._kind, *names)
        return [key, f"{key}:ends"]

    def _counts_of(self, day: datetime) -> str:
        return f"{self._server.key('counts')}:{self._kind}:{day:%Y-%m-%d}"


@door
class RedisAnswerCache:
    """An `AnswerCache` in Redis: answers and results that processes and machines share.

    What is remembered of a workspace is one entry of the server, with a bound of its own: a tenant evicts
    nothing of another, and what is removed takes all of it along in one step.
    """

    def __init__(self, server: RedisServer, max_entries: int = 1_000) -> None:
        """`max_entries` is the number of answers of one workspace at most: the oldest are forgotten first."""
        self._values = _Values(server, "answers", max_entries)
        self.calls: BestEffort = server.calls

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None if it is unknown or too old."""
        return self._values.get(_owner(key), [key.encode(errors="surrogatepass")])[0]

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long, unless it has more than a megabyte."""
        field = key.encode(errors="surrogatepass")
        if len(field) <= _LONGEST_KEY:
            self._values.put(_owner(key), {field: value}, seconds)

    def invalidate(self, pattern: str) -> int:
        """Forget the keys that match a pattern with `*`, and return how many these were."""
        start, _, rest = pattern.partition("*")
        owner, bar, key = start.partition("|")
        if not bar:
            return self._values.forget_matching(pattern, None)
        if not key and not rest and pattern.endswith("*"):
            return self._values.forget([owner])
        return self._values.forget_matching(pattern, [owner])

    def counts(self) -> Mapping[str, int]:
        """Hits and misses of the last seven days, of all processes."""
        return self._values.counts()


@door
class RedisVectors:
    """A `VectorMemory` in Redis for the members of one workspace; no other one learns what they asked."""

    def __init__(
        self,
        server: RedisServer,
        workspace: str,
        *,
        max_entries: int = 10_000,
        seconds: float = 7 * 24 * 3600,
    ) -> None:
        """`max_entries` is the number of vectors of each model at most."""
        self._values = _Values(server, "vectors", max_entries)
        self._workspace = workspace
        self._seconds = seconds
        self.calls: BestEffort = server.calls

    def remembered(self, model: str, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """The known vectors by key."""
        found = self._values.get([self._workspace, model], keys)
        return {key: row for key, row in zip(keys, found, strict=True) if row is not None}

    def remember(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Store vectors by key."""
        self._values.put([self._workspace, model], vectors, self._seconds)

    def counts(self) -> Mapping[str, int]:
        """Hits and misses of the last seven days, of all processes."""
        return self._values.counts()


def _owner(key: str) -> list[str]:
    """Whose a key is: what is remembered of a workspace starts with its digest and a bar."""
    owner, bar, _ = key.partition("|")
    return [owner if bar else ""]
