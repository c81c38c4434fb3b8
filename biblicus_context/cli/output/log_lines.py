"""What the package logs, as lines of the command line."""

from __future__ import annotations

import logging

from biblicus_context.cli.output.terminal import detail, note


class _LogLines(logging.Handler):
    """Warnings as notes next to the data; what is less, only with --verbose."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        write = note if record.levelno >= logging.WARNING else detail
        write(f"{record.levelname.lower()}: {record.getMessage()}")


def write_log_lines() -> None:
    """Write what the package logs from now on; repeating it changes nothing."""
    logger = logging.getLogger("biblicus_context")
    if not any(isinstance(handler, _LogLines) for handler in logger.handlers):
        logger.addHandler(_LogLines())
        logger.setLevel(logging.INFO)
