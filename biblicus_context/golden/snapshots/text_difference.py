"""The difference between two texts, small enough to be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from itertools import islice

_MOST_ROWS = 40
_AROUND = 2
_LONGEST_ROW = 160
_COMPARED = 2000
"""Rows compared after the first difference: nobody reads more."""
_SEARCHED = 200_000
_SOUGHT = 64
"""Characters of a text that are searched for; many more would take minutes."""
_LONGEST_WORD = 40
_SPACE = re.compile(r"\s")
_AFTER_A_CLAUSE = re.compile(r"(?<=[.!?;:,] )")


def difference(expected: str, found: str) -> tuple[str, ...]:
    """Rows that only one of the texts has: those expected with a -, those found with a +.

    >>> print(*difference("Hello.\\nAnswer first.", "Hello.\\nAnswer last."), sep="\\n")
     Hello.
    -Answer first.
    +Answer last.
    """
    old, new = list(_rows(expected)), list(_rows(found))
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    part = slice(max(0, same - _AROUND), same + _COMPARED)
    compared = unified_diff(old[part], new[part], n=_AROUND, lineterm="")
    rows = list(islice(compared, 3, None))
    shown = ["..." if row.startswith("@@") else row for row in rows[:_MOST_ROWS]]
    left = len(rows) - len(shown)
    return (*shown, f"... and {left} more rows") if left else tuple(shown)


def nearest_passage(wanted: str, text: str) -> str | None:
    """The passage of a text that is closest to a missing phrase, in whole words."""
    from rapidfuzz import fuzz  # loaded only when something is wrong

    found = fuzz.partial_ratio_alignment(wanted[:_SOUGHT], text[:_SEARCHED], score_cutoff=60)
    if found is None:
        return None
    start, end = found.dest_start, found.dest_end
    begun = _SPACE.split(text[max(0, start - _LONGEST_WORD) : start])[-1]
    rest = _SPACE.split(text[end : end + _LONGEST_WORD])[0]
    return f"{begun}{text[start:end]}{rest}".strip()


def clipped(text: str) -> str:
    """A text without its middle where it is too long for one row."""
    if len(text) <= _LONGEST_ROW:
        return text
    half = _LONGEST_ROW // 2
    return f"{text[:half]} [...] {text[-half:]}"


def _rows(text: str) -> Iterator[str]:
    """The lines of a text; a long one in clauses, so that a difference in it is seen."""
    for line in text.split("\n"):
        shown = _visible(line)
        if len(shown) <= _LONGEST_ROW:
            yield shown
            continue
        for clause in _AFTER_A_CLAUSE.split(shown):
            for start in range(0, len(clause), _LONGEST_ROW):
                yield clause[start : start + _LONGEST_ROW]


def _visible(line: str) -> str:
    """A line in which control characters and spaces at its end can be seen."""
    shown = line if line.isprintable() else repr(line)[1:-1]
    bare = shown.rstrip(" ")
    return bare + r"\x20" * (len(shown) - len(bare))
