"""Cutting: the longest start or end of a text that fits a number of tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from biblicus_context.base.doors import door
from biblicus_context.text.cutting.graphemes import boundary_after, boundary_before

if TYPE_CHECKING:
    from biblicus_context.text.counters.protocol import Counter

_WORD_REACH: Final = 24
"""How far a cut moves to fall between words."""
_USUAL_DENSITY: Final = 4.0
"""Characters for a token, before any part of the text is counted."""
_SAMPLE: Final = 2_000
"""Characters of the first count, which shows how many tokens a character has."""
_CAUTION: Final = 0.95
"""Pieces are taken a little too short: one that is too long is counted in vain."""
_NEAR: Final = 8
"""With this few tokens left, the place where they end is known well enough."""
_MOST_GUESSES: Final = 8
"""After this number of interpolations the search halves its range instead."""
_TOLERANCE: Final = 512
"""Of this number of tokens one may stay unused: another count of a long text costs more."""
_LONG_TOKEN: Final = 128
"""A rest of this few characters may belong to the last token that fits, so it is tried."""
_LONGEST_STEP: Final = 16
"""Characters in a search for the next good cut; a wider search skips cuts."""
_SURELY_MORE: Final = 16
"""Characters for a token; a text with more is probably too long, and not counted whole."""

UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4cf\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Characters of scripts that put no spaces between words, as a range in a pattern."""
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_MARK: Final = re.compile(r"[ \t]*\\?(?:#{1,6}|[-*+>|]|\d{1,4}[.)])")
"""What a line of Markdown begins with: nothing but it says nothing."""


@door
def longest_start(text: str, max_tokens: int, counter: Counter) -> str:
    """The longest start of a text of at most `max_tokens`.

    >>> from biblicus_context.text.counters.simple import WhitespaceCounter
    >>> longest_start("one two three", 2, WhitespaceCounter())
    'one two'
    """
    return text[: _longest(_Start(text), max_tokens, counter)]


def longest_end(text: str, max_tokens: int, counter: Counter) -> str:
    """The longest end of a text of at most `max_tokens`.

    >>> from biblicus_context.text.counters.simple import WhitespaceCounter
    >>> longest_end("one two three", 2, WhitespaceCounter())
    'two three'
    """
    return text[len(text) - _longest(_End(text), max_tokens, counter) :]


def tokens_within(text: str, max_tokens: int, counter: Counter) -> int | None:
    """The tokens of a text, or None if it has more than `max_tokens`."""
    most = max_tokens * _SURELY_MORE
    if len(text) > most > 0 and counter.count(text[:most]) > 2 * max_tokens:
        return None
    tokens = counter.count(text)
    return tokens if tokens <= max_tokens else None


def fits(text: str, max_tokens: int, counter: Counter) -> bool:
    """Whether a text has at most `max_tokens`."""
    return tokens_within(text, max_tokens, counter) is not None


class _Side(Protocol):
    """A text and the side of it that is kept; lengths are measured from there."""

    @property
    def text(self) -> str: ...

    def part(self, begin: int, end: int) -> str: ...

    def cut(self, length: int) -> int:
        """The largest length up to this one that splits no grapheme and, if near, no word."""
        ...

    def word(self, length: int) -> int:
        """The length that completes the word cut at this one; 0 if its end is not near."""
        ...


@dataclass(frozen=True, slots=True)
class _Start:
    text: str

    def part(self, begin: int, end: int) -> str:
        return self.text[begin:end]

    def cut(self, length: int) -> int:
        return _word_end(self.text, boundary_before(self.text, length))

    def word(self, length: int) -> int:
        window = self.text[length : length + _WORD_REACH]
        word = "" if window[:1].isspace() else "".join(window.split(maxsplit=1)[:1])
        return length + len(word) if len(word) < _WORD_REACH else 0


@dataclass(frozen=True, slots=True)
class _End:
    text: str

    def part(self, begin: int, end: int) -> str:
        return self.text[max(0, len(self.text) - end) : len(self.text) - begin]

    def cut(self, length: int) -> int:
        start = boundary_after(self.text, len(self.text) - length)
        return len(self.text) - _word_start(self.text, start)

    def word(self, length: int) -> int:
        start = len(self.text) - length
        window = self.text[max(0, start - _WORD_REACH) : start]
        word = "" if window[-1:].isspace() else "".join(window.rsplit(maxsplit=1)[-1:])
        return length + len(word) if len(word) < _WORD_REACH else 0


