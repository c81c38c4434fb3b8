"""A difference drawn for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from biblicus_context.assembly.result.saved import SavedResult
from biblicus_context.cli.output.receipt_chart import ACTIONS, FAINT
from biblicus_context.cli.output.terminal import sayable
from biblicus_context.comparing.changes import Difference, MessageChange
from biblicus_context.comparing.prefix import SharedPrefix
from biblicus_context.comparing.rows import ComparedPart
from biblicus_context.pages.bars import Bar

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def lines(
    before: tuple[str, SavedResult], after: tuple[str, SavedResult], found: Difference
) -> Iterator[RenderableType]:
    """Title, tokens of each part, what both begin with, and the texts that changed."""
    yield _title("---", *before)
    yield _title("+++", *after)
    yield ""
    yield _parts(found)
    yield ""
    yield from _prefix(found)
    for change in found.messages:
        yield ""
        yield from _message(change)


def _title(mark: str, name: str, saved: SavedResult) -> Text:
    receipt = saved.receipt
    budget = "no budget" if receipt.budget is None else f"of {receipt.budget:,}"
    counter = sayable(receipt.model or receipt.counter)
    about = "about " if receipt.estimated else ""
    return Text(
        f"{mark} {sayable(name)}: {about}{receipt.used:,} tokens {budget}, {counter}", "bold"
    )


def _parts(found: Difference) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("part", overflow="fold")
    for name in ("before", "after", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for row in found.parts:
        before, after = row.cells
        label = Text(f"{'  ' * row.depth}{sayable(row.label)}")
        table.add_row(label, _given(before), _given(after), _change(row), _action(row))
    return table


def _given(bar: Bar | None) -> Text:
    return Text("-", FAINT) if bar is None else Text(f"{bar.given:,}")


def _change(row: ComparedPart) -> Text:
    before, after = (bar.given if bar else 0 for bar in row.cells)
    return Text(f"{after - before:+,}", "yellow") if after != before else Text("same", FAINT)


def _action(row: ComparedPart) -> Text:
    """What happens to the part now, where that is news."""
    before, after = (bar.action if bar else "absent" for bar in row.cells)
    return Text() if before == after else Text(f"{before}, now {after}", ACTIONS.get(after, ""))


def _prefix(found: Difference) -> Iterator[Text]:
    prefix = found.prefix
    counted = f"{prefix.tokens:,} tokens ({found.counter})"
    if prefix.is_whole:
        yield Text(f"cacheable prefix: all of it, {counted}")
        return
    yield Text(f"cacheable prefix: {counted}")
    yield Text(f"  first difference in {_place(prefix)}")
    yield Text(f"  - {_goes_on(prefix.before)}", _STYLES["-"])
    yield Text(f"  + {_goes_on(prefix.after)}", _STYLES["+"])


def _place(prefix: SharedPrefix) -> str:
    return f"messages[{prefix.messages}], line {prefix.line}, column {prefix.column}"


def _goes_on(text: str | None) -> str:
    if not text:
        return "(nothing more)" if text is None else "(the message ends)"
    return sayable(text).replace("\n", "\\n")


def _message(change: MessageChange) -> Iterator[Text]:
    numbers = [f"messages[{at}]" for at in (change.before, change.after) if at is not None]
    what = " -> ".join(dict.fromkeys(numbers))
    if len(numbers) == 1:
        what += " removed" if change.after is None else " added"
    yield Text(f"{what} ({sayable(change.role)})", "bold")
    for line in change.lines:
        yield Text(sayable(line), _STYLES.get(line[:1], ""))
