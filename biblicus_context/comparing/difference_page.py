"""What changed between two assemblies, as a page: tokens of each part, the common beginning, the texts."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.result.saved import SavedResult
from biblicus_context.comparing.changes import Difference, MessageChange
from biblicus_context.comparing.prefix import SharedPrefix
from biblicus_context.comparing.rows import ComparedPart
from biblicus_context.pages.bars import Bar
from biblicus_context.pages.document import document
from biblicus_context.pages.markup import Html, tag
from biblicus_context.pages.page_tables import figure, table

_CHANGES = {"+": "ins", "-": "del"}


def difference_page(
    before: tuple[str, SavedResult], after: tuple[str, SavedResult], found: Difference
) -> str:
    """The whole page; the sides are called as the caller names them."""
    return document(
        f"{before[0]} · {after[0]}",
        tag("header", tag("h1", f"{before[0]} → {after[0]}"), _sides(before, after)),
        tag("main", _parts(found), _prefix(found.prefix, found.counter), _messages(found)),
    )


def _sides(*sides: tuple[str, SavedResult]) -> Html:
    return tag("dl", [tag("div", tag("dt", name), tag("dd", _sum(saved))) for name, saved in sides])


def _sum(saved: SavedResult) -> str:
    receipt = saved.receipt
    budget = "no budget" if receipt.budget is None else f"of {receipt.budget:,}"
    about = "about " if receipt.estimated else ""
    return f"{about}{receipt.used:,} tokens {budget}, {receipt.model or receipt.counter}"


def _parts(found: Difference) -> Html:
    heads = ("Part", "Before", "After", "Change", "What happened")
    lines = [_part(row) for row in found.parts]
    return tag("section", tag("h2", "Parts"), table("The parts of both", heads, lines), id="parts")


def _part(row: ComparedPart) -> Html:
    before, after = row.cells
    change = _given(after) - _given(before)
    words = [bar.action if bar else "absent" for bar in (before, after)]
    indent = f"padding-left:{row.depth * 1.5 + 0.75}rem"
    now = words[1].replace(" ", "-")
    return tag(
        "tr",
        tag("th", row.label, scope="row", style=indent),
        figure(before.given if before else None, "Before"),
        figure(after.given if after else None, "After"),
        tag("td", f"{change:+,}" if change else "same", class_="figure", data_label="Change"),
        tag(
            "td",
            *([f"{words[0]}, now "] if words[0] != words[1] else []),
            tag("span", words[1], class_=f"badge {now}"),
            class_="happened",
            data_label="What happened",
        ),
    )


def _given(bar: Bar | None) -> int:
    return bar.given if bar else 0


def _prefix(prefix: SharedPrefix, counter: str) -> Html:
    counted = f"{prefix.tokens:,} tokens ({counter})"
    if prefix.is_whole:
        said = [tag("p", f"All of it is the same: {counted}.", class_="note")]
    else:
        place = f"messages[{prefix.messages}], line {prefix.line}, column {prefix.column}"
        said = [
            tag("p", f"{counted} are the same. First difference in {place}:", class_="note"),
            tag("div", _line("-", prefix.before), _line("+", prefix.after), class_="text diff"),
        ]
    return tag("section", tag("h2", "What a cache can reuse"), said, id="prefix")


def _line(mark: str, text: str | None) -> Html:
    said = "(nothing more)" if text is None else text or "(the message ends)"
    said = said.replace("\n", "\\n")
    return tag(_CHANGES[mark], f"{mark} {said}\n")


def _messages(found: Difference) -> Html:
    changed = [_message(each) for each in found.messages]
    empty = tag("p", "No message changed.", class_="empty")
    return tag("section", tag("h2", "Messages"), changed or empty, id="messages")


def _message(change: MessageChange) -> Html:
    numbers = [f"messages[{at}]" for at in (change.before, change.after) if at is not None]
    place = " → ".join(dict.fromkeys(numbers))
    if len(numbers) == 1:
        place += " removed" if change.after is None else " added"
    head = tag("h3", tag("span", change.role, class_="role"), place)
    return tag("article", head, tag("div", [*_lines(change)], class_="text long diff"))


def _lines(change: MessageChange) -> Iterator[Html]:
    for line in change.lines:
        yield tag(_CHANGES.get(line[:1], "span"), f"{line}\n")
