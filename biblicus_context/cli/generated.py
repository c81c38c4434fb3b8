"""Texts made from the commands: the files of `--help`, and docs/cli.md.

`python -m biblicus_context.cli.generated` writes them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from biblicus_context.cli.app import PROGRAM, program
from biblicus_context.cli.helping import WIDTH, help_file
from biblicus_context.cli.manual import Manual, manual_of
from biblicus_context.cli.output.layout import as_text
from biblicus_context.cli.reference import reference

_PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def texts() -> Mapping[Path, str]:
    """Every file and what it has to hold."""
    manuals = _manuals()
    return {
        **{Path(help_file(name)): as_text(manual, WIDTH) for name, manual in manuals.items()},
        _PAGE: reference(manuals),
    }


def _manuals() -> dict[str, Manual]:
    """The manual of the program, and of each command, by name."""
    whole = program()
    assert isinstance(whole, click.Group)
    context = click.Context(whole, info_name=PROGRAM)
    return {PROGRAM: manual_of(whole, PROGRAM), **_below(whole, context, "")}


def _below(group: click.Group, context: click.Context, above: str) -> dict[str, Manual]:
    """The manuals of the commands of a group, and of those below them."""
    manuals: dict[str, Manual] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        manuals[above + name] = manual_of(command, f"{PROGRAM} {above}{name}")
        if isinstance(command, click.Group):
            manuals |= _below(command, context, f"{above}{name} ")
    return manuals


def write() -> None:
    """Write them all, and nothing that was there before besides."""
    made = texts()
    for file in Path(help_file()).parent.glob("*.txt"):
        os.remove(file)
    for file, text in made.items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
