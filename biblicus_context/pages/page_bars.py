"""The table of parts, with a bar for what each asked for and what it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.pages.bars import Bar
from biblicus_context.pages.markup import Html, tag
from biblicus_context.pages.page_tables import figure, happened, table
from biblicus_context.pages.sources import PageSource

_NOTE = "A bar is solid for the tokens a part was given, striped for those it asked for besides."


def parts_table(receipt: Receipt, rows: Sequence[Bar], sources: Mapping[str, PageSource]) -> Html:
    """Every part of the plan, in order."""
    scale = max((row.given + row.missing for row in rows), default=0) or 1
    tint = "other"
    lines = []
    for row in rows:
        source = sources[row.place] if row.depth == 0 else None
        tint = source.tint if source else tint
        lines.append(_line(row, source, tint, scale))
    heads = ("Part", "Tokens", "Given", "Asked", "Share", "What happened")
    return tag(
        "section",
        tag("h2", "Parts"),
        tag("p", _NOTE, class_="note"),
        table(f"The parts of {receipt.context}", heads, lines),
        id="parts",
    )


def _line(row: Bar, source: PageSource | None, tint: str, scale: int) -> Html:
    dot = tag("span", class_=f"{tint} dot")
    name: Html | str = source.label if source else row.label
    if source and row.given:
        name = tag("a", name, href=f"#{source.anchor}")
    return tag(
        "tr",
        tag(
            "th",
            dot,
            " ",
            name,
            scope="row",
            style=f"padding-left:{row.depth * 1.5 + 0.75}rem",
        ),
        tag("td", _bar(row, tint, scale), class_="bars", data_label="Tokens"),
        figure(row.given, "Given"),
        figure(row.asked, "Asked"),
        figure(row.share, "Share"),
        happened(row.action, row.what),
    )


def _bar(row: Bar, tint: str, scale: int) -> Html:
    given, missing = (100 * tokens / scale for tokens in (row.given, row.missing))
    return tag(
        "div",
        tag("span", class_="fill", style=f"width:{given:.2f}%") if row.given else None,
        tag("span", class_="missing", style=f"width:{missing:.2f}%") if row.missing else None,
        class_=f"bar {tint}",
    )
