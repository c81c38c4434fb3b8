"""The messages of a page, each stretch of text in the tint of where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from biblicus_context.pages.markup import Html, fragment, tag
from biblicus_context.pages.sources import PageSource
from biblicus_context.pages.stream import ShownMessage, ShownText

_LONG = 6000
"""Characters from which on a message scrolls in a box of its own."""


def messages_section(messages: Sequence[ShownMessage], sources: Mapping[str, PageSource]) -> Html:
    """Everything that is sent, in order."""
    numbers = count(1)
    cards = [
        _card(message, number, len(messages), sources, numbers)
        for number, message in enumerate(messages, start=1)
    ]
    empty = tag("p", "Nothing is sent.", class_="empty") if not messages else None
    return tag("section", tag("h2", "Messages"), empty, cards, id="messages")


def _card(
    message: ShownMessage,
    number: int,
    of: int,
    sources: Mapping[str, PageSource],
    numbers: Iterator[int],
) -> Html:
    name = f"Message {number} of {of}: {message.role}"
    long = sum(len(each.text) for each in message.texts) > _LONG
    return tag(
        "article",
        tag(
            "h3",
            tag("span", message.role, class_="role"),
            tag("span", f"{number} of {of}", class_="where"),
            tag("span", f"{message.tokens:,} tokens", class_="count"),
        ),
        tag(
            "div",
            [_stretch(each, sources, numbers) for each in message.texts],
            class_="text long" if long else "text",
            tabindex=0 if long else None,
            role="group" if long else None,
            aria_label=name if long else None,
            dir="auto",
        ),
        aria_label=name,
    )


def _stretch(stretch: ShownText, sources: Mapping[str, PageSource], numbers: Iterator[int]) -> Html:
    source = sources.get(stretch.place)
    if source is None:
        return fragment(stretch.text)
    label = f"{source.label} · {stretch.label}" if stretch.label else source.label
    tip = f"tip-{next(numbers)}"
    return fragment(
        tag(
            "span",
            stretch.text,
            class_=f"span {source.tint}",
            data_label=label,
            # Only blocks have more to tell than the table of parts does.
            tabindex=0 if stretch.label else None,
            aria_describedby=tip if stretch.label else None,
        ),
        _tip(stretch, label, tip),
    )


def _tip(stretch: ShownText, label: str, tip: str) -> Html:
    return tag(
        "span",
        tag("b", label),
        " ",
        " · ".join(_details(stretch)),
        class_="tip",
        id=tip,
        role="tooltip",
    )


def _details(stretch: ShownText) -> Iterator[str]:
    if stretch.tokens is not None:
        yield f"{stretch.tokens:,} tokens"
    if stretch.score is not None:
        yield f"score {stretch.score:g}"
    if stretch.page is not None:
        yield f"page {stretch.page}"
    if stretch.source:
        yield stretch.source
    yield f"shortened: {stretch.shortened}" if stretch.shortened else stretch.place
