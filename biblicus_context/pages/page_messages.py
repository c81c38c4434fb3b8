"""The messages of a page, each stretch of text in the tint of where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from biblicus_context.pages.markup import Html, fragment, tag
from biblicus_context.pages.sources import PageSource
from biblicus_context.pages.stream import ShownMessage, ShownText

_LONG = 6000
"""Characters from which on a message scrolls in a box of its own."""
_FIRST_SHOWN = 2
_LAST_SHOWN = 6
_FEWEST_FOLDED = 4
"""Messages of a long history that stay open at its beginning and its end; fewer are not folded."""


def messages_section(messages: Sequence[ShownMessage], sources: Mapping[str, PageSource]) -> Html:
    """Everything that is sent, in order."""
    numbers, anchors = count(1), {source.anchor for source in sources.values()}
    cards = [
        _card(message, number, len(messages), sources, numbers, anchors)
        for number, message in enumerate(messages, start=1)
    ]
    cards = _folded(cards, [_is_past(message, sources) for message in messages])
    empty = tag("p", "Nothing is sent.", class_="empty") if not messages else None
    return tag("section", tag("h2", "Messages"), empty, cards, id="messages")


def _is_past(message: ShownMessage, sources: Mapping[str, PageSource]) -> bool:
    source = sources.get(message.texts[0].place) if message.texts else None
    return source is not None and source.tint == "history"


def _folded(cards: list[Html], past: list[bool]) -> list[Html]:
    """The cards, with the middle of a long history folded."""
    numbers = [number for number, is_past in enumerate(past) if is_past]
    hidden = numbers[_FIRST_SHOWN:-_LAST_SHOWN]
    if len(hidden) < _FEWEST_FOLDED:
        return cards
    start, end = hidden[0], hidden[-1] + 1
    label = f"{len(hidden):,} more messages of the history"
    fold = tag("details", tag("summary", label), cards[start:end], class_="fold")
    return [*cards[:start], fold, *cards[end:]]


def _card(
    message: ShownMessage,
    number: int,
    of: int,
    sources: Mapping[str, PageSource],
    numbers: Iterator[int],
    anchors: set[str],
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
            [_stretch(each, sources, numbers, anchors) for each in message.texts],
            class_="text long" if long else "text",
            tabindex=0 if long else None,
            role="group" if long else None,
            aria_label=name if long else None,
            dir="auto",
        ),
        aria_label=name,
    )


def _stretch(
    stretch: ShownText,
    sources: Mapping[str, PageSource],
    numbers: Iterator[int],
    anchors: set[str],
) -> Html:
    source = sources.get(stretch.place)
    if source is None:
        return fragment(stretch.text)
    label = f"{source.label} · {stretch.label}" if stretch.label else source.label
    tip = f"tip-{next(numbers)}"
    is_first = source.anchor in anchors
    anchors.discard(source.anchor)
    return fragment(
        tag(
            "span",
            stretch.text,
            id=source.anchor if is_first else None,
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
