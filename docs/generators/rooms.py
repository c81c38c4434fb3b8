"""The picture of the rooms in CONTRIBUTING.md, drawn from the import contracts in pyproject.toml."""

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


def contributing(page: str) -> str:
    """The page with its picture and its table of rooms written again."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{picture()}\n\n{table()}\n\n{_END}{after}"


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
    rows = [f"| `{room}` | {_idea(room)} |" for room in rooms]
    return "\n".join(["| room | its one idea |", "|---|---|", *rows])


def _idea(room: str) -> str:
    folder = ROOT / _PACKAGE / room
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert docstring, f"{file} has no docstring"
    return docstring.splitlines()[0]
