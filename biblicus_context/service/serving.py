"""Serving: the one place that loads uvicorn, with what it leaves open to slow and many clients closed."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast
from urllib.parse import quote

import h11
from pydantic import BaseModel, ConfigDict, Field
from starlette.applications import Starlette
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from biblicus_context.base import logger
from biblicus_context.errors import ContextError, InputError, UnknownNameError
from biblicus_context.service.application import app
from biblicus_context.service.authentication import is_loopback
from biblicus_context.service.logs import LoggedSpans, write_logs
from biblicus_context.service.metrics import SHARED
from biblicus_context.service.problems import MEDIA, refusal
from biblicus_context.service.settings import LimitSettings, ServiceSettings
from biblicus_context.stores import Principal

SETTINGS: Final = "BIBLICUS_CONTEXT_SERVE"
"""The environment variable with which workers are told what to serve."""
_INSPECTED_CALLS: Final = 200
"""Of `inspect`: point a client at it, and see what each turn sent."""
_KEEP_ALIVE: Final = 30
_SILENT_SECONDS: Final = 60
"""A worker that is silent for that long is replaced; one that starts on a busy machine is silent for some."""
_DRAIN_SECONDS: Final = 5.0
"""Longer than an answer may take, so that each request that was let in is answered."""


class ServeSettings(BaseModel):
    """What `biblicus-context serve` serves, and where."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    paths: tuple[Path, ...]
    host: str = "127.0.0.1"
    port: int = Field(default=8321, ge=0, le=65_535)
    workers: int = Field(default=1, ge=1, le=256)
    keys: Path | None = None
    settings: Path | None = None
    data: Path | None = None
    workspace: str = "local"
    user: str | None = None
    groups: tuple[str, ...] = ()
    logs_spans: bool = False
    """Whether spans are lines of the log, as in a demo."""
    inspect: str | None = None
    """The context whose page is opened in a browser."""

    def made(self) -> Starlette:
        """The application."""
        return app(
            *self.paths,
            keys=self.keys,
            settings=self.service,
            is_alone=self.workers == 1,
            observers=[LoggedSpans()] if self.logs_spans else [],
            principal=Principal(self.workspace, self.user, frozenset(self.groups)),
        )

    @property
    def service(self) -> ServiceSettings:
        """The settings of the service; without Redis each worker lets a part of the requests in."""
        found = ServiceSettings.of(self.settings)
        if self.data is not None:
            found = found.model_copy(update={"data": self.data})
        if self.inspect is not None and not found.inspected_calls:
            found = found.model_copy(update={"inspected_calls": _INSPECTED_CALLS})
        rate = found.limits.requests_a_minute
        if rate is None or found.redis is not None or self.workers == 1:
            return found
        own = found.limits.model_copy(update={"requests_a_minute": max(1, rate // self.workers)})
        return found.model_copy(update={"limits": own})


def serve(settings: ServeSettings) -> None:
    """Serve until the process is told to stop; requests that were let in are answered first."""
    own = settings.service
    if settings.keys is None and own.jwt is None and not is_loopback(settings.host):
        raise InputError(
            "without keys the service listens on this machine alone",
            place="--host",
            found=settings.host,
            fix="Pass --keys FILE, and make a key with 'biblicus-context key create'.",
        )
    if settings.keys is not None and not settings.keys.exists():
        fix = "Make a key with 'biblicus-context key create'."
        raise InputError("there are no keys", place="--keys", found=str(settings.keys), fix=fix)
    with _shared_figures(settings.workers):
        _serve(settings, own)


@contextmanager
def _shared_figures(workers: int) -> Iterator[None]:
    """A folder in which several workers keep their figures, unless the operator named one."""
    if workers == 1 or SHARED in os.environ:
        yield
        return
    with TemporaryDirectory(prefix="biblicus-context-metrics-", ignore_cleanup_errors=True) as own:
        os.environ[SHARED] = own  # before the client of Prometheus is loaded by a worker
        try:
            yield
        finally:
            del os.environ[SHARED]


def _serve(settings: ServeSettings, own: ServiceSettings) -> None:
    made = settings.made()  # a mistake in the plans is reported here, and indexes are made once
    contexts = made.state.service.contexts.served
    if settings.inspect is not None and settings.inspect not in contexts:
        raise UnknownNameError("Context", settings.inspect, contexts)
    listening = _listening(settings)
    with listening:
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        sys.stderr.write(f"listening on http://{shown}:{port} (paths: /docs)\n")
        if settings.keys is None and own.jwt is None:
            sys.stderr.write("no keys: only this machine may ask, as one user\n")
        if settings.inspect is not None:
            _open_page(f"http://{shown}:{port}/inspect/{quote(settings.inspect)}")
        sys.stderr.flush()
        _run(settings, made, listening, own.limits)


def _open_page(address: str) -> None:
    """A browser is opened for a person alone; the page waits until the server accepts."""
    sys.stderr.write(f"inspect: {address}\n")
    if sys.stderr.isatty():
        webbrowser.open(address)


def worker() -> Starlette:
    """The application of one of several processes."""
    write_logs()
    settings = ServeSettings.model_validate_json(os.environ[SETTINGS])
    try:
        return settings.made()
    except ContextError as error:  # the plans have a mistake since the server started
        logger("service").error("a worker cannot start: %s", error)
        raise SystemExit(1) from None


def _run(
    settings: ServeSettings, made: Starlette, listening: socket.socket, limits: LimitSettings
) -> None:
    write_logs()
    several = settings.workers > 1
    config = Config(
        f"{__name__}:worker" if several else made,
        factory=several,
        workers=settings.workers,
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_worker_healthcheck=_SILENT_SECONDS,
        timeout_graceful_shutdown=int(limits.seconds + _DRAIN_SECONDS),
        h11_max_incomplete_event_size=limits.header_bytes,
    )
    if several:
        made.state.service.close()
        os.environ[SETTINGS] = settings.model_dump_json()
        Multiprocess(config, sockets=[listening]).run()
    else:
        Server(config).run(sockets=[listening])


def _listening(settings: ServeSettings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        listening = socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        found = f"{settings.host}:{settings.port}"
        problem = f"nothing can listen here: {error.strerror or error}"
        raise InputError(problem, found=found, fix="Pass another --port.") from None
    listening.set_inheritable(True)
    return listening


class BoundedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 for clients that are slow, or many: it has a limit for neither.

    A connection whose headers do not come in time is closed, and one too many.
    """

    _late: asyncio.TimerHandle | None = None

    @property
    def _limits(self) -> LimitSettings:
        limits: LimitSettings = cast("Any", self.app).state.service.settings.limits
        return limits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family != socket.AF_UNIX:
            # asyncio does it for sockets that say TCP, which those of `create_server` do not: the end of
            # an answer would wait 40 milliseconds for the client to acknowledge its beginning.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self._limits.connections:
            transport.abort()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        del msg
        body = refusal(400, "this is not HTTP").problem.model_dump_json(exclude_none=True).encode()
        headers = [
            (b"content-type", MEDIA.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            start = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
            for event in (start, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """A request to speak WebSocket is answered as HTTP; clients do not decide what is in the log."""

    def _watch(self) -> None:
        """Headers have to come in time; a body has its own time, and an idle connection too."""
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._forget()
        elif self._late is None and self.timeout_keep_alive_task is None:
            seconds = self._limits.header_seconds
            self._late = self.loop.call_later(seconds, self.transport.close)

    def _forget(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
