"""The head of a page: the name, the sum, one bar for the whole, and the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.pages.bars import Bar
from biblicus_context.pages.markup import Html, fragment, tag
from biblicus_context.pages.sources import PageSource

_AROUND = "framing and joins"


def heading(
    receipt: Receipt,
    rows: Sequence[Bar],
    sources: Mapping[str, PageSource],
    facts: Mapping[str, str],
) -> Html:
    """What is sent, in one look."""
    top = [(row, sources[row.place]) for row in rows if row.depth == 0 and row.given]
    return tag(
        "header",
        tag("h1", receipt.context),
        tag("p", _sum(receipt), class_="sum"),
        whole_bar(receipt, top),
        tag("ul", [_key(*each) for each in _keys(receipt, top)], class_="keys"),
        tag(
            "dl",
            [
                tag("div", tag("dt", name), tag("dd", value))
                for name, value in (*facts.items(), *_facts(receipt))
            ],
        ),
        tag("ul", [tag("li", hint.text) for hint in receipt.hints], class_="hints"),
        tag(
            "ul",
            [tag("li", note) for note in (*receipt.notes, *receipt.warnings)],
            class_="notes",
        ),
        tag("nav", _links(), aria_label="Sections"),
    )


def _sum(receipt: Receipt) -> Html:
    about = "about " if receipt.estimated else ""
    used = tag("strong", f"{about}{receipt.used:,}")
    if receipt.budget is None:
        return fragment(used, " tokens, no budget")
    share = tag("span", f"{receipt.used / receipt.budget:.1%}", class_="share")
    return fragment(used, f" of {receipt.budget:,} tokens ", share)


def whole_bar(
    receipt: Receipt, top: Sequence[tuple[Bar, PageSource]], *, linked: bool = True
) -> Html:
    """One bar for the whole budget; each part leads to its first text, where the page has it."""
    spoken = ", ".join(f"{source.label} {row.given:,}" for row, source in top)
    segments = [
        tag(
            "a" if linked else "span",
            class_=f"{source.tint} fill",
            style=f"flex-grow:{row.given}",
            title=_said(row, source),
            aria_label=_said(row, source),
            href=f"#{source.anchor}" if linked else None,
        )
        for row, source in top
    ]
    around = _around(receipt)
    if around:
        title = f"{_AROUND}: {around:,} tokens"
        segments.append(tag("span", class_="other fill", style=f"flex-grow:{around}", title=title))
    if receipt.left:
        title = f"left: {receipt.left:,} tokens"
        segments.append(tag("span", class_="left", style=f"flex-grow:{receipt.left}", title=title))
    return tag("div", segments, class_="whole", role="group", aria_label=f"Tokens: {spoken}")


def _said(row: Bar, source: PageSource) -> str:
    return f"{source.label}: {row.given:,} tokens"


def _around(receipt: Receipt) -> int:
    """What belongs to no part; joins may save a token."""
    return max(0, receipt.framing + receipt.joins)


def _keys(
    receipt: Receipt, top: Sequence[tuple[Bar, PageSource]]
) -> Iterator[tuple[PageSource, int]]:
    yield from ((source, row.given) for row, source in top)
    if _around(receipt):
        yield PageSource(_AROUND, "other"), _around(receipt)


def _key(source: PageSource, tokens: int) -> Html:
    dot = tag("span", class_=f"{source.tint} dot")
    return tag("li", dot, f" {source.label} ", tag("b", f"{tokens:,}"))


def _facts(receipt: Receipt) -> Iterator[tuple[str, str]]:
    if receipt.model:
        yield "Model", receipt.model
    yield "Counter", f"{receipt.counter}{' (estimate)' if receipt.estimated else ''}"
    yield "Overflow", receipt.overflow
    numbers = {
        "Window": receipt.window,
        "Reserved for the answer": receipt.reserve or None,
        "Tool definitions": receipt.tools or None,
        "Message framing": receipt.framing or None,
        "Joins": receipt.joins or None,
        "Pack budget": receipt.pack_budget,
        "Left": receipt.left,
        "Over the budget": receipt.over or None,
        "Begins as the previous result": receipt.same_prefix,
    }
    yield from ((name, f"{value:,}") for name, value in numbers.items() if value is not None)


def _links() -> list[Html]:
    names = {
        "messages": "Messages",
        "parts": "Parts",
        "evidence": "Evidence",
        "left-out": "Left out",
        "citations": "Citations",
        "inputs": "Inputs",
    }
    return [tag("a", name, href=f"#{place}") for place, name in names.items()]
