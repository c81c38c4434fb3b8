"""Plain text: one section; and reStructuredText, whose headings are underlined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.headings import Heading, sections_below
from biblicus_context.ingest.chunks.section import Parsed, Section
from biblicus_context.ingest.files.content import Content

_LABEL = ".. _"
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")


@door
def read_text(content: Content) -> Parsed:
    """The whole file."""
    return Parsed("text", (Section(content.text(), first_line=1),))


@door
def read_rst(content: Content) -> Parsed:
    """A section below each heading; levels are as deep as their underlines are new."""
    text = content.text()
    headings = [*_headings(text.split("\n"))]
    title = headings[0].text if headings else ""
    return Parsed("rst", tuple(sections_below(text, headings)), title=title)


def _headings(lines: Sequence[str]) -> Iterator[Heading]:
    styles: list[str] = []
    for at in range(1, len(lines)):
        words, rule = lines[at - 1].strip(), _RULE.match(lines[at])
        if not rule or not words or _RULE.match(words) or len(lines[at].rstrip()) < len(words):
            continue
        overlined = at >= 2 and lines[at - 2].rstrip() == lines[at].rstrip()
        if not overlined and lines[at - 1][0] in " \t":
            continue
        style = rule[1] * (2 if overlined else 1)
        if style not in styles:
            styles.append(style)
        begin = _with_labels(lines, at - 1 if overlined else at)
        yield Heading(line=begin, level=styles.index(style) + 1, text=words)


def _with_labels(lines: Sequence[str], line: int) -> int:
    """The line that a section begins in: that of the labels which links name it by, if it has any."""
    begin = before = line
    while before > 1 and (not lines[before - 2].strip() or lines[before - 2].startswith(_LABEL)):
        before -= 1
        if lines[before - 1].strip():
            begin = before
    return begin
