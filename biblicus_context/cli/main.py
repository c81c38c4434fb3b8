"""The entry point: run one command and return its exit status."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from biblicus_context.cli.help_texts import PROGRAM, columns, help_for

TYPE_CHECKING = False  # `typing` alone takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, TextIO

COULD_NOT_RUN = 2
INTERRUPTED = 130
_ALIAS = "bctx"


def invoked_name() -> str:
    """The name that was typed: the program or its alias."""
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0] if sys.argv else PROGRAM
    return name if name == _ALIAS else PROGRAM


def complete_variable() -> str:
    """What a shell sets when it asks for completion."""
    return f"_{invoked_name().replace('-', '_').upper()}_COMPLETE"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: 0 success, 1 problems found, 2 could not run."""
    if arguments is None:
        _collect_rarely()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None or sys.stderr is None:  # a caller has closed it
        sys.stdout, sys.stderr = (each or _nowhere() for each in (sys.stdout, sys.stderr))
    if sys.stdin is None:
        sys.stdin = _nowhere("r")
    try:
        status = _run(given)
        if not sys.stdout.closed:  # as a server closes it whose client has gone
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        _write_no_more()
        return 0
    except OSError as error:
        _write_no_more()
        place = error.filename or "the output"
        sys.stderr.write(f"error: {place} cannot be used: {error.strerror}\n")
        return COULD_NOT_RUN
    return status


def _run(arguments: list[str]) -> int:
    text = None if complete_variable() in os.environ else help_for(arguments, columns())
    if text is not None:
        sys.stdout.write(text)
        return 0
    from biblicus_context.cli.app import run  # help is printed without it

    return run(arguments)


def _collect_rarely() -> None:
    """Nearly all objects of a short command stay until its end.

    To look through them at every 700 new ones, and once more at exit, took a quarter of its time.
    """
    gc.set_threshold(200_000, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)


def _nowhere(mode: Literal["r", "w"] = "w") -> TextIO:
    return open(os.devnull, mode, encoding="utf-8")


def _write_no_more() -> None:
    """Keep Python from flushing once more at exit, which would print a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
