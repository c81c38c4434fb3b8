"""How much a command tells about its work."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import click


class Verbosity(IntEnum):
    """What a command prints besides its results and errors."""

    QUIET = 0
    """Nothing."""
    NORMAL = 1
    """Notes: what was indexed, written, fixed."""
    VERBOSE = 2
    """Each step as well."""


_KEY: Final = f"{__name__}.verbosity"


def set_verbosity(wanted: Verbosity) -> None:
    """Set it for the command line that is parsed now; the option that comes last counts."""
    click.get_current_context().meta[_KEY] = wanted


def verbosity() -> Verbosity:
    """What the command line that runs now said."""
    context = click.get_current_context(silent=True)
    found: Verbosity = context.meta.get(_KEY, Verbosity.NORMAL) if context else Verbosity.NORMAL
    return found


def is_quiet() -> bool:
    """Whether a command says nothing about what it did."""
    return verbosity() is Verbosity.QUIET
