"""The page of `explain --html`, as a browser shows it, inside an SVG that any Markdown can show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from biblicus_context import ContextAssembler, Corpus
from biblicus_context.reading.shipped import shipped
from generators.pictures.svg import svg

_QUESTION: Final = "Can I send back an opened lamp?"
_ASKED: Final = (
    (
        "Where is my order 4711?",
        "It left our warehouse on Monday, and should be with you tomorrow.",
    ),
    (
        "Can I still change the address?",
        "No, the parcel is with the carrier. You can leave a note for the driver.",
    ),
    (
        "How do I pay by invoice?",
        "Choose the invoice at the last step. It is due fourteen days after delivery.",
    ),
    (
        "Do you gift-wrap chairs?",
        "We wrap everything up to the size of a chair; larger things get a ribbon.",
    ),
    (
        "Is the oak table in stock?",
        "There are three left in oak, and more in beech from next week on.",
    ),
)
_PLAN: Final = {
    "policy": {"model": "gpt-4o", "input_budget": {"max_tokens": 4000}},
    "messages": [
        {
            "type": "system",
            "content": "You are a support agent for an online shop. Answer from the evidence.",
        },
        {"type": "context", "name": "handbook", "budget": {"max_tokens": 520}},
        {"type": "context", "name": "orders", "budget": {"max_tokens": 80}},
        {"type": "history", "keep_last": 2},
        {"type": "user", "content": "Question: {input.query}"},
    ],
}
_NOW: Final = datetime(2026, 1, 5, 9, tzinfo=UTC)
_HIDDEN_SECTIONS: Final = re.compile(
    r'<section id="(?:messages|evidence|citations|inputs)">.*?</section>', re.DOTALL
)
_WIDTH: Final = 860
_HEIGHT: Final = 966
_WITHOUT_END: Final = frozenset({"meta", "br", "link"})
_HIDDEN: Final = """
.skip, nav, footer, dl, .hints, section { display: none; }
#parts, #left-out { display: block; }
body { padding: 2rem 1.5rem; height: 100%; overflow: hidden; }
"""


def picture() -> str:
    """The head of the page, its parts, and what was left out."""
    parser = _Xhtml()
    parser.feed(html())
    style = f"<style><![CDATA[{parser.style}{_HIDDEN}]]></style>"
    body = "".join(parser.body).replace("<body>", '<body xmlns="http://www.w3.org/1999/xhtml">', 1)
    size = f'width="{_WIDTH}" height="{_HEIGHT}"'
    page = f"<foreignObject {size}>\n{body}\n</foreignObject>"
    return svg(
        _WIDTH,
        _HEIGHT,
        "What is sent to the model, coloured by source, and what was left out",
        style,
        page,
    )


def html() -> str:
    """The page of one call of 4,000 tokens over the shipped handbook, after a long conversation."""
    with TemporaryDirectory() as folder:
        with Corpus.open(
            shipped("contexts") / "handbook", store=Path(folder) / "index"
        ) as handbook:
            handbook.ingest()
            assembler = ContextAssembler(
                {"support": _PLAN},
                {"handbook": handbook.retriever({"retriever_id": "hybrid"}), "orders": _orders},
            )
            history = [turn for number in range(200) for turn in _turns(number)]
            result = assembler.assemble(
                "support", inputs={"query": _QUESTION}, history=history, now=_NOW
            )
        return _HIDDEN_SECTIONS.sub("", result.to_html())


def _orders(_: object) -> list[str]:
    return [f"Order {number}: two lamps, delivered on Tuesday." for number in range(4711, 4721)]


def _turns(number: int) -> Iterator[dict[str, str]]:
    asked, answer = _ASKED[number % len(_ASKED)]
    yield {"role": "user", "content": asked}
    yield {"role": "assistant", "content": answer}


class _Xhtml(HTMLParser):
    """The body as XML, and the style of the head."""

    def __init__(self) -> None:
        super().__init__()
        self.body: list[str] = []
        self.style = ""
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag if tag in ("style", "body") else self._inside
        if self._inside == "body":
            named = "".join(f' {name}="{escape(value or name)}"' for name, value in attrs)
            self.body.append(f"<{tag}{named}{'/' if tag in _WITHOUT_END else ''}>")

    def handle_endtag(self, tag: str) -> None:
        if self._inside == "body" and tag not in _WITHOUT_END:
            self.body.append(f"</{tag}>")
        if tag in ("style", "body"):
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.style += re.sub(r"(?m)^\s+|\n$", "", data)
        elif self._inside == "body":
            self.body.append(escape(data, quote=False))
