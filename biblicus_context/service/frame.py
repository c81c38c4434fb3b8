"""What every request passes: its id, its host, its headers, and the answer to what goes wrong."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping
from secrets import token_hex
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from biblicus_context.base import located_outline_of, logger
from biblicus_context.errors import ContextError
from biblicus_context.service.logs import log_request
from biblicus_context.service.metrics import ServiceMetrics
from biblicus_context.service.problems import (
    MEDIA,
    Problem,
    ProblemError,
    problem_of,
    refusal,
)

LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "::1", "testserver"})
_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_HEADERS: Final[Mapping[str, str]] = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
}
_PAGE: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ALLOWED: Final = "authorization, content-type, idempotency-key, x-api-key, x-request-id"
_EXPOSED: Final = "retry-after, x-receipt-id, x-request-id"
_CLOSING: Final = {"connection": "close"}
_MOST_HEADERS: Final = 100
_LONGEST_PATH: Final = 8_192
_VERSIONS: Final = frozenset({"1.0", "1.1", "2", "3"})
_BAD, _UNPROCESSABLE = 400, 422
_TITLES: Final = {404: "no such path", 405: "this path does not have this method"}


class Frame:
    """The outermost ASGI application of the service.

    A request whose Host is not ours is refused: a page elsewhere whose name was changed to point at
    this machine (DNS rebinding) sends its own. Without `origins` no web page may ask.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
        metrics: ServiceMetrics | None = None,
        header_bytes: int = 32_768,
    ) -> None:
        self._app, self._hosts, self._origins = app, frozenset(hosts), frozenset(origins)
        self._metrics, self._header_bytes = metrics, header_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        # Nothing here speaks WebSocket: the server closes what is not accepted.

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        began = time.perf_counter()
        request_id = given if _ID.fullmatch(given) else token_hex(8)
        scope["request_id"] = request_id
        origin = headers.get("origin")
        has_begun = False

        async def framed(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._complete(MutableHeaders(raw=message["headers"]), request_id, origin)
                scope["status"] = message["status"]
            await send(message)

        try:
            if scope.get("http_version", "1.1") not in _VERSIONS:
                raise refusal(400, "an unknown version of HTTP", headers=_CLOSING)
            if len(scope.get("raw_path") or b"") > _LONGEST_PATH:
                raise refusal(414, "the path is too long", headers=_CLOSING)
            self._require_known(headers, origin)
            response = self._preflight(scope, headers, origin)
            await (response or self._app)(scope, receive, framed)
        except ClientDisconnect:  # nobody waits for an answer
            scope["status"] = 499
        except Exception as error:  # whatever it is, the client gets a problem without its text
            if has_begun:
                raise
            shape = operation.shape if (operation := scope.get("operation")) else None
            await problem_response(error, request_id, shape)(scope, receive, framed)
        finally:
            self._record(scope, time.perf_counter() - began)

    def _record(self, scope: Scope, seconds: float) -> None:
        operation = scope.get("operation")
        name, status = operation.name if operation else "none", scope.get("status", 500)
        if self._metrics is not None:
            self._metrics.answered(name, status, seconds)
        log_request(
            name, scope["method"], status, seconds, scope["request_id"], scope.get("key", "")
        )

    def _require_known(self, headers: Headers, origin: str | None) -> None:
        size = sum(len(name) + len(value) for name, value in headers.raw)
        if size > self._header_bytes or len(headers.raw) > _MOST_HEADERS:
            raise refusal(431, "the headers are too large", headers=_CLOSING)
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy may have believed the other one: what follows may be a request that it never saw.
            raise refusal(400, "a length and chunks in one request", headers=_CLOSING)
        given = headers.getlist("host")
        host = given[0] if len(given) == 1 else ""
        name = host.lower().rpartition(":")[0] if re.search(r":\d*$", host) else host.lower()
        if not host:
            raise refusal(400, "one Host header is expected", place="header.host")
        if self._hosts and name not in self._hosts:
            fix = "Ask under a name of this server, or add this one to 'hosts'."
            raise refusal(421, "this server is not of that host", place="header.host", fix=fix)
        if origin is not None and origin not in self._origins and not _is_own(origin, host):
            fix = "Add it to 'origins', if its pages may ask."
            raise refusal(403, "this web page may not ask", place="header.origin", fix=fix)

    def _preflight(self, scope: Scope, headers: Headers, origin: str | None) -> Response | None:
        wanted = headers.get("access-control-request-method")
        if scope["method"] != "OPTIONS" or origin not in self._origins or wanted is None:
            return None
        return Response(
            status_code=204,
            headers={
                "access-control-allow-methods": "GET, POST, PUT, DELETE",
                "access-control-allow-headers": _ALLOWED,
                "access-control-max-age": "600",
            },
        )

    def _complete(self, headers: MutableHeaders, request_id: str, origin: str | None) -> None:
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)
        headers["x-request-id"] = request_id
        if headers.get("content-type", "").startswith("text/html"):
            headers.setdefault("content-security-policy", _PAGE)
        if origin in self._origins:
            headers["access-control-allow-origin"] = str(origin)
            headers["access-control-expose-headers"] = _EXPOSED
            headers.add_vary_header("origin")


def problem_response(
    error: Exception, request_id: str, shape: Callable[[Problem], Any] | None = None
) -> Response:
    """The answer to a request that failed, in the form that its clients expect."""
    headers: Mapping[str, str] = {}
    if isinstance(error, ProblemError):
        problem, headers = error.problem, error.headers
    elif isinstance(error, HTTPException):
        problem, headers = _of_http(error), error.headers or {}
    else:
        problem = problem_of(error)
        if not isinstance(error, ContextError):
            # Not its traceback: the text of an error may hold what somebody wrote.
            logger("service").error("request %s failed: %s", request_id, located_outline_of(error))
    problem = problem.model_copy(update={"request_id": request_id})
    if shape is not None:
        status = _BAD if problem.status == _UNPROCESSABLE else problem.status
        return JSONResponse(shape(problem), status, {**headers})
    body = problem.model_dump_json(exclude_none=True)
    return Response(body, problem.status, {**headers}, MEDIA)


def _of_http(error: HTTPException) -> Problem:
    title = _TITLES.get(error.status_code, str(error.detail).lower())
    return refusal(error.status_code, title).problem


def _is_own(origin: str, host: str) -> bool:
    """Whether a page of this very server asks, such as the one of its description."""
    return origin in (f"http://{host}", f"https://{host}")
