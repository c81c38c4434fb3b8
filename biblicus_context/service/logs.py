"""Logs of a service, a line of JSON each. No key and no text is in them."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

from biblicus_context.assembly import Receipt
from biblicus_context.base import located_outline_of, logger

_ROOM: Final = "service"
_STANDARD: Final = frozenset({*vars(logging.makeLogRecord({})), "message", "color_message"})
"""What every record has, and uvicorn's lines for terminals: the same once more."""


def log_request(
    operation: str, method: str, status: int, seconds: float, request_id: str, key: str
) -> None:
    """Log one request: not its path, as ids of documents may say anything."""
    log = logger(_ROOM)
    if log.isEnabledFor(logging.INFO):
        said = {
            "operation": operation,
            "method": method,
            "status": status,
            "seconds": round(seconds, 6),
            "request_id": request_id,
            "key": key,
        }
        log.info("request", extra=said)


class LoggedSpans:
    """An observer that writes each span as a line of the log: what a trace would have, where nobody collects any."""

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, Any]) -> Iterator[None]:
        """A span for the block inside; its names and counts, and no text."""
        began = time.perf_counter()
        try:
            yield
        finally:
            known = {key: each for key, each in attributes.items() if each is not None}
            said = {"span": name, "seconds": round(time.perf_counter() - began, 6), **known}
            logger(_ROOM).info("span", extra=said)

    def __call__(self, receipt: Receipt) -> None:
        """Write the steps of an assembly."""
        steps = {each.name: round(each.seconds, 6) for each in receipt.steps}
        said = {"context": receipt.context, "tokens": receipt.used, "steps": steps}
        logger(_ROOM).info("assembled", extra=said)


class JsonLines(logging.Formatter):
    """A record as a line of JSON: its message, what was passed as `extra`, and of an error its kind and line.

    >>> record = logging.makeLogRecord({"msg": "request", "levelname": "INFO", "status": 200})
    >>> json.loads(JsonLines().format(record))["status"]
    200
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        said: dict[str, Any] = {
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        said |= {name: each for name, each in vars(record).items() if name not in _STANDARD}
        if record.exc_info and record.exc_info[1] is not None:
            # Not the traceback: the text of an error may hold what somebody wrote.
            said["error"] = located_outline_of(record.exc_info[1])
        when = datetime.fromtimestamp(record.created, UTC).replace(tzinfo=None)
        said["timestamp"] = f"{when.isoformat(timespec='microseconds')}Z"
        return _written(said)


_written: Final = json.JSONEncoder(default=str).encode


def write_logs(level: int = logging.INFO) -> None:
    """Write the logs of this package, and those of the server, to the standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("biblicus_context", "uvicorn"):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(level)
