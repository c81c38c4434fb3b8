"""Manuals: the Markdown page next to a module of rules says what each of them finds, and why."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

_SECTION: Final = re.compile(r"^## (?P<code>\S+) ", re.MULTILINE)
_EXAMPLE: Final = re.compile(r"^```diff\n(?P<lines>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARKER: Final = re.compile(r"[ \t]*(?:# <- [A-Z]+\d+|\{# <- [A-Z]+\d+ #\})$", re.MULTILINE)
_UNSEEN: Final = re.compile(r"⟨U\+([0-9A-F]{4,6})⟩")
_MARGIN: Final = "    "


@dataclass(frozen=True, slots=True)
class RuleManual:
    """What a page says about one rule."""

    heading: str
    """The code and the name."""
    note: str = ""
    """The severity, and who else finds it."""
    finds: str = ""
    """One sentence: what it finds."""
    why: str = ""
    """Why that matters."""
    instead: str = ""
    """What to write instead."""
    example: str = ""
    """A diff from plans with findings, in lines that end with `# <- CODE`, to plans without any.

    A character that nobody sees is written as in ⟨U+200B⟩.
    """

    @property
    def bad(self) -> str:
        """The example before its correction; empty where a page cannot show one."""
        return _side(self.example, "+")

    @property
    def good(self) -> str:
        """The example after its correction, in which no rule finds anything."""
        return _MARKER.sub("", _side(self.example, "-"))

    def text(self, width: int = 80) -> str:
        """The manual for a terminal of this width; lines of the example are not wrapped."""
        severity = self.note.partition(";")[0].strip("*.")
        title = f"{self.heading} ({severity})" if severity else self.heading
        prose = (_wrapped(each, width) for each in (self.finds, self.why, self.instead) if each)
        example = textwrap.indent(self.example, _MARGIN).rstrip()
        return "\n\n".join([title, *prose, *([example] if example else [])])


@dataclass(frozen=True, slots=True)
class ManualPage:
    """The manuals of the rules of one module."""

    title: str = ""
    summary: str = ""
    manuals: Mapping[str, RuleManual] = field(default_factory=dict)
    """By the code of the rule."""

    @classmethod
    def parse(cls, text: str) -> ManualPage:
        """Read a page: a title, a summary, and a section for each rule."""
        start, *sections = _split(text)
        title, summary, *_ = [*_paragraphs(start), "", ""]
        manuals = (_manual(section) for section in sections)
        return cls(title.lstrip("# "), summary, {_code(each): each for each in manuals})


@cache
def page_of(module: str) -> ManualPage:
    """The page next to a module; an empty one where there is none."""
    file = vars(sys.modules[module]).get("__file__") if module in sys.modules else None
    page = Path(file).with_suffix(".md") if file else None
    return (
        ManualPage.parse(page.read_text(encoding="utf-8"))
        if page and page.is_file()
        else ManualPage()
    )


def _split(text: str) -> Iterator[str]:
    """What is before the first section, then each section without its `##`."""
    starts = [match.start() for match in _SECTION.finditer(text)]
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        yield text[start:end].removeprefix("## ")


def _manual(section: str) -> RuleManual:
    example = _EXAMPLE.search(section)
    prose = section[: example.start()] if example else section
    return RuleManual(*_five(_paragraphs(prose)), example["lines"] if example else "")


def _five(paragraphs: list[str]) -> tuple[str, str, str, str, str]:
    heading, note, finds, why, instead, *_ = [*paragraphs, "", "", "", ""]
    return heading, note, finds, why, instead


def _paragraphs(text: str) -> list[str]:
    return [" ".join(each.split()) for each in text.strip().split("\n\n")]


def _code(manual: RuleManual) -> str:
    return manual.heading.partition(" ")[0]


def _side(diff: str, other: str) -> str:
    """One side of a diff: the lines of both, and those that are not of the other side."""
    text = "".join(line[2:] or "\n" for line in diff.splitlines(keepends=True) if line[0] != other)
    return _UNSEEN.sub(lambda match: chr(int(match[1], 16)), text)


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
