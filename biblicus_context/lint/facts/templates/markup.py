"""Tags and fences around a placeholder, which its value could close."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final

_TAG: Final = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w.:-]*)(?P<rest>[^<>]*)>")
_OPENS: Final = re.compile(r"<[A-Za-z]")
_CLOSES: Final = re.compile(r"</(?P<name>[A-Za-z][\w.:-]*)>")
_ANGLE: Final = re.compile("[<>]")
_FENCES: Final = ("```", "~~~", '"""', "'''")


def has_marks(text: str) -> bool:
    """Whether a text contains a tag or a fence."""
    return "<" in text or any(fence in text for fence in _FENCES)


class Markup:
    """The tags and fences of a text, read once from its beginning to its end.

    >>> markup = Markup("Read <page></page>")
    >>> markup.around(11), markup.around(18)
    ('<page>', None)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._angles = [match.start() for match in _ANGLE.finditer(text)]
        self._tags = list(_TAG.finditer(text))
        self._read = 0
        self._open: list[str] = []
        self._count: Counter[str] = Counter()
        self._last_end = {match["name"]: match.start() for match in _CLOSES.finditer(text)}
        self._fences = {fence: _ends(text, fence) for fence in _FENCES if fence in text}

    def around(self, offset: int) -> str | None:
        """The innermost tag or fence that is open there; offsets must not decrease."""
        if self._is_in_tag(offset):
            return "a tag"
        while self._read < len(self._tags) and self._tags[self._read].end() <= offset:
            self._read_tag(self._tags[self._read])
            self._read += 1
        while self._open and self._last_end.get(self._open[-1], -1) < offset:
            self._pop()  # nothing closes it from here on
        if self._open:
            return f"<{self._open[-1]}>"
        for fence, ends in self._fences.items():
            before = bisect_left(ends, offset + 1)
            if before % 2 and self._text.rfind(fence) >= offset:
                return fence
        return None

    def _is_in_tag(self, offset: int) -> bool:
        at = bisect_left(self._angles, offset) - 1
        if at < 0 or not _OPENS.match(self._text, self._angles[at], offset):
            return False
        return self._text.rfind(">") >= offset

    def _read_tag(self, tag: re.Match[str]) -> None:
        name = tag["name"]
        if not tag["end"]:
            if not tag["rest"].endswith("/"):
                self._open.append(name)
                self._count[name] += 1
        elif self._count[name]:
            while self._pop() != name:
                pass

    def _pop(self) -> str:
        name = self._open.pop()
        self._count[name] -= 1
        return name


def _ends(text: str, fence: str) -> Sequence[int]:
    return [match.end() for match in re.finditer(re.escape(fence), text)]
