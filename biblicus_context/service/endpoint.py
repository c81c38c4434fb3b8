"""One operation over HTTP: who asks, what, how often; then the work, within its time."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qsl

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope as HttpScope, Send

from biblicus_context.integrations.open_telemetry import OpenTelemetry
from biblicus_context.service.authentication import Authentication, require_scope
from biblicus_context.service.callers import Caller
from biblicus_context.service.guards import Guards
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.problems import invalid, refusal
from biblicus_context.service.requests import HttpRequest
from biblicus_context.service.settings import LimitSettings
from biblicus_context.service.workers import Workers, awaited

_CLOSING: Final = {"connection": "close"}
"""Of an answer to a request whose body was not read: nothing after it is a new request."""
_LINGERING: Final = 1.0
_DISCARDED: Final = 4
"""Times the largest body that is read of one that is too large."""
_MOST_PARAMETERS: Final = 100
_LONGEST_NAME: Final = 512
"""Characters of a name in a path."""


class Receiving:
    """The bodies that come at the same time; slow clients share them among themselves."""

    def __init__(self, limits: LimitSettings) -> None:
        self._limits = limits
        self._now = 0

    async def body(self, request: HttpRequest) -> bytes:
        """The body of a request, once all of it is there."""
        limits = self._limits
        self._check_headers(request)
        if self._now >= limits.receiving:
            after = {"retry-after": "1", **_CLOSING}
            raise refusal(429, "too many bodies are coming", headers=after)
        self._now += 1
        try:
            async with asyncio.timeout(limits.body_seconds):
                return await self._read(request)
        except TimeoutError:
            problem = f"the body did not come within {limits.body_seconds:g} seconds"
            raise refusal(408, problem, name="late body", headers=_CLOSING) from None
        finally:
            self._now -= 1

    async def _read(self, request: HttpRequest) -> bytes:
        most = self._limits.body_bytes
        length = request.headers.get("content-length", "")
        pieces, size = list[bytes](), int(length) if length.isdecimal() else 0
        if size <= most:
            size = 0
            async for piece in request.pieces():
                size += len(piece)
                if size > most:
                    break
                pieces.append(piece)
            else:
                return b"".join(pieces)
        await _discarded(request, most)
        problem = f"the body has more than {most:,} bytes"
        raise refusal(413, problem, name="large body", fix="Send less.", headers=_CLOSING)

    def _check_headers(self, request: HttpRequest) -> None:
        kind, _, parameters = request.headers.get("content-type", "").partition(";")
        charset = parameters.strip().lower().replace('"', "")
        if kind.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
            found = request.headers.get("content-type", "")
            raise refusal(
                415, "the body is not JSON in UTF-8", place="header.content-type",
                found=found[:_LONGEST_NAME], valid=["application/json"], headers=_CLOSING,
            )  # fmt: skip
        if request.headers.get("content-encoding", "identity") != "identity":
            raise refusal(
                415, "the body is compressed", place="header.content-encoding",
                fix="Send it as it is.", headers=_CLOSING,
            )  # fmt: skip


async def _discarded(request: HttpRequest, most: int) -> None:
    """Read on for a moment: a client that still sends would lose the answer with the connection."""
    if "expect" in request.headers:  # it waits for the answer before it sends
        return
    with suppress(TimeoutError, RuntimeError, ClientDisconnect):
        async with asyncio.timeout(_LINGERING):
            size = 0
            async for piece in request.pieces():
                size += len(piece)
                if size > _DISCARDED * most:
                    return


class Endpoint:
    """The ASGI application of one operation."""

    def __init__(
        self,
        operation: Operation,
        authentication: Authentication,
        workers: Workers,
        receiving: Receiving,
        guards: Guards,
        limits: LimitSettings,
        telemetry: OpenTelemetry | None = None,
    ) -> None:
        self.operation = operation
        self._authentication, self._workers = authentication, workers
        self._receiving, self._guards, self._limits = receiving, guards, limits
        self._telemetry = telemetry
        self._is_async = inspect.iscoroutinefunction(operation.work)
        self._is_counted = guards.has_rates and operation.scope is not None
        self._is_counted_here = self._is_counted and guards.is_local
        has_json = operation.answer is not None and operation.media == "application/json"
        self._answer = TypeAdapter[Any](operation.answer) if has_json else None

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        request = HttpRequest(scope, receive)
        scope["operation"] = self.operation
        if self._telemetry is None:
            response = await self._response(request)
        else:
            with self._telemetry.request(
                self.operation.name, self.operation.method, request.headers
            ):
                response = await self._response(request)
        await response(scope, receive, send)

    async def _response(self, request: HttpRequest) -> Response:
        operation = self.operation
        caller = await self._caller(request)
        if not operation.is_quick:
            self._workers.require_room()
        request.scope["key"] = caller.key
        path, query = self._path(request.names), self._query(request.query)
        if self._is_counted_here:
            self._guards.take(caller)
        elif operation.is_quick and self._is_counted:
            await asyncio.to_thread(self._guards.take, caller)
        content = b"" if operation.body is None else await self._receiving.body(request)
        body = self._body(content)
        call = OperationCall(caller, path, query, body, request.headers, content)
        if operation.is_quick:
            return self._written(operation.work(call))
        value = await self._workers.run(partial(self._worked, call), self._limits.seconds)
        if operation.reply is not None:
            return await operation.reply(call, value)
        response: Response = value
        return response

    async def _caller(self, request: HttpRequest) -> Caller:
        if self.operation.scope is None:
            return Caller(scopes=frozenset())
        caller = await self._authentication.caller(request)
        require_scope(caller, self.operation.scope)
        return caller

    def _worked(self, call: OperationCall) -> Any:
        """What the work returns, in a thread: JSON is written there, too."""
        if self._is_counted and not self._guards.is_local:
            self._guards.take(call.caller)
        if self.operation.reply is not None:
            return self._result(call)
        return self._guards.once(self.operation, call, lambda: self._written(self._result(call)))

    def _result(self, call: OperationCall) -> Any:
        work: Callable[[OperationCall], Any] = self.operation.work
        return awaited(work(call)) if self._is_async else work(call)

    def _written(self, value: Any) -> Response:
        operation = self.operation
        if operation.answer is None:
            return Response(status_code=operation.status)
        headers = {}
        if (receipt := getattr(value, "receipt_id", None)) is not None:
            headers["x-receipt-id"] = receipt
        body = value if self._answer is None else self._answer.dump_json(value)
        return Response(body, operation.status, headers, operation.media)

    def _path(self, names: Mapping[str, str]) -> Mapping[str, str]:
        for name, value in names.items():
            if not value or len(value) > _LONGEST_NAME or not value.isprintable():
                place = f"path.{name}"
                raise refusal(404, "nothing has such a name", place=place, found=value[:80])
        return names

    def _query(self, text: str) -> BaseModel | None:
        model = self.operation.query
        if model is None and not text:
            return None
        try:
            given = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
        except ValueError:
            problem = f"more than {_MOST_PARAMETERS} parameters"
            raise refusal(422, problem, name="too many parameters", place="query") from None
        names = [name for name, _ in given]
        valid = [] if model is None else [*model.model_fields]
        for name in names:
            if name not in valid or names.count(name) > 1:
                problem = "an unknown parameter" if name not in valid else "the same name twice"
                raise refusal(422, problem, place="query", found=name[:80], valid=valid)
        if model is None:
            return None
        try:
            return model.model_validate(dict(given))
        except ValidationError as error:
            raise invalid(error, "query") from None

    def _body(self, content: bytes) -> BaseModel | None:
        model = self.operation.body
        if model is None:
            return None
        try:
            return model.model_validate_json(content)
        except ValidationError as error:
            raise invalid(error, "body") from None
