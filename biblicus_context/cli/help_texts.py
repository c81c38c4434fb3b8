"""The texts of `--help`, generated in advance: printing one loads nothing but this file."""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(__file__), "help")
_ASKING = ("-h", "--help")
PROGRAM = "biblicus-context"
WIDTH = 80
"""Columns the texts are laid out for; a narrower terminal gets a text of its own."""


def help_for(arguments: list[str], columns: int) -> str | None:
    """The help text, if these arguments ask for help and nothing else."""
    match arguments:
        case []:
            command = PROGRAM
        case [asking] if asking in _ASKING:
            command = PROGRAM
        case [command, asking] if asking in _ASKING and command.isalpha():
            pass
        case [group, below, asking] if asking in _ASKING and group.isalpha() and below.isalpha():
            command = f"{group} {below}"
        case _:
            return None
    if columns < WIDTH:
        return None
    try:
        with open(help_file(command), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def help_file(command: str = PROGRAM) -> str:
    """The file with the help of a command."""
    return os.path.join(_FOLDER, f"{command.replace(' ', '-')}.txt")


def columns() -> int:
    """Columns of the terminal; without a terminal, those the texts are laid out for."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns) or WIDTH
    except (ValueError, OSError):
        return WIDTH
