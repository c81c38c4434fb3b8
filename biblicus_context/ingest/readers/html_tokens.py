"""The tags and texts of an HTML page, in time that grows with its length, whatever is in it.

The parser of the standard library reads to the end of the page again and again where something is
not closed: 96 kB of `<a b="` take it 13 seconds. Here every look-ahead that fails can fail only once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

TokenKind: TypeAlias = Literal["start", "end", "text"]


class Token(NamedTuple):
    """A start tag, an end tag (both by their names, in lower case) or a text, and its line."""

    kind: TokenKind
    value: str
    line: int


_NAME: Final = re.compile(r"[a-zA-Z][^\s/>\0]*+")
# A quote only opens a value after `=`. One that is not closed is read as part of a name, so that the
# tag still ends at the next `>`: there is no later quote, so it costs a look to the end only once.
_ATTRIBUTES: Final = re.compile(
    r"""(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])[^\s>]*+))?+)*+>"""
)
_SIMPLE: Final = re.compile(r"[^<>]*+>")
_RAW: Final = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")
}
"""Elements whose content has no tags, and where they end."""
_HUGE: Final = re.compile(r"&#0*+[0-9]{8,}+;?")


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a page in order; comments and declarations are left out.

    >>> [*tokens("<p>1 &lt; 2<!-- a --></P>")]
    [Token(kind='start', value='p', line=1), Token(kind='text', value='1 < 2', line=1), Token(kind='end', value='p', line=1)]
    """
    return _Scan(text).tokens()


class _Scan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0
        self._absent: set[str] = set()
        self._tags_end = True

    def tokens(self) -> Iterator[Token]:
        text, size = self._text, len(self._text)
        while self._at < size:
            opened = text.find("<", self._at)
            if opened != self._at:
                end = size if opened < 0 else opened
                yield self._said(self._at, end)
                self._at = end
                continue
            yield from self._markup(opened)

    def _markup(self, opened: int) -> Iterator[Token]:
        """The tokens of what begins with `<` here; `<` itself is text if nothing does."""
        after = self._text[opened + 1 : opened + 2]
        if after in ("!", "?"):
            end = self._end_of_declaration(opened)
        elif after == "/":
            end = self._end_after(">", opened)
            if end and (name := _NAME.match(self._text, opened + 2)):
                yield Token("end", name[0].lower(), self._line_at(opened))
        elif name := _NAME.match(self._text, opened + 1):
            end = self._end_of_tag(name.end())
            if end:
                yield from self._started(name[0].lower(), opened, end)
                return
        else:
            end = 0
        if not end:
            yield self._said(opened, opened + 1)
        self._at = end or opened + 1

    def _started(self, name: str, opened: int, end: int) -> Iterator[Token]:
        line = self._line_at(opened)
        yield Token("start", name, line)
        self._at = end
        if self._text[end - 2] == "/":
            yield Token("end", name, line)
        elif name in _RAW:
            closed = _RAW[name].search(self._text, end)
            stop = closed.start() if closed else len(self._text)
            if stop > end:
                yield Token("text", self._text[end:stop], self._line_at(end))
            self._at = stop

    def _end_of_tag(self, start: int) -> int:
        """The end of the tag whose attributes begin here; 0 if it has none.

        After one that reaches the end of the page, only tags without `<` in them are tags.
        """
        ended = (_ATTRIBUTES if self._tags_end else _SIMPLE).match(self._text, start)
        if ended is None:
            self._tags_end = False
            return 0
        return ended.end()

    def _end_of_declaration(self, opened: int) -> int:
        if self._text.startswith("<!--", opened):
            return self._end_after("-->", opened)
        if self._text.startswith("<![CDATA[", opened) and (end := self._end_after("]]>", opened)):
            return end
        return self._end_after(">", opened)

    def _end_after(self, mark: str, start: int) -> int:
        """The end of the next one of these marks; 0 if there is none, which is found out once."""
        found = -1 if mark in self._absent else self._text.find(mark, start)
        if found < 0:
            self._absent.add(mark)
            return 0
        return found + len(mark)

    def _said(self, start: int, end: int) -> Token:
        return Token("text", _unescaped(self._text[start:end]), self._line_at(start))

    def _line_at(self, place: int) -> int:
        self._line += self._text.count("\n", self._counted, place)
        self._counted = place
        return self._line


def _unescaped(text: str) -> str:
    # Python refuses to read numbers of thousands of digits; no character has more than seven.
    return html.unescape(_HUGE.sub("\ufffd", text)) if "&" in text else text
