"""Texts of every mark, blank and hidden character: none has structure once its headings are escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from random import Random
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.attacks import Extent
from benchmarks.targets import Target
from biblicus_context.text import escaped_headings

HEADINGS: Final = 300_000
_HIDDEN: Final = (
    "\u200b\u200d\ufeff\u2060\u00ad\u034f\u061c\u3164\u115f\ufe0f\U000e0041\x00\x1b\x7f"
)
_SPACES: Final = " \t\u00a0\u2003\u3000\u202f\u205f\u1680\u2800\x1f"
_BREAKS: Final = ("\n", "\n\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029")
_PIECES: Final = (
    *("#", "##", "######", "#######", "**", "__", "***", "*", "_", "-", "--", "---", "=", "===", "+"),
    *("`", "```", "~~~", ">", "> ", "- ", "* ", "1. ", "2) ", "\\", "[", "]", "[a] [b]", "[…]", "(x)"),
    *("<h2>", "<H1 class=x>", "</h2>", "<b>", "<strong>", "</b>", "<div>", "</p>", "<p>", "<hr/>", "<!--", "-->"),
    *("<?", "<![CDATA[", "<script>", "<pre>", "<", "|", ":", "Memory", "a", "words", "é", "4 items", "    "),
    *_HIDDEN, *_SPACES, *_BREAKS,
)  # fmt: skip
_UNSEEN_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""What shows nothing and is a letter, a mark or a symbol to Unicode; also variation selectors (`_unseen`)."""
_LINE: Final = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LISTED: Final = re.compile(r"(?:>|(?:[-*+]|\d{1,9}[.)])(?=\s|$))\s*")
_TAG: Final = re.compile(r"</?[a-z][^<>]*>\s*", re.IGNORECASE)
_SECTION: Final = re.compile(r"#{1,6}(?:\s|$)|-(?:\s*-)*$|=(?:\s*=)*$|(?:\*\s*){3,}$|(?:_\s*){3,}$")
_ITEM: Final = re.compile(
    r"[*_]{2,}[^\s*_]|```|~~~|<[!?]|<(?:b|strong|h[1-6]|hr|script|style|pre|textarea)(?![\w-])"
    r"|\[.*\]$|\*[^\s*].*\*$|_[^\s_].*_$",
    re.IGNORECASE,
)
_READER: Final = MarkdownIt("commonmark")
_STRUCTURE: Final = frozenset({"heading_open", "hr", "fence"})


def texts(chance: Random) -> Iterator[str]:
    """Pieces in any order, most at the start of a line."""
    while True:
        text = "".join(chance.choices(_PIECES, k=chance.randint(1, 9)))
        yield chance.choice(("", "a", "words\n", "- a\n", "> a\n")) + text


def structure_in(text: str) -> str:
    """What of a text reads, or only looks, like structure; empty if nothing does.

    A parser says what it reads; what it looks like is said with all that is not seen taken away.
    """
    tokens = _READER.parse(text)
    for token in tokens:
        if token.type in _STRUCTURE or _is_bold(token):
            return f"{token.type} {token.content}"
    if not _ends_as_words(text):
        return "hides what follows"
    for line in _LINE.split(text):
        seen = _seen(line)
        if _ITEM.match(seen) and not seen.startswith("[…]"):
            return seen
        listed = _without(_LISTED, seen)
        inside = _without(_TAG, listed)
        if _SECTION.match(listed) or (inside != listed and re.match("<h[1-6]", inside, re.I)):
            return seen
    return ""


def _is_bold(token: Token) -> bool:
    """Whether a paragraph outside of quotes and lists begins in bold, as items do."""
    if token.type != "inline" or token.level != 1:
        return False
    shown = [each for each in token.children or () if each.content or each.type != "text"]
    return bool(shown) and shown[0].type == "strong_open"


def _ends_as_words(text: str) -> bool:
    *_, last, _ = _READER.parse(f"Words.\n\n{text}\n\nWords that follow.")
    return last.type == "inline" and last.level == 1 and last.content == "Words that follow."


def _seen(line: str) -> str:
    """A line as it looks: no hidden characters, every space a space."""
    return "".join(" " if each in _SPACES else each for each in line if not _unseen(each)).strip()


def _unseen(each: str) -> bool:
    is_hidden = unicodedata.category(each) in ("Cf", "Cc") and each not in _SPACES
    return (
        is_hidden or each in _UNSEEN_LETTERS or "VARIATION SELECTOR" in unicodedata.name(each, "")
    )


def _without(mark: re.Pattern[str], line: str) -> str:
    while match := mark.match(line):
        line = line[match.end() :]
    return line


def headings(extent: Extent) -> Iterator[Target]:
    """Every text escaped, read and looked at."""
    wanted, forged, changed = extent.of(HEADINGS), 0, 0
    for text, _ in zip(texts(Random(1)), range(wanted), strict=False):
        escaped = escaped_headings(text)
        changed += escaped.replace("\\", "") != text.replace("\\", "")
        if found := structure_in(escaped):
            forged += 1
            if forged <= 20:
                print(f"  {text!r} -> {escaped!r}: {found!r}", flush=True)
    yield Target("attack: texts with escaped headings", wanted, "texts")
    yield Target("attack: texts that forge structure", forged, "texts", at_most=0)
    yield Target("attack: texts that lose a character", changed, "texts", at_most=0)
