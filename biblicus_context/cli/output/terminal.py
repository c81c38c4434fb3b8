"""Where commands write: data as it is, tables as wide as the terminal, warnings aside."""

from __future__ import annotations

import codecs
import json
import shutil
import sys
from enum import StrEnum
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from biblicus_context.base.visible import CONTROLS, visible
from biblicus_context.cli.output.verbosity import Verbosity, verbosity

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDTH_OF_FILES = 100
_ERRORS = "biblicus-context-shown"


class Format(StrEnum):
    """How a command prints what it found."""

    TEXT = "text"
    JSON = "json"


def prepare_streams() -> None:
    """Let output pass whatever the terminal's encoding lacks: no command fails for a sign."""
    codecs.register_error(_ERRORS, _shown)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def write(text: str, end: str = "\n") -> None:
    """Data on the standard output: no markup, no wrapping; a terminal is given no commands."""
    _say(sys.stdout, f"{text}{end}")


def sayable(text: str) -> str:
    """Text as it will look on the standard output, signs that it lacks replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    return visible(text).encode(encoding, _ERRORS).decode(encoding)


def write_json(value: object) -> None:
    """One JSON document, without loss also where the terminal lacks signs."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if not can_say(text) or CONTROLS.search(text):
        text = json.dumps(value, indent=2)
    write(text.replace("\x7f", "\\u007f"))


def warn(text: str) -> None:
    """A warning or an error, next to the data; it is for people, also where it is kept in a log."""
    sys.stderr.write(f"{visible(text)}\n")


def note(text: str) -> None:
    """What a command did besides printing its results; --quiet leaves it out."""
    if verbosity() >= Verbosity.NORMAL:
        warn(text)


def detail(text: str) -> None:
    """A step of the work; only --verbose prints it."""
    if verbosity() >= Verbosity.VERBOSE:
        warn(text)


def console(columns: int | None = None) -> Console:
    """A console on the standard output that obeys NO_COLOR, FORCE_COLOR and TERM."""
    from rich.console import Console  # slower than most commands

    return Console(width=columns or width(), highlight=False, markup=False, emoji=False)


def show(screen: Console, *shown: RenderableType) -> None:
    """Tables and styled lines, without the spaces that rich puts at the ends of lines."""
    with screen.capture() as captured:
        for each in shown:
            screen.print(each, no_wrap=True, overflow="ignore", crop=False)
    for line in captured.get().removesuffix("\n").split("\n"):
        sys.stdout.write(f"{line.rstrip()}\n")


def width() -> int:
    """Columns of the terminal or of COLUMNS; where there is neither, as many as read well."""
    return room() or _WIDTH_OF_FILES


def room() -> int | None:
    """Columns of the terminal or of COLUMNS; None where nothing limits a line."""
    return shutil.get_terminal_size((0, 24)).columns or None


def can_say(text: str) -> bool:
    """Whether the standard output has every sign of a text."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def format_bytes(count: int) -> str:
    """Bytes in the unit that reads best.

    >>> format_bytes(999), format_bytes(1_500), format_bytes(2_000_000)
    ('999 B', '1.5 kB', '2.0 MB')
    """
    if count < 1000:
        return f"{count} B"
    number, unit = count / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if number < 1000:
            break
        number, unit = number / 1000, larger
    return f"{number:.1f} {unit}"


def _say(stream: TextIO, text: str) -> None:
    stream.write(visible(text) if stream.isatty() else text)


def _shown(error: UnicodeError) -> tuple[str, int]:
    """Half a surrogate pair as its escape, a sign that is missing as a question mark."""
    assert isinstance(error, UnicodeEncodeError)
    found = error.object[error.start : error.end]
    return "".join(
        f"\\u{ord(sign):04x}" if "\ud800" <= sign <= "\udfff" else "?" for sign in found
    ), error.end