def _longest(side: _Side, max_tokens: int, counter: Counter) -> int:
    """The largest good length that fits; it has always been counted."""
    size = len(side.text)
    if max_tokens <= 0:
        return 0
    kept, used = 0, 0
    over, over_tokens = size + 1, 0
    probable = size if size <= _SAMPLE else _probable_length(side, max_tokens, counter)
    # A longer text may have fewer tokens ("Models" is one, "Model" and "s" are two): the whole
    # text is tried where it may fit, and in the end the word that the cut splits.
    if size > probable > size * 7 // 8 and counter.count(side.text) <= max_tokens:
        return size
    cut = _next_cut(side, probable, kept, over)
    guesses = 0
    while cut:
        guesses += 1
        tokens = counter.count(side.part(0, cut))
        if tokens <= max_tokens:
            kept, used = cut, tokens
        else:
            over, over_tokens = cut, tokens
        if max_tokens - used < max_tokens // _TOLERANCE and size - kept > _LONG_TOKEN:
            break
        if guesses > _MOST_GUESSES:
            wanted = (kept + over) // 2
        elif over_tokens:
            wanted = kept + (over - kept) * (max_tokens - used) // (over_tokens - used)
        else:
            wanted = kept + (max_tokens - used) * kept // max(1, used)
        cut = _next_cut(side, wanted, kept, over)
    word = side.cut(side.word(kept))
    return word if word > kept and counter.count(side.part(0, word)) <= max_tokens else kept


def _next_cut(side: _Side, wanted: int, kept: int, over: int) -> int:
    """A good length near the wanted one, between `kept` and `over`; 0 if none is."""
    wanted = max(kept + 1, min(wanted, over - 1))
    step = 1
    while wanted < over:
        cut = side.cut(wanted)
        if cut > kept:
            return cut
        if wanted == over - 1:
            break
        wanted = min(wanted + step, over - 1)
        step = min(4 * step, _LONGEST_STEP)
    return 0


def _probable_length(side: _Side, max_tokens: int, counter: Counter) -> int:
    """Estimate where the tokens end by counting the text piece by piece."""
    size = len(side.text)
    end, left, density = 0, max_tokens, _USUAL_DENSITY
    step = min(_SAMPLE, int(left * density))
    for _ in range(_MOST_GUESSES):
        piece = side.part(end, end + step)
        tokens = counter.count(piece)
        density = len(piece) / max(1, tokens)
        if tokens <= left:
            end, left = end + len(piece), left - tokens
        step = int(left * density * _CAUTION)
        if end >= size or step < 1 or left <= _NEAR + max_tokens // _TOLERANCE:
            break
    return end + int(left * density)


def _word_end(text: str, index: int) -> int:
    """The end of the last whole word before `index`, or `index` if it is not near."""
    if index in (0, len(text)):
        return index
    first = max(0, index - _WORD_REACH)
    window = text[first:index]
    if window[-1].isspace() or text[index].isspace():
        kept = window.rstrip()
    elif _UNSPACED.match(window[-1]) or _UNSPACED.match(text[index]):
        return index
    else:
        words = window.rsplit(maxsplit=1)
        kept = words[0] if len(words) > 1 else ""
    if "\n" in kept:
        kept = _without_stump(kept)
    return (kept and boundary_before(text, first + len(kept))) or index


def _without_stump(text: str) -> str:
    """A text without a last line that is nothing but a mark; it stays where nothing is before it.

    >>> _without_stump("The end.\\n\\n##")
    'The end.'
    """
    line = text.rfind("\n") + 1
    if line and _MARK.fullmatch(text, line):
        return text[:line].rstrip() or text
    return text


def _word_start(text: str, index: int) -> int:
    """The next start of a word or a line, or `index` if it is not near."""
    if index in (0, len(text)):
        return index
    window = text[index : index + _WORD_REACH]
    if text[index - 1].isspace() or window[0].isspace():
        rest = window.lstrip()
    elif _UNSPACED.match(text[index - 1]) or _UNSPACED.match(window[0]):
        return index
    else:
        rest = "".join(window.split(maxsplit=1)[1:])
    if not rest:
        return index
    start = index + len(window) - len(rest)
    line_start = text.rfind("\n", index - 1, start) + 1  # the indentation of a line stays with it
    return boundary_after(text, line_start or start)
