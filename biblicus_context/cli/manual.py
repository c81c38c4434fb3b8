"""The manual of a command: its help as values, and laid out for a terminal."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import click

EXIT_STATUS: Final = "Exit status"
OWN: Final = "Options"
GLOBAL: Final = "Global options"
"""The heading of what every command has."""
_STATUS = (
    ("0", "Success."),
    ("1", "Problems found: lint findings or failed tests."),
    ("2", "Could not run: invalid arguments, unreadable files, or a budget that is too small."),
    ("130", "Interrupted with Ctrl-C."),
)


@dataclass(frozen=True, slots=True)
class HelpEntry:
    """An argument, an option or a command, and what it is for."""

    label: str
    about: str


@dataclass(frozen=True, slots=True)
class HelpSection:
    """Entries under a heading."""

    heading: str
    entries: Sequence[HelpEntry]
    commands: bool = False
    """Whether the entries are commands."""


@dataclass(frozen=True, slots=True)
class Manual:
    """The help of a command."""

    usage: str
    about: Sequence[str]
    sections: Sequence[HelpSection]
    examples: Sequence[str]


def manual_of(command: click.Command, path: str) -> Manual:
    """The manual of a command that is called by this path."""
    context = click.Context(command, info_name=path, **command.context_settings)
    about, _, examples = inspect.cleandoc(command.help or "").partition("Examples:")
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    sections = [
        *_commands(command, context),
        HelpSection("Arguments", [_argument(each) for each in arguments]),
        *_options(options),
        HelpSection(EXIT_STATUS, list(_status(command))),
    ]
    return Manual(
        usage=" ".join([path, "[OPTIONS]", *_operands(command, arguments)]),
        about=[" ".join(paragraph.split()) for paragraph in about.strip().split("\n\n")],
        sections=[section for section in sections if section.entries],
        examples=textwrap.dedent(examples.strip("\n")).strip().splitlines(),
    )


def _commands(command: click.Command, context: click.Context) -> Iterator[HelpSection]:
    """The commands of a group, under their headings."""
    if not isinstance(command, click.Group):
        return
    entries: dict[str, list[HelpEntry]] = {}
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        if found is not None:
            about = inspect.cleandoc(found.help or "").partition("\n")[0]
            heading: str = getattr(command, "heading_of", lambda _: "Commands")(name)
            entries.setdefault(heading, []).append(HelpEntry(name, about))
    yield from (HelpSection(heading, each, commands=True) for heading, each in entries.items())


def _options(options: Sequence[click.Option]) -> Iterator[HelpSection]:
    """The options under their headings; those of one command alone come first."""
    entries: dict[str, list[HelpEntry]] = {OWN: []}
    for each in options:
        heading = GLOBAL if "--help" in each.opts else getattr(each, "rich_help_panel", None)
        entries.setdefault(heading or OWN, []).append(_option(each))
    yield from (HelpSection(heading, each) for heading, each in entries.items())


def _status(command: click.Command) -> Iterator[HelpEntry]:
    if isinstance(command, click.Group):
        yield from (HelpEntry(*each) for each in _STATUS)


def _operands(command: click.Command, arguments: Sequence[click.Argument]) -> Iterator[str]:
    if isinstance(command, click.Group):
        yield "COMMAND ..."
    for each in arguments:
        word = _word(each) + ("..." if each.nargs < 0 else "")
        yield word if each.required else f"[{word}]"


def _argument(argument: click.Argument) -> HelpEntry:
    about: str = vars(argument)["help"] or ""
    return HelpEntry(_word(argument), about)


def _word(argument: click.Argument) -> str:
    """The name of an argument, without the marks for 'optional' and 'repeated'."""
    return _value(argument).removesuffix("...").strip("[]")


def _option(option: click.Option) -> HelpEntry:
    spelling = ", ".join(sorted(option.opts, key=len))
    label = spelling if option.is_flag else f"{spelling} {_value(option)}"
    about = option.help or ""
    if option.default is not None and isinstance(option.type, click.Choice):
        about = f"{about} Default: {option.default}."
    return HelpEntry(label, about)


def _value(parameter: click.Parameter) -> str:
    if parameter.metavar:
        return parameter.metavar
    if isinstance(parameter.type, click.Choice):
        return "|".join(map(str, parameter.type.choices))
    return parameter.type.name.upper()


_INDENT = "  "
_WIDEST_LABEL = 26


def as_text(manual: Manual, width: int) -> str:
    """The manual in lines no wider than `width`; long words and examples may be wider."""
    return "\n".join(_lines(manual, width)) + "\n"


def _lines(manual: Manual, width: int) -> Iterator[str]:
    yield from _wrapped(f"Usage: {manual.usage}", width, "", " " * len("Usage: "))
    for paragraph in manual.about:
        yield ""
        yield from _wrapped(paragraph, width, _INDENT, _INDENT)
    for section in manual.sections:
        yield from ("", f"{section.heading}:")
        yield from _entries(section.entries, width)
    if manual.examples:
        yield from ("", "Examples:")
        yield from (f"{_INDENT}{line}".rstrip() for line in manual.examples)


def _entries(entries: Sequence[HelpEntry], width: int) -> Iterator[str]:
    column = min(_WIDEST_LABEL, width // 3, max(len(entry.label) for entry in entries))
    hanging = " " * (len(_INDENT) + column + 2)
    for entry in entries:
        first = f"{_INDENT}{entry.label:{column}}  "
        if len(entry.label) > column:
            yield first.rstrip()
            first = hanging
        yield from _wrapped(entry.about, width, first, hanging) or [first.rstrip()]


def _wrapped(text: str, width: int, first: str, hanging: str) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
