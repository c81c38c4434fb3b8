"""The terminal: the first command of the README and what it prints.

The tests run that command, so the picture shows what is printed.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import wrap
from typing import Final

from generators.pictures.svg import MONOSPACE, box, svg, text

_README: Final = Path(__file__).resolve().parents[3] / "README.md"
_COMMAND: Final = re.compile(r"^```console\n\$ (?P<all>.*?)^```$", re.MULTILINE | re.DOTALL)
_COLUMNS: Final = 100
_CHARACTER: Final = 7.8
_LINE: Final = 19
_PADDING: Final = 20
_TOP: Final = 42
_COLOURS: Final = (
    (re.compile(r"^\$ "), "command"),
    (re.compile(r"^\[\w+\]$|tokens \("), "heading"),
    (re.compile(r"^</?evidence|^source: |^  part "), "soft"),
    (re.compile(r" kept$"), "kept"),
    (re.compile(r" shortened: |^ {30}"), "shortened"),
)
_STYLE: Final = f"""<style>
text {{ font: 13px {MONOSPACE}; fill: #d7dce5; white-space: pre; }}
.window {{ fill: #171b22; }}
.button {{ fill: #4a5261; }}
.command, .heading {{ font-weight: 700; fill: #ffffff; }}
.soft {{ fill: #8f9aac; }}
.kept {{ fill: #6fcf97; }}
.shortened {{ fill: #e5b454; }}
</style>"""


def picture() -> str:
    """The window with its lines, each as wide as its characters are in any font."""
    lines = shown()
    width = round(max(map(len, lines)) * _CHARACTER + 2 * _PADDING)
    height = _TOP + len(lines) * _LINE + _PADDING
    buttons = [f'<circle class="button" cx="{24 + 20 * n}" cy="20" r="6"/>' for n in range(3)]
    rows = [_row(number, line) for number, line in enumerate(lines) if line.strip()]
    window = box(0, 0, width, height, "window")
    return svg(width, height, f"A terminal: {lines[0]}", _STYLE, window, *buttons, *rows)


def shown() -> list[str]:
    """The lines of the first command of the README and of what it prints."""
    found = _COMMAND.search(_README.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError("the README shows no command with its output")
    lines = f"$ {found['all']}".splitlines()
    return [row for line in lines for row in wrap(line, _COLUMNS, drop_whitespace=False) or [""]]


def _row(number: int, line: str) -> str:
    colour = next((name for pattern, name in _COLOURS if pattern.search(line)), "plain")
    spoken = line.lstrip(" ")
    x = _PADDING + (len(line) - len(spoken)) * _CHARACTER
    y = _TOP + (number + 0.7) * _LINE
    return text(x, y, spoken, class_=colour, textLength=round(len(spoken) * _CHARACTER, 1))
