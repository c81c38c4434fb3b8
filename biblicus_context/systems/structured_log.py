"""Structured logs: by structlog if it is installed, else by the standard library."""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any, Final

_NAME: Final = "biblicus_context.systems"


def warn(event: str, **fields: Any) -> None:
    """Log a warning with its fields."""
    try:
        structlog: Any = import_module("structlog")
    except ImportError:
        said = " ".join(f"{name}={value!r}" for name, value in fields.items())
        logging.getLogger(_NAME).warning("%s: %s", event, said)
    else:
        structlog.get_logger(_NAME).warning(event, **fields)
