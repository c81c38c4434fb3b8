"""Loggers of the standard library, below `biblicus_context`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger


def logger(room: str) -> Logger:
    """The logger of a room; `logging` is loaded by the first message, as most programs have none."""
    from logging import getLogger

    return getLogger(f"biblicus_context.{room}")
