"""Answers that cost something to get, remembered by what was asked."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final, TypeAlias

from biblicus_context.text.compactors.request import CompactionRequest

Key: TypeAlias = tuple[bytes, int, str, str]

_MOST_REMEMBERED: Final = 256


class Answers:
    """The latest answers; a long text is remembered by its digest."""

    def __init__(self) -> None:
        self._texts: OrderedDict[Key, str] = OrderedDict()
        self._lock = Lock()

    def get(self, request: CompactionRequest) -> str | None:
        """The answer to this request, if it was given before."""
        with self._lock:
            key = _key(request)
            if key in self._texts:
                self._texts.move_to_end(key)
            return self._texts.get(key)

    def put(self, request: CompactionRequest, answer: str) -> None:
        """Remember an answer, and forget the one that was not asked for the longest."""
        with self._lock:
            self._texts[_key(request)] = answer
            if len(self._texts) > _MOST_REMEMBERED:
                self._texts.popitem(last=False)


def _key(request: CompactionRequest) -> Key:
    import hashlib  # noqa: PLC0415 - loads OpenSSL, and few calls need it

    digest = hashlib.blake2b(request.text.encode(errors="surrogatepass"), digest_size=16).digest()
    return digest, request.max_tokens, request.query, request.counter.name
