"""Structured logs: by structlog where a program has configured it, else by the standard library."""

from __future__ import annotations

import logging
import sys
from typing import Any


def log_warning(name: str, event: str, **fields: Any) -> None:
    """Log a warning with its fields; `name` is that of the logger.

    >>> log_warning("my_program", "source skipped", source="code")
    """
    # Unconfigured, structlog prints to the standard output, where a hook's context is read from.
    structlog: Any = sys.modules.get("structlog")
    if structlog is None or not structlog.is_configured():
        said = " ".join(f"{field}={value!r}" for field, value in fields.items())
        logging.getLogger(name).warning("%s: %s", event, said)
    else:
        structlog.get_logger(name).warning(event, **fields)
