"""The options of every command that say how much it tells about its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from biblicus_context.cli.manual import GLOBAL
from biblicus_context.cli.output.verbosity import Verbosity, set_verbosity

_PACKAGE: Final = "biblicus_context"


def _quiet(*, asked: bool) -> None:
    if asked:
        set_verbosity(Verbosity.QUIET)


def _verbose(*, asked: bool) -> None:
    if asked:
        import logging

        set_verbosity(Verbosity.VERBOSE)
        logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
        logging.getLogger(_PACKAGE).setLevel(logging.DEBUG)


QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=_quiet,
        rich_help_panel=GLOBAL,
        help="Print only results and errors.",
    ),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        callback=_verbose,
        rich_help_panel=GLOBAL,
        help="Print each step as well.",
    ),
]


@dataclass(frozen=True)
class VerbosityOptions:
    """How much a command tells about its work, on the standard error."""

    quiet: QuietOption = False
    verbose: VerboseOption = False
