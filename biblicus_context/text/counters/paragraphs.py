"""Where a text can be cut so that the counts of its parts add up to the count of the whole.

The split patterns of GPT-style vocabularies end a token after the last line break of a run, unless
white space or (in o200k_base) a slash follows. They never look back beyond the start of a token. So
the tokens before a blank line do not depend on those after it.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BREAK: Final = "\n\n"

_WHITE_SPACE: Final = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_A_BREAK: Final = frozenset((BREAK,))
_JOINS_A_BREAK: Final = frozenset(("", "/", *_WHITE_SPACE))
_start: Final = itemgetter(slice(1))


def paragraphs(text: str) -> Sequence[str]:
    """The parts of a text to count one by one; all but the last are followed by `BREAK`.

    >>> paragraphs("One.\\n\\nTwo.\\n\\n indented")
    ['One.', 'Two.\\n\\n indented']
    """
    # rsplit takes a third of the time of split. Of three line breaks it leaves the first to the part
    # before, where the tokenizer has it too; split would leave the third to the part after.
    parts = text.rsplit(BREAK)
    return separable([one for part in parts for one in (part, BREAK)][:-1])


def separable(parts: Sequence[str]) -> Sequence[str]:
    """The same for a text in parts: a part, its separator, the next part, and so on.

    >>> separable(["One.", "\\n\\n", "Two.", "\\n\\n", " indented", ", ", "more"])
    ['One.', 'Two.\\n\\n indented, more']
    """
    assert len(parts) % 2 or not parts, "a text in parts ends with a part"
    if len(parts) == 1:
        return parts
    texts = parts[::2]
    if _A_BREAK.issuperset(parts[1::2]) and _JOINS_A_BREAK.isdisjoint(map(_start, texts[1:])):
        return texts
    irregular = [
        at
        for at, (separator, text) in enumerate(zip(parts[1::2], texts[1:], strict=True))
        if separator != BREAK or text[:1] in _JOINS_A_BREAK
    ]
    return [*_grouped(texts, parts[1::2], irregular)]


def _grouped(
    texts: Sequence[str], separators: Sequence[str], irregular: Sequence[int]
) -> Iterator[str]:
    """The texts, joined where they are separated by anything but a break that ends a token.

    Most separators are regular, also where a header or a footer is joined to the first and the last.
    """
    group, following = [texts[0]], 1
    for at in irregular:
        if at >= following:
            yield "".join(group)
            yield from texts[following:at]
            group = [texts[at]]
        separator, text = separators[at], texts[at + 1]
        if separator.endswith(BREAK) and text[:1] not in _JOINS_A_BREAK:
            yield "".join([*group, separator.removesuffix(BREAK)])
            group = [text]
        else:
            group += (separator, text)
        following = at + 2
    yield "".join(group)
    yield from texts[following:]
