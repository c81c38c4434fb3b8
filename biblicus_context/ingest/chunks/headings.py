"""A text with headings becomes one section for each, with the path of headings above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from biblicus_context.ingest.chunks.section import Section


class Heading(NamedTuple):
    """A heading, the line it begins in (from 1), and how deep it is (from 1)."""

    line: int
    level: int
    text: str


def sections_below(text: str, headings: Sequence[Heading]) -> Iterator[Section]:
    """The text in sections that begin with their heading; every line is in exactly one.

    >>> [(part.heading, part.text) for part in sections_below("a\\n# B\\nc", [Heading(2, 1, "B")])]
    [((), 'a'), (('B',), '# B\\nc')]
    """
    lines = text.split("\n")
    path: list[Heading] = []
    starts = [1, *(heading.line for heading in headings), len(lines) + 1]
    for index, (start, end) in enumerate(pairwise(starts)):
        if index:
            heading = headings[index - 1]
            path = [*(above for above in path if above.level < heading.level), heading]
        if any(line.strip() for line in lines[start - 1 : end - 1]):
            yield Section(
                "\n".join(lines[start - 1 : end - 1]),
                first_line=start,
                heading=tuple(above.text for above in path),
            )


_LABEL: Final = ".. _"
"""Of reStructuredText: the name by which links find the section below it."""
_MARKS: Final = " \t#=-~^*+`'\""


def is_heading_only(section: Section, text: str) -> bool:
    """Whether a part of a section says no more than its headings do: it is not worth a block.

    >>> section = Section("# Tea\\n\\nHot.", heading=("Tea",))
    >>> is_heading_only(section, "# Tea"), is_heading_only(section, "# Tea\\n\\nHot.")
    (True, False)
    """
    if not section.heading:
        return False
    words = {each.strip(_MARKS) for each in section.heading}
    for line in text.splitlines():
        bare = line.strip(_MARKS)
        if bare and bare not in words and not line.startswith(_LABEL):
            return False
    return True
