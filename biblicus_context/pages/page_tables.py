"""The tables of a page: the evidence that was offered, and everything that was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from biblicus_context.assembly.result.receipt import Receipt, ReceiptBlock, ReceiptPart
from biblicus_context.pages.ghosts import Ghosts
from biblicus_context.pages.left_out import LeftOutRow
from biblicus_context.pages.markup import Html, tag
from biblicus_context.pages.sources import PageSource

_COLUMNS = {
    **dict.fromkeys(
        ("Given", "Asked", "Share", "Score", "Page", "Before", "After", "Change"), "figure"
    ),
    "Tokens": "bars",
}


def evidence_table(receipt: Receipt, sources: Mapping[str, PageSource]) -> Html | None:
    """Every block that a retriever offered."""
    rows = [_evidence(name, block) for name, block in _blocks(receipt.parts, sources)]
    heads = ("Pack", "Evidence", "Source", "Score", "Page", "Asked", "Given", "What happened")
    return _section("evidence", "Evidence", heads, rows, "No evidence was offered.")


def left_out_table(
    rows: Sequence[LeftOutRow], sources: Mapping[str, PageSource], ghosts: Ghosts
) -> Html:
    """Everything that was not placed as it came."""
    heads = ("Part", "What", "Asked", "Given", "What happened")
    lines = [_left_out(row, _numbered(row.part, row.place, sources), ghosts) for row in rows]
    return _section("left-out", "Left out", heads, lines, "Nothing: all of it is sent.")


def table(caption: str, heads: Iterable[str], lines: Iterable[Html]) -> Html:
    """A table that scrolls in itself where the page is narrow."""
    head = tag("tr", [tag("th", head, scope="col", class_=_COLUMNS.get(head)) for head in heads])
    whole = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", lines))
    return tag("div", whole, class_="table", tabindex=0, role="group", aria_label=caption)


def figure(value: int | None, label: str) -> Html:
    """A cell with a number of tokens; a dash where nobody had to measure it."""
    shown = "–" if value is None else f"{value:,}"
    return tag("td", shown, class_="figure", data_label=label)


def happened(action: str, reason: str) -> Html:
    """A cell with what happened, in a word and then in more."""
    word = tag("span", action, class_=f"badge {action.replace(' ', '-')}")
    between = " · " if action == "kept" else ": "
    return tag(
        "td",
        word,
        f"{between}{reason}" if reason else None,
        class_="happened",
        data_label="What happened",
    )


def _section(
    place: str, name: str, heads: Iterable[str], lines: Sequence[Html], empty: str
) -> Html:
    content = table(name, heads, lines) if lines else tag("p", empty, class_="empty")
    return tag("section", tag("h2", name), content, id=place)


def _blocks(
    parts: Iterable[ReceiptPart], sources: Mapping[str, PageSource]
) -> Iterator[tuple[str, ReceiptBlock]]:
    for part in parts:
        name = _numbered(part.name, part.place, sources)
        yield from ((name, block) for block in part.blocks)
        yield from _blocks(part.parts, {})


def _numbered(name: str, place: str, sources: Mapping[str, PageSource]) -> str:
    """The name with the number that the page gives it; the parts of nested contexts have none."""
    source = sources.get(place)
    return source.label if source and source.label.split(" #")[0] == name else name


def _score(block: ReceiptBlock) -> str:
    return "–" if block.score is None else f"{block.score:g}"


def _evidence(name: str, block: ReceiptBlock) -> Html:
    return tag(
        "tr",
        tag("td", name, data_label="Pack"),
        tag("th", block.id, scope="row"),
        tag("td", block.source or "–", data_label="Source"),
        tag("td", _score(block), class_="figure", data_label="Score"),
        tag("td", block.page, class_="figure", data_label="Page"),
        figure(block.asked, "Asked"),
        figure(block.given, "Given"),
        happened(block.action, block.reason),
    )


def _left_out(row: LeftOutRow, part: str, ghosts: Ghosts) -> Html:
    texts = ghosts.get((row.part, row.what))
    what: Html | str = row.what or "all of it"
    if texts:
        what = tag("details", tag("summary", what), tag("div", texts.popleft(), class_="ghost"))
    return tag(
        "tr",
        tag("th", part, scope="row"),
        tag("td", what, data_label="What"),
        figure(row.asked, "Asked"),
        figure(row.given, "Given"),
        happened(row.action, row.reason),
    )
