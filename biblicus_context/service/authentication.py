"""Lets callers in: with a key, with a JSON Web Token, or without either on this machine alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from biblicus_context.base import BoundedMemory
from biblicus_context.service.callers import Caller
from biblicus_context.service.keys import START, KeyFile
from biblicus_context.service.problems import refusal
from biblicus_context.service.requests import HttpRequest
from biblicus_context.service.scopes import KeyScope
from biblicus_context.service.web_tokens import WebTokens

_FIX: Final = "Send 'Authorization: Bearer KEY' or 'X-API-Key: KEY' with a key of this server."
_CHALLENGE: Final = {"www-authenticate": 'Bearer realm="biblicus-context"'}
_ADDRESSES: Final = 10_000
_FREE: Final = 3
"""Failed attempts of an address that are answered at once."""
_SLOWEST: Final = 2.0
"""Seconds that a failed attempt waits for its answer at most."""
_FORGOTTEN: Final = 300.0
"""Seconds after which the failed attempts of an address no longer count."""
_MOST_WAITING: Final = 64
"""Failed attempts that wait at the same time; another one is refused without an answer to its key."""


class Authentication:
    """Says who asks. Without keys and tokens only this machine may, as one principal."""

    def __init__(
        self,
        keys: KeyFile | None = None,
        tokens: WebTokens | None = None,
        local: Caller | None = None,
    ) -> None:
        self._keys, self._tokens = keys, tokens
        self._local = local
        self._failures = BoundedMemory[str, tuple[int, float]](_ADDRESSES)
        self._waiting = 0
        self.on_failure: Callable[[], None] = lambda: None
        """Is called for each failed attempt."""

    @property
    def is_open(self) -> bool:
        """Whether everybody on this machine may ask."""
        return self._keys is None and self._tokens is None

    async def caller(self, request: HttpRequest) -> Caller:
        """Who asks; a 401 if nobody knows."""
        if self.is_open:
            return self._on_this_machine(request)
        given = _given(request)
        if given is None:
            raise refusal(401, "a key is required", fix=_FIX, headers=_CHALLENGE)
        if given.startswith(START) or self._tokens is None:
            found = self._keys.caller(given) if self._keys else None
        else:
            found = self._tokens.caller(given)
        if found is None:
            await self._slowed(request.address)
            raise refusal(401, "this key is not valid", fix=_FIX, headers=_CHALLENGE)
        return found

    def _on_this_machine(self, request: HttpRequest) -> Caller:
        if not is_loopback(request.address):
            fix = "Start the service with --keys FILE."
            raise refusal(403, "without keys only this machine may ask", fix=fix)
        return self._local or Caller()

    async def _slowed(self, address: str) -> None:
        """Wait longer with each failed attempt of an address; few may wait at once."""
        self.on_failure()
        now = time.monotonic()
        times, last = self._failures.get(address) or (0, now)
        times = 1 if now - last > _FORGOTTEN else times + 1
        self._failures.put(address, (times, now))
        if times <= _FREE:
            return
        if self._waiting >= _MOST_WAITING:
            raise refusal(429, "too many failed attempts", headers={"retry-after": "10"})
        self._waiting += 1
        try:
            await asyncio.sleep(min(_SLOWEST, 0.1 * 2 ** (times - _FREE - 1)))
        finally:
            self._waiting -= 1


def require_scope(caller: Caller, scope: KeyScope | None) -> None:
    """Refuse a caller whose key does not allow this."""
    if scope is not None and not caller.may(scope):
        held = sorted(each.value for each in caller.scopes)
        fix = (
            f"Use a key with the scope '{scope.value}'; this one has: {', '.join(held) or 'none'}."
        )
        raise refusal(403, "this key does not allow that", fix=fix)


def user_of(caller: Caller) -> str:
    """The user of a caller; a 403 where the key names a whole workspace."""
    user = caller.principal.user
    if user is None:
        fix = "Use a key of a user ('key create --as NAME'), or 'serve --as NAME'."
        raise refusal(403, "this needs a user, and the key names none", fix=fix)
    return user


@lru_cache(maxsize=1_024)
def is_loopback(address: str) -> bool:
    """Whether an address is of this machine; a unix socket has none, and is."""
    try:
        found = ip_address(address)
    except ValueError:
        return address in ("", "localhost", "testclient")
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def _given(request: HttpRequest) -> str | None:
    """The key or token of a request. Never from its address: addresses are in logs."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return value.strip()
    return request.headers.get("x-api-key") or None
