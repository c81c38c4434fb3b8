"""What every request passes: its id, its host, its headers, and the answer to what goes wrong."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from secrets import token_hex
from typing import Any, Final

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
from biblicus_context.service.requests import named_headers
from biblicus_context.service.routes import Routes

LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "::1", "testserver"})
_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
)
_PAGE: Final = b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ALLOWED: Final = (
    "anthropic-beta, anthropic-version, authorization, content-type, idempotency-key, traceparent, tracestate, "
    "x-api-key, x-request-id"
)
_EXPOSED: Final = b"retry-after, x-receipt-id, x-request-id"
_CLOSING: Final = {"connection": "close"}
_MOST_HEADERS: Final = 100
_LONGEST_PATH: Final = 8_192
_METHODS: Final = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"})
_VERSIONS: Final = frozenset({"1.0", "1.1", "2", "3"})
_BAD, _UNPROCESSABLE = 400, 422
_POLICY: Final = b"content-security-policy"
_PORT: Final = re.compile(r":\d*$")
_TITLES: Final = {404: "no such path", 405: "this path does not have this method"}
_FIXES: Final = {404: "GET /docs lists the paths, and /openapi.json describes them."}


class Frame:
    """The outermost ASGI application of the service.

    A request whose Host is not ours is refused: a page elsewhere whose name was changed to point at
    this machine (DNS rebinding) sends its own. Without `origins` no web page may ask.
    """

    def __init__(
        self,
        app: ASGIApp,
        routes: Routes,
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
        metrics: ServiceMetrics | None = None,
        header_bytes: int = 32_768,
    ) -> None:
        self._app, self._routes = app, routes
        self._hosts, self._origins = frozenset(hosts), frozenset(origins)
        self._metrics, self._header_bytes = metrics, header_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        # Nothing here speaks WebSocket: the server closes what is not accepted.

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        headers = named_headers(scope)
        given = headers.get("x-request-id", "")
        request_id = given if _ID.fullmatch(given) else token_hex(8)
        scope["request_id"] = request_id
        origin = headers.get("origin")
        has_begun = False

        async def framed(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                message["headers"] = self._completed(message["headers"], request_id, origin)
                scope["status"] = message["status"]
            await send(message)

        try:
            self._require_known(scope, headers, origin)
            application: ASGIApp | None = self._preflight(scope, headers, origin)
            if application is None:
                application = self._routes.application(scope) or self._app
            await application(scope, receive, framed)
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
        method = scope["method"] if scope["method"] in _METHODS else "unknown"
        log_request(name, method, status, seconds, scope["request_id"], scope.get("key", ""))

    def _require_known(self, scope: Scope, headers: Mapping[str, str], origin: str | None) -> None:
        if scope.get("http_version", "1.1") not in _VERSIONS:
            raise refusal(400, "an unknown version of HTTP", headers=_CLOSING)
        if scope["method"] not in _METHODS:
            valid = sorted(_METHODS)
            raise refusal(501, "an unknown method of HTTP", valid=valid, headers=_CLOSING)
        if len(scope.get("raw_path") or b"") > _LONGEST_PATH:
            raise refusal(414, "the path is too long", headers=_CLOSING)
        raw = scope["headers"]
        size, hosts = 0, 0
        for name, value in raw:
            size += len(name) + len(value)
            hosts += name == b"host"
        if size > self._header_bytes or len(raw) > _MOST_HEADERS:
            raise refusal(431, "the headers are too large", headers=_CLOSING)
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy may have believed the other one: what follows may be a request that it never saw.
            raise refusal(400, "a length and chunks in one request", headers=_CLOSING)
        host = headers["host"].lower() if hosts == 1 else ""
        if not host:
            raise refusal(400, "one Host header is expected", place="header.host")
        if self._hosts and _PORT.sub("", host) not in self._hosts:
            fix = "Ask under a name of this server, or add this one to 'hosts'."
            raise refusal(421, "this server is not of that host", place="header.host", fix=fix)
        if origin is not None and origin not in self._origins and not _is_own(origin, host):
            fix = "Add it to 'origins', if its pages may ask."
            raise refusal(403, "this web page may not ask", place="header.origin", fix=fix)

    def _preflight(
        self, scope: Scope, headers: Mapping[str, str], origin: str | None
    ) -> Response | None:
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

    def _completed(
        self, given: Iterable[tuple[bytes, bytes]], request_id: str, origin: str | None
    ) -> list[tuple[bytes, bytes]]:
        """The headers of an answer; those that an operation set stay as it set them."""
        own = [each for each in given if each[0] != b"x-request-id"]
        known = dict(own)
        own += [each for each in _HEADERS if each[0] not in known]
        own.append((b"x-request-id", request_id.encode()))
        if known.get(b"content-type", b"").startswith(b"text/html"):
            own += [] if _POLICY in known else [(_POLICY, _PAGE)]
        if origin is not None and origin in self._origins:
            own += [
                (b"access-control-allow-origin", origin.encode("latin-1")),
                (b"access-control-expose-headers", _EXPOSED),
                (b"vary", b"origin"),
            ]
        return own


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
    return refusal(error.status_code, title, fix=_FIXES.get(error.status_code)).problem


def _is_own(origin: str, host: str) -> bool:
    """Whether a page of this very server asks, such as the one of its description."""
    return origin in (f"http://{host}", f"https://{host}")
