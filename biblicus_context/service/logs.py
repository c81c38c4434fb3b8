"""Logs of a service, a line of JSON each: the one place that loads structlog. No key and no text is in them."""

from __future__ import annotations

import logging
import sys
from typing import Any, Final

import structlog

from biblicus_context.base import logger

_ROOM: Final = "service"


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


def _without_colors(_: Any, __: str, event: structlog.types.EventDict) -> structlog.types.EventDict:
    """uvicorn's lines for terminals are the same once more."""
    event.pop("color_message", None)
    return event


def write_logs(level: int = logging.INFO) -> None:
    """Write the logs of this package, and those of the server, to the standard error."""
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        _without_colors,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    for name in ("biblicus_context", "uvicorn"):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(level)
