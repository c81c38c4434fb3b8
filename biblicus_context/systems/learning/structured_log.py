"""Structured logs: by structlog if it is installed, else by the standard library."""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any


def log_warning(name: str, event: str, **fields: Any) -> None:
    """Log a warning with its fields; `name` is that of the logger.

    >>> log_warning("my_program", "source skipped", source="code")
    """
    try:
        structlog: Any = import_module("structlog")
    except ImportError:
        said = " ".join(f"{field}={value!r}" for field, value in fields.items())
        logging.getLogger(name).warning("%s: %s", event, said)
    else:
        structlog.get_logger(name).warning(event, **fields)
