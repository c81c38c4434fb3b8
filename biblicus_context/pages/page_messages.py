"""The messages of a page, each stretch of text in the tint of where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from biblicus_context.pages.markup import Html, fragment, tag
from biblicus_context.pages.sources import Source
from biblicus_context.pages.stream import Message, Span

_LONG = 6000
"""Characters from which on a message scrolls in a box of its own."""


def messages_section(messages: Sequence[Message], sources: Mapping[str, Source]) -> Html:
    """Everything that is sent, in order."""
    numbers = count(1)
    cards = [
        _card(message, number, len(messages), sources, numbers)
        for number, message in enumerate(messages, start=1)
    ]
    empty = tag("p", "Nothing is sent.", class_="empty") if not messages else None
    return tag("section", tag("h2", "Messages"), empty, cards, id="messages")


def _card(
    message: Message, number: int, of: int, sources: Mapping[str, Source], numbers: Iterator[int]
) -> Html:
    name = f"Message {number} of {of}: {message.role}"
    long = sum(len(span.text) for span in message.spans) > _LONG
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
            [_span(span, sources, numbers) for span in message.spans],
            class_="text long" if long else "text",
            tabindex=0 if long else None,
            role="group" if long else None,
            aria_label=name if long else None,
            dir="auto",
        ),
        aria_label=name,
    )


def _span(span: Span, sources: Mapping[str, Source], numbers: Iterator[int]) -> Html:
    source = sources.get(span.place)
    if source is None:
        return fragment(span.text)
    label = f"{source.label} · {span.label}" if span.label else source.label
    tip = f"tip-{next(numbers)}"
    return fragment(
        tag(
            "span",
            span.text,
            class_=f"span {source.tint}",
            data_label=label,
            # Only blocks have more to tell than the table of parts does.
            tabindex=0 if span.label else None,
            aria_describedby=tip if span.label else None,
        ),
        _tip(span, label, tip),
    )


def _tip(span: Span, label: str, tip: str) -> Html:
    return tag(
        "span",
        tag("b", label),
        " ",
        " · ".join(_details(span)),
        class_="tip",
        id=tip,
        role="tooltip",
    )


def _details(span: Span) -> Iterator[str]:
    if span.tokens is not None:
        yield f"{span.tokens:,} tokens"
    if span.score is not None:
        yield f"score {span.score:g}"
    if span.page is not None:
        yield f"page {span.page}"
    if span.source:
        yield span.source
    yield f"shortened: {span.shortened}" if span.shortened else span.place
