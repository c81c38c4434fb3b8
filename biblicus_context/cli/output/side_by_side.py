"""Outcomes side by side for a terminal: as many columns as fit, the others below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from biblicus_context.cli.output.receipt_chart import ACTIONS, FAINT, LineLayout, figures
from biblicus_context.cli.output.terminal import sayable
from biblicus_context.comparing.outcomes import WhatIfOutcome, table
from biblicus_context.pages.bars import Bar

_BETWEEN = 2


def tables(outcomes: Sequence[WhatIfOutcome], width: int) -> Iterator[Table]:
    """The outcomes in tables at most `width` wide, as far as one column allows."""
    rows = table(outcomes)
    labels = [Text(f"{'  ' * row.depth}{sayable(row.label)}") for row in rows]
    sums = ("framing", "used", "left")
    labels += [Text(name, FAINT) for name in sums]
    columns = [
        [*(_cell(row.cells[at]) for row in rows), *_sums(outcome)]
        for at, outcome in enumerate(outcomes)
    ]
    label = min(max(cell_len(each.plain) for each in labels), max(13, width // 3))
    for group in _groups(list(zip(outcomes, columns, strict=True)), width - label):
        grid = Table(box=None, pad_edge=False, padding=(0, _BETWEEN, 0, 0))
        grid.add_column("", width=label, no_wrap=True)
        for outcome, column in group:
            grid.add_column(_head(outcome), width=_width(outcome, column), no_wrap=True)
        for at, name in enumerate(labels):
            grid.add_row(name, *(column[at] for _, column in group))
        yield grid


def hints(outcomes: Sequence[WhatIfOutcome], screen: Console) -> Iterator[Text]:
    """What each outcome says about unused tokens, below the tables."""
    for outcome in outcomes:
        for hint in outcome.receipt.hints if outcome.receipt else ():
            head = _head(outcome).plain.replace("\n", " ")
            yield from LineLayout(screen).indented(Text(f"hint ({head}): {sayable(hint.text)}"), 0)


def _groups(
    columns: list[tuple[WhatIfOutcome, list[Text]]], room: int
) -> Iterator[list[tuple[WhatIfOutcome, list[Text]]]]:
    """Neighbours that fit next to each other, at least one."""
    group: list[tuple[WhatIfOutcome, list[Text]]] = []
    used = 0
    for each in columns:
        wide = _width(*each) + _BETWEEN
        if group and used + wide > room:
            yield group
            group, used = [], 0
        group.append(each)
        used += wide
    yield group


def _width(outcome: WhatIfOutcome, column: Sequence[Text]) -> int:
    lines = [*(cell.plain for cell in column), *_head(outcome).plain.split("\n")]
    return max(map(cell_len, lines))


def _head(outcome: WhatIfOutcome) -> Text:
    budget = outcome.receipt.budget if outcome.receipt else outcome.budget
    tokens = "no budget" if budget is None else f"{budget:,} tokens"
    return Text("\n".join([tokens, *([sayable(outcome.model)] if outcome.model else [])]), "bold")


def _cell(bar: Bar | None) -> Text:
    if bar is None:
        return Text("-", FAINT)
    if bar.action == "not asked":
        return Text(bar.action, ACTIONS[bar.action])
    return Text(
        f"{bar.action} {figures(bar.given, bar.asked, bar.action)}", ACTIONS.get(bar.action, "")
    )


def _sums(outcome: WhatIfOutcome) -> list[Text]:
    """Tokens of the sum that belong to no part of the plan."""
    receipt = outcome.receipt
    if receipt is None:
        needed = "" if outcome.needed is None else f"needs {outcome.needed:,}"
        return [Text(), Text("does not fit", "bold red"), Text(needed, "red")]
    about = "about " if receipt.estimated else ""
    left = Text("" if receipt.left is None else f"{receipt.left:,}")
    if receipt.over:
        left = Text(f"over by {receipt.over:,}", "red")
    return [Text(f"{receipt.framing:,}"), Text(f"{about}{receipt.used:,}"), left]
