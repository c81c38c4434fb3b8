"""HTML: the visible text of a page, in sections below its headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import Parsed, Section
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.html_tokens import Token, tokens

_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "nav", "head", "iframe"})
_BREAKING = frozenset(
    {"address", "article", "aside", "blockquote", "br", "dd", "details", "div", "dl", "dt"}
    | {"fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"}
    | {"header", "hr", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tr", "ul"}
)
_SEEN = frozenset({"body", "main", "article", "h1"})
"""Tags that always end hidden elements, so that one unclosed tag does not hide the page."""
_ENDS_LINE = frozenset({"br", "tr", "dt", "dd"})
_CELLS = frozenset({"td", "th"})
_HEADING = re.compile("h([1-6])$")
_SPACES = re.compile(r"[ \t\n\f\v\xa0]+")
_LINES = re.compile(r"\n{3,}")


@door
def read_html(content: Content) -> Parsed:
    """The text of a page; scripts, styles and navigation are left out."""
    text = content.text()
    page = _Page()
    for token in tokens(text):
        page.add(token)
    sections = tuple(page.sections(text.count("\n") + 1))
    first = next((section.heading[0] for section in sections if section.heading), "")
    return Parsed("html", sections, title=page.title or first)


class _Page:
    """Collects text below headings; tags that are not closed do no harm."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._found: list[Section] = []
        self._path: list[tuple[int, str]] = []
        self._unseen: list[str] = []
        self._open: Counter[str] = Counter()
        self._preformatted = 0
        self._title: list[str] | None = None
        self._heading: int | None = None
        self._first_line = self._line = 1
        self.title = ""

    def add(self, token: Token) -> None:
        """The next token of the page."""
        self._line = token.line
        match token.kind:
            case "start":
                self._start(token.value)
            case "end":
                self._end(token.value)
            case "text":
                self._say(token.value)

    def sections(self, last_line: int) -> Iterator[Section]:
        """Every section with text, the last one included, which ends in this line."""
        self._line = last_line
        self._end_section()
        yield from self._found

    def _start(self, tag: str) -> None:
        if tag == "title" and not self._open["svg"]:
            self._title = []
        if tag in _SEEN:
            self._unseen.clear()
            self._open.clear()
        if tag in _UNSEEN:
            self._unseen.append(tag)
            self._open[tag] += 1
        if self._unseen:
            return
        if heading := _HEADING.match(tag):
            self._end_section()
            self._heading = int(heading[1])
            self._first_line = self._line
        self._preformatted += tag == "pre"
        self._parts.append(" | " if tag in _CELLS else _break(tag))

    def _end(self, tag: str) -> None:
        if tag == "title" and self._title is not None:
            self.title, self._title = self.title or _squeezed("".join(self._title)), None
        if self._open[tag]:
            self._close(tag)
        if self._unseen:
            return
        if _HEADING.match(tag) and self._heading is not None:
            text = _squeezed("".join(self._parts))
            self._path = [each for each in self._path if each[0] < self._heading]
            self._path.append((self._heading, text))
            self._heading = None
        self._preformatted -= tag == "pre" and self._preformatted > 0
        self._parts.append(_break(tag) if tag != "li" else "")

    def _say(self, data: str) -> None:
        if self._title is not None:
            self._title.append(data)
        elif not self._unseen:
            self._parts.append(data if self._preformatted else _SPACES.sub(" ", data))

    def _close(self, tag: str) -> None:
        closed = ""
        while closed != tag:
            closed = self._unseen.pop()
            self._open[closed] -= 1

    def _end_section(self) -> None:
        text = _tidied("".join(self._parts))
        self._parts.clear()
        if text:
            heading = tuple(words for _, words in self._path if words)
            last = self._line
            self._found.append(
                Section(text, first_line=self._first_line, heading=heading, last_line=last)
            )
        self._first_line = self._line


def _break(tag: str) -> str:
    if tag == "li":
        return "\n- "
    if tag not in _BREAKING:
        return ""
    return "\n" if tag in _ENDS_LINE else "\n\n"


def _squeezed(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _tidied(text: str) -> str:
    lines = (line.rstrip() for line in text.split("\n"))
    stripped = (line if line.startswith("  ") else line.lstrip(" ") for line in lines)
    return _LINES.sub("\n\n", "\n".join(stripped)).strip()
