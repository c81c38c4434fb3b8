"""The rooms in CONTRIBUTING.md: a picture from the import contracts, and the size of each."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_PACKAGE: Final = "biblicus_context"
_BEGIN: Final = "<!-- rooms: made by `python docs/generate.py` -->"
_END: Final = "<!-- end of rooms -->"
_PARTS: Final = {
    "the assembler": "installation errors base spec text retrieval reading assembly",
    "a search engine with durable storage": "embedders stores ingest corpora",
    "a linter": "lint",
    "golden tests, evaluation and reports": "golden evaluation comparing pages",
    "the command line and provider formats": "cli starter formats integrations",
    "doors for programs, agents and editors": "service",
    "what processes share besides a store": "shared_state",
    "batches": "batches",
    "four reference applications": "systems",
    "a test kit for authors of extensions": "testing",
}
"""What ships in one wheel, by what it is to a user, and the rooms that make it up."""
_ROUNDED: Final = 500
"""A figure to the line would be out of date with every commit."""


def contributing(page: str) -> str:
    """The page with its picture and its table of rooms written again."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{picture()}\n\n{table()}\n\n{sizes()}\n\n{_END}{after}"


def layers() -> list[list[str]]:
    """The rooms, first the ones that see no other; rooms of one layer do not see each other."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    rows = [re.split(r"\s*\|\s*", row) for row in reversed(contract["layers"])]
    return [[room.removeprefix(f"{_PACKAGE}.") for room in row] for row in rows]


def picture() -> str:
    """The layers as a diagram that GitHub draws."""
    nodes = [f'    L{at}["{" · ".join(row)}"]' for at, row in enumerate(layers())]
    arrows = [f"    L{at} --> L{at + 1}" for at in range(len(nodes) - 1)]
    return "\n".join(["```mermaid", "flowchart TB", *nodes, *arrows, "```"])


def table() -> str:
    """A row for each room: its one idea, as its own docstring has it."""
    rooms = [room for row in layers() for room in row]
    rows = [f"| `{room}` | {_idea(room)} | {_lines(room):,} |" for room in rooms]
    return "\n".join(["| room | its one idea | lines |", "|---|---|---:|", *rows])


def sizes() -> str:
    """What the rooms add up to, by what each part is to a user."""
    known = {room for row in layers() for room in row}
    listed = [room for rooms in _PARTS.values() for room in rooms.split()]
    assert sorted(listed) == sorted(known), (
        f"in one part each: {known.symmetric_difference(listed)}"
    )
    rows = [
        f"| {part} | {', '.join(f'`{room}`' for room in rooms.split())} | "
        f"{sum(_lines(room) for room in rooms.split()):,} |"
        for part, rooms in _PARTS.items()
    ]
    return "\n".join(["| what ships | rooms | lines |", "|---|---|---:|", *rows])


def _lines(room: str) -> int:
    """Lines of Python, blank ones and docstrings included, to the nearest few hundred."""
    folder = ROOT / _PACKAGE / room
    files = [*folder.rglob("*.py")] if folder.is_dir() else [folder.with_suffix(".py")]
    lines = sum(len(each.read_text(encoding="utf-8").splitlines()) for each in files)
    return max(1, round(lines / _ROUNDED)) * _ROUNDED


def _idea(room: str) -> str:
    folder = ROOT / _PACKAGE / room
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert docstring, f"{file} has no docstring"
    return docstring.splitlines()[0]
