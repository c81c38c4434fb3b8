"""Requests to a server: retried where that may help, without a secret in any message."""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from biblicus_context.base.deadlines import remaining
from biblicus_context.embedders.exchange import PostClient, TooLargeError
from biblicus_context.embedders.server import Server, http_library
from biblicus_context.errors import EmbedderError, InputError

_PASSING: Final = frozenset({408, 409, 425, 429, *range(500, 600)})
"""Statuses that may change if the request is sent again."""
_NOT_ALLOWED: Final = frozenset({401, 403})
_ESCAPE: Final = re.compile(r"\\u(00[2-7][0-9a-fA-F])")
"""A letter of a key as JSON may write it."""
_QUOTED: Final = 300
_SHORTEST: Final = 4
"""Shorter secrets are not looked for: they occur in any text."""
_HIDDEN: Final = "[hidden]"


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
    advice: str | None = None


class Poster:
    """Posts JSON to one path of a server."""

    def __init__(
        self,
        server: Server,
        path: str,
        *,
        key: str | None,
        timeout_seconds: float,
        retries: Retries,
    ) -> None:
        if (key or server.has_user) and not server.is_private:
            raise InputError(
                f"a key is never sent over plain http, as anybody on the way to {server.host} "
                "could read it",
                place="base_url",
                fix="Use https, or a server on this machine.",
            )
        self._shown = f"{server.shown}{path}"
        self._timeout = timeout_seconds
        self._retries = retries
        self._has_key = key is not None
        self._secrets = _secrets(server, key)
        self._exchange = PostClient(
            f"{server.url}{path}",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            seconds=timeout_seconds,
            is_proxied=not (server.is_loopback and server.scheme == "http"),
        )

    def post(self, content: Mapping[str, Any], *, most_bytes: int) -> bytes:
        """The body of a successful answer; EmbedderError if a retry cannot help."""
        wait, attempt = self._retries.first_wait, 1
        while True:
            answer = self._attempt(content, most_bytes)
            if isinstance(answer, bytes):
                return answer
            is_last = attempt == self._retries.attempts or remaining() == 0
            if not answer.passing or is_last:
                raise self._given_up(answer, attempt)
            self._retries.sleep(min(answer.wait or wait, self._retries.longest_wait))
            wait, attempt = wait * 2, attempt + 1

    def quoted(self, body: bytes) -> str:
        """The beginning of a server's answer, without the secrets that it may repeat."""
        # Hidden before the text is cut: half a key at its end would not be found.
        text = body[: 16 * _QUOTED].decode("utf-8", errors="replace")
        return self.hidden(_ESCAPE.sub(_unescaped, text))[:_QUOTED].strip()

    def hidden(self, text: str) -> str:
        """A text without this server's secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    def close(self) -> None:
        self._exchange.close()

    def _given_up(self, failure: _Failure, attempts: int) -> EmbedderError:
        tries = f"{attempts} attempt{'s' if attempts > 1 else ''}"
        advice = (
            "Try again later, or allow a longer timeout."
            if failure.passing
            else "Check base_url, the key and the model."
        )
        problem = f"{self._shown}: {failure.problem} ({tries})"
        return EmbedderError(problem, fix=failure.advice or advice)

    def _attempt(self, content: Mapping[str, Any], most_bytes: int) -> bytes | _Failure:
        httpx = http_library()
        try:
            answer = self._exchange.post(content, most_bytes=most_bytes)
        except TooLargeError as error:
            return _Failure(str(error), passing=False)
        except (TimeoutError, httpx.TimeoutException):
            return _Failure(f"no answer within {self._timeout:g} seconds", passing=True)
        except httpx.HTTPError as error:
            return _Failure(f"the connection failed: {self.hidden(str(error))}", passing=True)
        if 200 <= answer.status < 300:
            return answer.body
        return _Failure(
            f"the server answered {answer.status}: {self.quoted(answer.body)}",
            passing=answer.status in _PASSING,
            wait=_seconds(answer.retry_after),
            advice=self._advice(answer.status),
        )

    def _advice(self, status: int) -> str | None:
        if self._has_key or status not in _NOT_ALLOWED:
            return None
        return (
            "No key was sent. Name its environment variable with api_key_env, and allow this host "
            "with --allow-key NAME=HOST."
        )


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))


def _secrets(server: Server, key: str | None) -> tuple[str, ...]:
    """What no message may contain, longest first, also as JSON writes it."""
    user = http_library().URL(server.url)
    credentials = [key or "", user.password, user.userinfo.decode("ascii", "replace")]
    if server.has_user:
        credentials.append(_basic(user.username, user.password))
    found = {secret for secret in credentials if len(secret) >= _SHORTEST}
    escaped = {json.dumps(secret)[1:-1] for secret in found}
    return tuple(sorted(found | escaped, key=len, reverse=True))


def _basic(user: str, password: str) -> str:
    """What HTTP's basic authentication sends."""
    return b64encode(f"{user}:{password}".encode()).decode("ascii")


def _seconds(header: str | None) -> float | None:
    """The seconds of a Retry-After header; for its other form, a date, our own wait applies."""
    if header is None or not (header.isascii() and header.isdecimal()) or len(header) > 9:
        return None
    return float(header)
