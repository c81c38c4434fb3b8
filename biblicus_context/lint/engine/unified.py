"""The change that edits make to a text, as a unified diff.

The edits name the changed lines, so no line has to be compared with any other: `difflib` needs a
minute for a few thousand repeated lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_CONTEXT: Final = 3
_NO_END: Final = "\\ No newline at end of file\n"


class Cut(NamedTuple):
    """Replace the characters from `start` up to, but not including, `end`."""

    start: int
    end: int
    text: str


class _Change(NamedTuple):
    """Lines of the text before, and the lines that replace them."""

    first: int
    last: int
    """The line after the last one."""
    lines: Sequence[str]


def edited(text: str, cuts: Sequence[Cut]) -> str:
    """The text after its edits, which must not overlap."""
    parts: list[str] = []
    at = 0
    for cut in sorted(cuts):
        parts += [text[at : cut.start], cut.text]
        at = cut.end
    return "".join([*parts, text[at:]])


def unified(file: str, text: str, cuts: Sequence[Cut]) -> str:
    """The change as a unified diff, which `patch` can apply.

    >>> print(unified("a.yaml", "x: 1\\ny: 2\\n", [Cut(3, 4, "5")]), end="")
    --- a.yaml
    +++ a.yaml
    @@ -1,2 +1,2 @@
    -x: 1
    +x: 5
     y: 2
    """
    lines = _lines(text)
    changes = [
        each for each in _changes(text, lines, cuts) if each.lines != lines[each.first : each.last]
    ]
    if not changes:
        return ""
    shift = 0
    parts = [f"--- {file}\n+++ {file}\n"]
    for hunk in _hunks(changes):
        first = max(0, hunk[0].first - _CONTEXT)
        last = min(len(lines), hunk[-1].last + _CONTEXT)
        grown = sum(len(each.lines) - (each.last - each.first) for each in hunk)
        before, after = _range(first, last - first), _range(first + shift, last - first + grown)
        parts.append(f"@@ -{before} +{after} @@\n")
        parts += _body(lines, hunk, first, last)
        shift += grown
    return "".join(parts)


def _lines(text: str) -> list[str]:
    """Lines as `patch` counts them, which end with a line feed and nothing else."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _changes(text: str, lines: Sequence[str], cuts: Sequence[Cut]) -> Iterator[_Change]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    waiting: list[Cut] = []
    first = last = 0
    for cut in sorted(cuts):
        begins = min(bisect_right(starts, cut.start) - 1, len(lines))
        if waiting and begins >= last:
            yield _change(text, starts, first, last, waiting)
            waiting = []
        first = first if waiting else begins
        last = max(last, begins, _after(starts, cut, len(lines)))
        waiting.append(cut)
    if waiting:
        yield _change(text, starts, first, last, waiting)


def _after(starts: Sequence[int], cut: Cut, count: int) -> int:
    """The line after the last one that a cut touches; whole lines leave the next one as it is."""
    line = bisect_right(starts, cut.end) - 1
    begins_line = starts[bisect_right(starts, cut.start) - 1] == cut.start
    is_whole = begins_line and starts[line] == cut.end and cut.text[-1:] in ("", "\n")
    return line if is_whole else min(line + 1, count)


def _change(
    text: str, starts: Sequence[int], first: int, last: int, cuts: Sequence[Cut]
) -> _Change:
    begin, end = starts[first], starts[last]
    own = [Cut(cut.start - begin, cut.end - begin, cut.text) for cut in cuts]
    return _Change(first, last, _lines(edited(text[begin:end], own)))


def _hunks(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.first - hunk[-1].last > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    yield hunk


def _body(lines: Sequence[str], hunk: Sequence[_Change], first: int, last: int) -> Iterator[str]:
    at = first
    for change in hunk:
        yield from (_written(" ", line) for line in lines[at : change.first])
        yield from (_written("-", line) for line in lines[change.first : change.last])
        yield from (_written("+", line) for line in change.lines)
        at = change.last
    yield from (_written(" ", line) for line in lines[at:last])


def _written(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"


def _range(first: int, count: int) -> str:
    """A range as unified diffs write it; an empty one names the line before it."""
    if count == 1:
        return str(first + 1)
    return f"{first + 1 if count else first},{count}"
