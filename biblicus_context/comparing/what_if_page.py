"""One context under several budgets and models, as a page: a bar for each, then every part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from biblicus_context.comparing.outcomes import WhatIfOutcome, table
from biblicus_context.comparing.rows import ComparedPart
from biblicus_context.pages.bars import Bar, bars_of
from biblicus_context.pages.document import document
from biblicus_context.pages.markup import Html, tag
from biblicus_context.pages.page_head import whole_bar
from biblicus_context.pages.page_tables import table as table_of
from biblicus_context.pages.sources import PageSource, sources_of

_NOTE = "Each bar is a whole budget. What is not coloured is unused."


def what_if_page(name: str, outcomes: Sequence[WhatIfOutcome]) -> str:
    """The whole page; a source has the same colour in every bar."""
    rows = table(outcomes)
    found = sources_of(
        [bar for row in rows for bar in row.cells[_first(row) : _first(row) + 1] if bar]
    )
    return document(
        f"{name} · what if",
        tag(
            "header",
            tag("h1", name),
            tag("p", f"under {len(outcomes)} budgets and models", class_="sum"),
            tag("p", _NOTE, class_="note"),
        ),
        tag("main", [_outcome(each, found) for each in outcomes], _parts(outcomes, rows, found)),
    )


def _first(row: ComparedPart) -> int:
    """The first outcome that has the part."""
    return next(at for at, bar in enumerate(row.cells) if bar is not None)


def _outcome(outcome: WhatIfOutcome, found: Mapping[str, PageSource]) -> Html:
    receipt = outcome.receipt
    if receipt is None:
        return tag(
            "section",
            tag("h2", _title(outcome)),
            tag("p", tag("span", "does not fit", class_="badge dropped"), f": {outcome.problem}"),
        )
    top = [
        (bar, found[bar.place])
        for bar in bars_of(receipt)
        if bar.depth == 0 and bar.given and bar.place in found
    ]
    return tag(
        "section",
        tag("h2", _title(outcome)),
        whole_bar(receipt, top, linked=False),
        tag("ul", [_key(*each) for each in top], class_="keys"),
        tag("ul", [tag("li", hint.text) for hint in receipt.hints], class_="hints")
        if receipt.hints
        else None,
    )


def _key(bar: Bar, source: PageSource) -> Html:
    dot = tag("span", class_=f"{source.tint} dot")
    return tag("li", dot, f" {source.label} ", tag("b", f"{bar.given:,}"))


def _title(outcome: WhatIfOutcome) -> str:
    budget = outcome.receipt.budget if outcome.receipt else outcome.budget
    tokens = "no budget" if budget is None else f"{budget:,} tokens"
    return " · ".join(filter(None, [tokens, outcome.model, _used(outcome)]))


def _used(outcome: WhatIfOutcome) -> str:
    receipt = outcome.receipt
    if receipt is None:
        return "" if outcome.needed is None else f"needs {outcome.needed:,}"
    return f"{'about ' if receipt.estimated else ''}{receipt.used:,} used"


def _parts(
    outcomes: Sequence[WhatIfOutcome],
    rows: Sequence[ComparedPart],
    found: Mapping[str, PageSource],
) -> Html:
    heads = ("Part", *map(_title, outcomes))
    lines = [tag("tr", _name(row, found), [*_cells(row, heads[1:])]) for row in rows]
    return tag(
        "section", tag("h2", "Parts"), table_of("The parts under each", heads, lines), id="parts"
    )


def _name(row: ComparedPart, found: Mapping[str, PageSource]) -> Html:
    first = row.cells[_first(row)]
    source = found.get(first.place) if first is not None and row.depth == 0 else None
    dot = tag("span", class_=f"{source.tint if source else 'other'} dot")
    indent = f"padding-left:{row.depth * 1.5 + 0.75}rem"
    return tag("th", dot, " ", source.label if source else row.label, scope="row", style=indent)


def _cells(row: ComparedPart, heads: Sequence[str]) -> Iterator[Html]:
    for head, bar in zip(heads, row.cells, strict=True):
        if bar is None:
            yield tag("td", "–", data_label=head)
            continue
        asked = f" of {bar.asked:,}" if bar.missing and bar.asked is not None else ""
        word = tag("span", bar.action, class_=f"badge {bar.action.replace(' ', '-')}")
        yield tag("td", f"{bar.given:,}{asked} ", word, data_label=head, title=bar.what or None)
