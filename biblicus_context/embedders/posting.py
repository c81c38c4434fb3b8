"""One request to a server: retried where that may help, within a total time limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biblicus_context.errors import EmbedderError, MissingExtraError

if TYPE_CHECKING:
    import httpx

_PASSING = frozenset({408, 409, 425, 429, *range(500, 600)})
"""Statuses that may change if the request is sent again."""
_LARGEST = 256 * 1024 * 1024
_QUOTED = 300


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to try, and how long to wait in between; the wait doubles each time."""

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 20
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why an attempt failed, and when the server accepts the next one."""

    problem: str
    passing: bool
    wait: float | None = None


class Poster:
    """Posts JSON to one address."""

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        timeout_seconds: float,
        retries: Retries,
    ) -> None:
        self._url = url
        self._timeout = timeout_seconds
        self._retries = retries
        self._library = _httpx()
        # No redirects: they would send the key to another host.
        self._client = self._library.Client(
            headers=dict(headers), timeout=timeout_seconds, follow_redirects=False
        )

    def post(self, content: Mapping[str, Any]) -> bytes:
        """Return the body of a successful answer; EmbedderError if a retry cannot help."""
        wait, attempt = self._retries.first_wait, 1
        while True:
            answer = self._attempt(content)
            if isinstance(answer, bytes):
                return answer
            if not answer.passing or attempt == self._retries.attempts:
                raise self._given_up(answer, attempt)
            self._retries.sleep(min(answer.wait or wait, self._retries.longest_wait))
            wait, attempt = wait * 2, attempt + 1

    def close(self) -> None:
        self._client.close()

    def _given_up(self, failure: _Failure, attempts: int) -> EmbedderError:
        tries = f"{attempts} attempt{'s' if attempts > 1 else ''}"
        advice = (
            "Try again later, or allow a longer timeout."
            if failure.passing
            else "Check base_url, the key and the model."
        )
        return EmbedderError(f"{self._url}: {failure.problem} ({tries})", fix=advice)

    def _attempt(self, content: Mapping[str, Any]) -> bytes | _Failure:
        httpx = self._library
        try:
            with self._client.stream("POST", self._url, json=content) as response:
                body = self._body(response)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            return _Failure(f"this is not a valid address: {error}", passing=False)
        except httpx.TimeoutException:
            return _Failure(f"no answer within {self._timeout:g} seconds", passing=True)
        except (httpx.TransportError, httpx.DecodingError) as error:
            return _Failure(f"the connection failed: {error}", passing=True)
        if isinstance(body, _Failure) or response.is_success:
            return body
        return _Failure(
            f"the server answered {response.status_code}: {quoted(body)}",
            passing=response.status_code in _PASSING,
            wait=_seconds(response.headers.get("Retry-After")),
        )

    def _body(self, response: httpx.Response) -> bytes | _Failure:
        """Return the whole answer. The time limit covers all of it: httpx's own limit starts anew at every
        byte, so a slow server could hold the call for ever."""
        end = time.monotonic() + self._timeout
        received = bytearray()
        for chunk in response.iter_bytes():
            received += chunk
            if len(received) > _LARGEST:
                return _Failure(f"the answer is larger than {_LARGEST:,} bytes", passing=False)
            if time.monotonic() > end:
                return _Failure(f"no answer within {self._timeout:g} seconds", passing=True)
        return bytes(received)


def quoted(body: bytes) -> str:
    """Return the beginning of a server's answer."""
    return body[:_QUOTED].decode("utf-8", errors="replace").strip()


def _seconds(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header; for its other form, a date, our own wait applies."""
    return float(header) if header is not None and header.isdecimal() else None


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtraError("httpx", "embeddings-server") from None
    return httpx
