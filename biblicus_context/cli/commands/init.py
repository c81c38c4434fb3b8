"""The command `init`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from biblicus_context.cli.output.terminal import write
from biblicus_context.errors import ContextError
from biblicus_context.starter.files import starter_files

_NEXT = (
    "biblicus-context render support --examples",
    "biblicus-context lint",
    "biblicus-context test",
)

_EXTENDED = ".gitignore"
"""Most projects have one already."""


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of the project. Default: the current one.")
    ] = Path(),
) -> None:
    """Create a small working project: contexts, a policy, a corpus and a golden test.

    The project includes JSON Schemas for editors and a pre-commit configuration. No file is ever
    overwritten: if one of the files exists, nothing is written. Only an existing .gitignore is
    extended with the missing lines.

    Examples:
      biblicus-context init
      biblicus-context init my-project
    """

    files = starter_files()
    _refuse_to_overwrite(folder, files)
    _write(folder, files)
    write(f"written to {folder}:" if folder != Path() else "written:")
    for path in files:
        write(f"  {path}")
    write("next:")
    for command in [*([f"cd {shlex.quote(str(folder))}"] if folder != Path() else []), *_NEXT]:
        write(f"  {command}")


def _refuse_to_overwrite(folder: Path, files: Iterable[str]) -> None:

    there = [path for path in files if path != _EXTENDED and os.path.lexists(folder / path)]
    if there:
        raise ContextError(
            f"these files already exist: {', '.join(there)}",
            place=str(folder),
            fix="Nothing was written. Choose another folder, or move these files.",
        )


def _write(folder: Path, files: Mapping[str, str]) -> None:

    for path, text in files.items():
        target = folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if path == _EXTENDED:
                _extend(target, text)
            else:
                with target.open("x", encoding="utf-8") as file:
                    file.write(text)
        except OSError as error:
            problem = f"cannot be written: {error.strerror}"
            raise ContextError(problem, place=str(target)) from None


def _extend(target: Path, text: str) -> None:
    """Add what a file lacks, as lines of their own at its end."""
    with target.open("a+", encoding="utf-8", errors="surrogateescape") as file:
        file.seek(0)
        before = file.read()
        known = before.splitlines()
        missing = [line for line in text.splitlines() if line not in known]
        if missing:
            begin = "" if not before or before.endswith("\n") else "\n"
            file.write(begin + "\n".join(missing) + "\n")
