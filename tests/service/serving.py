"""A real server on loopback, in a thread of the tests, and clients of it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette

from biblicus_context.service.serving import BoundedProtocol


@contextmanager
def serving(app: Starlette) -> Iterator[str]:
    """The address of an application that is served meanwhile."""
    listening = socket.create_server(("127.0.0.1", 0))
    service = getattr(app.state, "service", None)  # other applications have no limits
    own: dict[str, Any] = {} if service is None else {
        "http": BoundedProtocol,
        "h11_max_incomplete_event_size": service.settings.limits.header_bytes,
    }  # fmt: skip
    config = uvicorn.Config(
        app, ws="none", log_config=None, lifespan="on", access_log=False, proxy_headers=False, **own
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not server.started and time.monotonic() < until:
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        listening.close()


@contextmanager
def client_of(app: Starlette, **options: Any) -> Iterator[httpx.Client]:
    """A client of an application that is served meanwhile."""
    with serving(app) as address, httpx.Client(base_url=address, timeout=30, **options) as client:
        yield client
