"""A Redis or Valkey server: the one place that loads its library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final

from biblicus_context.base.best_effort import BestEffort
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.errors import ContextError, InputError, MissingExtraError

PATIENCE: Final = 0.05
"""Seconds that a caller waits for the server; then it is skipped."""
_FORMAT: Final = "1"
"""Of keys and values; another version of this package reads no values of another format."""
_SCHEMES: Final = ("redis://", "rediss://", "unix://")
_FOR_REMOVALS: Final = 5.0
"""Seconds that a removal waits: what is to be forgotten is not skipped."""


@door
class NotSharedError(ContextError):
    """The server that workers share does not answer, and what was asked cannot be done without it."""

    def __init__(self, why: str) -> None:
        fix = "Try again; if it stays so, look at the Redis server."
        super().__init__(f"the shared state cannot be reached: {why}", fix=fix)


@door
class RedisServer:
    """A Redis or Valkey server, and what this process knows of its health.

    A call that fails, or takes longer than 50 milliseconds, is skipped; so are those after it for half a second,
    then one call tries again. All caches over one server share this, so there is one warning.
    """

    def __init__(self, url: str, *, namespace: str = "bctx", patience: float | None = None) -> None:
        """`url` is `redis://`, `rediss://` (TLS) or `unix://`, and may hold a user and a password.

        Keys start with the `namespace`: servers of two installations may be one.
        """
        if not url.startswith(_SCHEMES):
            # Not the URL: it may hold a password.
            raise InputError(
                "this is not the URL of a Redis server",
                place="url",
                valid=[f"{each}..." for each in _SCHEMES],
            )
        self.namespace = namespace
        patience = PATIENCE if patience is None else patience
        self.calls = BestEffort("cache", self, patience=patience)
        """Makes calls that may be skipped."""
        # Here, as the library takes longer to load than a call may: this connects to nothing yet.
        self._client = _client(url, patience)
        self._patient = _client(url, _FOR_REMOVALS)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(namespace={self.namespace!r})"

    def key(self, kind: str, *names: str) -> str:
        """The key of some names, which stay unreadable: a name may be a text or a secret."""
        return ":".join([self.namespace, _FORMAT, kind, *map(digest, names)])

    def run(self, script: str, keys: Sequence[str], *values: str | bytes | float) -> Any:
        """Run a script, which the server knows by its digest after the first time."""
        return self._client.register_script(script)(keys=[*keys], args=[*values])

    def require(self, script: str, keys: Sequence[str], *values: str | bytes | float) -> Any:
        """Run a script that must not be skipped; a `NotSharedError` if the server does not answer."""
        from redis import RedisError

        try:
            return self._patient.register_script(script)(keys=[*keys], args=[*values])
        except (RedisError, OSError) as error:  # its text may hold the address, with a password
            raise NotSharedError(type(error).__name__) from None

    def sums(self, keys: Sequence[str]) -> dict[str, int]:
        """The sums of the numbers in some hashes, by name."""
        pipeline = self._client.pipeline(transaction=False)
        for key in keys:
            pipeline.hgetall(key)
        found = Counter[str]()
        for each in pipeline.execute():
            found.update({name.decode(): int(number) for name, number in each.items()})
        return dict(found)

    def fields(self, key: str) -> Iterator[str]:
        """The fields of a hash."""
        for field in self._patient.zscan_iter(f"{key}:ends", count=1_000):
            yield field[0].decode(errors="surrogatepass")

    def keys(self, start: str) -> list[str]:
        """The keys that start so; this looks at all keys of the server."""
        found = self._patient.scan_iter(match=f"{_literal(start)}*", count=1_000)
        return [each.decode() for each in found]

    def forget(self, script: str, keys: Sequence[str], *values: str | bytes) -> Any:
        """Run a script that removes something: it is waited for longer."""
        return self._patient.register_script(script)(keys=[*keys], args=[*values])


def _client(url: str, timeout: float) -> Any:
    try:
        from redis import ConnectionError as BrokenError, Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        raise MissingExtraError("redis", "redis") from None
    return Redis.from_url(
        url,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        # A connection that the server closed meanwhile is opened again; a slow one is not tried twice.
        retry=Retry(NoBackoff(), 1, supported_errors=(BrokenError,)),
    )


def redis_at(url: str) -> RedisServer:
    """The server of a URL, one in this process: whoever uses it learns at once that it is down.

    >>> redis_at("redis://localhost") is redis_at("redis://localhost")
    True
    """
    return _SERVERS.get_or_compute(url, lambda: RedisServer(url))


_SERVERS: Final = BoundedMemory[str, RedisServer](64)


def digest(name: str) -> str:
    """A short name for a long one."""
    return blake2b(name.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _literal(text: str) -> str:
    """A text in which no sign means anything in a pattern of Redis."""
    return "".join(f"\\{sign}" if sign in "*?[]^\\" else sign for sign in text)
