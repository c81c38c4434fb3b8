"""A manual laid out for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from biblicus_context.cli.manual import Entry, Manual

_INDENT = "  "
_WIDEST_LABEL = 26


def as_text(manual: Manual, width: int) -> str:
    """The manual in lines no wider than `width`, as far as words and examples allow."""
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


def _entries(entries: Sequence[Entry], width: int) -> Iterator[str]:
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
