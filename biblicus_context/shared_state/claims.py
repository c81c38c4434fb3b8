"""Claims of requests: who repeats one gets its answer, and does not do it again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias
from uuid import uuid4

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.forks import child_lock

ClaimState: TypeAlias = Literal["new", "running", "done", "other"]

MOST_BYTES: Final = 1024 * 1024
"""Of an answer that is kept; of a longer one only that it was given."""


@dataclass(frozen=True, slots=True)
class RequestClaim:
    """What is known of a request when it comes."""

    state: ClaimState
    """`new`: nobody did it, and it is now the caller's to do. `running`: another one does it. `done`:
    it was done. `other`: the same key was used for another request."""
    token: str = ""
    """Of a new claim: who has it may finish or release it."""
    answer: bytes | None = None
    """Of a request that was done; None if the answer was too long to keep."""


class Claims(Protocol):
    """Claims of requests by idempotency key; threads, and maybe processes, may call it at once.

    A claim that is neither finished nor released ends after its seconds: who had it is gone.
    """

    def claim(self, owner: str, key: str, request: str, *, seconds: float) -> RequestClaim:
        """Claim a request of an owner; `request` is what must be the same when the key is used again.

        No owner learns of the keys of another.
        """
        ...

    def finish(self, owner: str, key: str, token: str, answer: bytes, *, seconds: float) -> bool:
        """Keep the answer of a request for that long; False if the claim had ended."""
        ...

    def release(self, owner: str, key: str, token: str) -> None:
        """Give up a claim, such as one of a request that failed: the next one does it."""
        ...


@dataclass(frozen=True, slots=True)
class _Known:
    request: str
    token: str
    until: float
    is_done: bool = False
    answer: bytes | None = None


@door
class MemoryClaims:
    """Claims in the memory of this process, the least recently used forgotten first."""

    def __init__(
        self, entries: int = 10_000, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._known = BoundedMemory[tuple[str, str], _Known](entries)
        self._clock = clock
        self._lock = child_lock()

    def claim(self, owner: str, key: str, request: str, *, seconds: float) -> RequestClaim:
        """Claim a request of an owner."""
        with self._lock:
            known = self._living(owner, key)
            if known is None:
                token = uuid4().hex
                self._known.put((owner, key), _Known(request, token, self._clock() + seconds))
                return RequestClaim("new", token)
        if known.request != request:
            return RequestClaim("other")
        return (
            RequestClaim("done", answer=known.answer) if known.is_done else RequestClaim("running")
        )

    def finish(self, owner: str, key: str, token: str, answer: bytes, *, seconds: float) -> bool:
        """Keep the answer of a request for that long; False if the claim had ended."""
        with self._lock:
            known = self._living(owner, key)
            if known is None or known.token != token or known.is_done:
                return False
            kept = answer if len(answer) <= MOST_BYTES else None
            until = self._clock() + seconds
            self._known.put(
                (owner, key), _Known(known.request, token, until, is_done=True, answer=kept)
            )
            return True

    def release(self, owner: str, key: str, token: str) -> None:
        """Give up a claim."""
        with self._lock:
            known = self._living(owner, key)
            if known is not None and known.token == token and not known.is_done:
                self._known.forget((owner, key))

    def _living(self, owner: str, key: str) -> _Known | None:
        known = self._known.get((owner, key))
        return known if known is not None and self._clock() < known.until else None
