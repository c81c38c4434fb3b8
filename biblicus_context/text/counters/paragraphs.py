"""Where a text may be cut so that its parts count exactly as much as the whole.

The split patterns of GPT-style vocabularies end a token behind the last line break of a run, unless
white space or (in o200k_base) a slash follows, and look at nothing before the place where a token
starts. So the tokens on the two sides of a blank line do not depend on each other.
"""

from __future__ import annotations

import string
from typing import Final

BREAK: Final = "\n\n"

_WHITE_SPACE: Final = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_JOINS_A_BREAK: Final = frozenset(("", "/", *_WHITE_SPACE))
_LETTERS: Final = frozenset(string.ascii_letters + string.digits)
_MARKS: Final = string.punctuation + " "
_LONGEST_ENDING: Final = 8


def paragraphs(text: str) -> list[str]:
    """The parts of a text to count one by one, each but the last with `BREAK` behind it.

    >>> paragraphs("One.\\n\\nTwo.\\n\\n indented")
    ['One.', 'Two.\\n\\n indented']
    """
    # rsplit takes a third of the time of split, and leaves a third line break to the part before.
    parts = text.rsplit(BREAK)
    if _JOINS_A_BREAK.isdisjoint([part[:1] for part in parts[1:]]):
        return parts
    return _joined(parts)


def ending(paragraph: str) -> str | None:
    """The marks and spaces a paragraph closes with, if they decide what a break behind it adds.

    They do when a plain letter or digit stands before them and the first is not an apostrophe: a
    token ends there, so a break changes only tokens behind that place.

    >>> ending("Is it (really)?")
    ')?'
    """
    body = paragraph.rstrip(_MARKS)
    closing = paragraph[len(body) :]
    decides = body[-1:] in _LETTERS and closing[:1] != "'" and len(closing) <= _LONGEST_ENDING
    return closing if decides else None


def _joined(parts: list[str]) -> list[str]:
    groups = [parts[:1]]
    for part in parts[1:]:
        if part[:1] in _JOINS_A_BREAK:
            groups[-1].append(part)
        else:
            groups.append([part])
    if parts[-1] == "":
        groups[-1].pop()
        groups.append([""])
    return [BREAK.join(group) for group in groups]
