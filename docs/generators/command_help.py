"""The manual of every command, and its `--help` text."""

from __future__ import annotations

import click

from biblicus_context.cli.app import program
from biblicus_context.cli.help_texts import PROGRAM, WIDTH
from biblicus_context.cli.manual import Manual, as_text, manual_of


def text(manual: Manual) -> str:
    """The help that a terminal of the usual width shows."""
    return as_text(manual, WIDTH)


def manuals() -> dict[str, Manual]:
    """The manual of the program, and of each command, by name."""
    whole = program()
    assert isinstance(whole, click.Group)
    context = click.Context(whole, info_name=PROGRAM)
    return {PROGRAM: manual_of(whole, PROGRAM), **_subcommands(whole, context, "")}


def _subcommands(group: click.Group, context: click.Context, above: str) -> dict[str, Manual]:
    """The manuals of the commands of a group, and of their own subcommands."""
    manuals: dict[str, Manual] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        manuals[above + name] = manual_of(command, f"{PROGRAM} {above}{name}")
        if isinstance(command, click.Group):
            manuals |= _subcommands(command, context, f"{above}{name} ")
    return manuals
