"""The tables of a page: the evidence that was offered, and everything that was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from biblicus_context.assembly.result.receipt import Receipt, ReceiptBlock, ReceiptPart
from biblicus_context.pages.left_out import LeftOut
from biblicus_context.pages.markup import Html, tag

_COLUMNS = {
    **dict.fromkeys(("Given", "Asked", "Share", "Score", "Page"), "figure"),
    "Tokens": "bars",
}


def evidence_table(receipt: Receipt) -> Html | None:
    """Every block that a retriever offered."""
    rows = [_evidence(name, block) for name, block in _blocks(receipt.parts)]
    heads = ("Pack", "Evidence", "Source", "Score", "Page", "Asked", "Given", "What happened")
    return _section("evidence", "Evidence", heads, rows, "No evidence was offered.")


def left_out_table(rows: Sequence[LeftOut]) -> Html:
    """Everything that was not placed as it came."""
    heads = ("Part", "What", "Asked", "Given", "What happened")
    lines = [_left_out(row) for row in rows]
    return _section("left-out", "Left out", heads, lines, "Nothing: all of it is sent.")


def table(caption: str, heads: Iterable[str], lines: Iterable[Html]) -> Html:
    """A table that scrolls in itself where the page is narrow."""
    head = tag("tr", [tag("th", head, scope="col", class_=_COLUMNS.get(head)) for head in heads])
    whole = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", lines))
    return tag("div", whole, class_="table", tabindex=0, role="group", aria_label=caption)


def figure(value: int | None) -> Html:
    """A cell with a number of tokens; a dash where nobody had to measure it."""
    return tag("td", "–" if value is None else f"{value:,}", class_="figure")


def happened(action: str, reason: str) -> Html:
    """A cell with what happened, in a word and then in more."""
    word = tag("span", action, class_=f"badge {action.replace(' ', '-')}")
    between = " · " if action == "kept" else ": "
    return tag("td", word, f"{between}{reason}" if reason else None, class_="happened")


def _section(
    place: str, name: str, heads: Iterable[str], lines: Sequence[Html], empty: str
) -> Html:
    content = table(name, heads, lines) if lines else tag("p", empty, class_="empty")
    return tag("section", tag("h2", name), content, id=place)


def _blocks(parts: Iterable[ReceiptPart]) -> Iterator[tuple[str, ReceiptBlock]]:
    for part in parts:
        yield from ((part.name, block) for block in part.blocks)
        yield from _blocks(part.parts)


def _evidence(name: str, block: ReceiptBlock) -> Html:
    return tag(
        "tr",
        tag("td", name),
        tag("th", block.id, scope="row"),
        tag("td", block.source or "–"),
        tag("td", "–" if block.score is None else f"{block.score:g}", class_="figure"),
        tag("td", block.page, class_="figure"),
        figure(block.asked),
        figure(block.given),
        happened(block.action, block.reason),
    )


def _left_out(row: LeftOut) -> Html:
    return tag(
        "tr",
        tag("th", row.part, scope="row"),
        tag("td", row.what or "all of it"),
        figure(row.asked),
        figure(row.given),
        happened(row.action, row.reason),
    )
