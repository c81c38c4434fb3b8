"""What changed between two assemblies, and the turns of a conversation, each compared with the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from biblicus_context.assembly import SavedResult
from biblicus_context.comparing import difference


class InspectedChange(BaseModel):
    """One message that is not the same; on one side there may be none."""

    role: str
    before: int | None = Field(description="Its number, from 0.")
    after: int | None
    lines: list[str] = Field(description="As `diff -u` writes them.")


class InspectedPartChange(BaseModel):
    """Tokens of one part of the plan."""

    label: str
    depth: int
    before: int | None
    after: int | None


class InspectedDifference(BaseModel):
    """What changed from one assembly to another."""

    before: int = Field(description="Tokens.")
    after: int
    same_prefix: int = Field(description="Tokens of the common beginning, which a cache can keep.")
    changes: list[InspectedChange]
    parts: list[InspectedPartChange]


class InspectedTurn(BaseModel):
    """What was sent for one turn of a conversation."""

    said: str = Field(description="The user's message.")
    used: int
    budget: int | None
    messages: int
    since: InspectedDifference | None = Field(description="The first turn has none.")
    call: dict[str, JsonValue] = Field(description="The arguments of its call.")


def changed(before: SavedResult, after: SavedResult) -> InspectedDifference:
    """What changed from one assembly to the other."""
    found = difference(before, after)
    return InspectedDifference(
        before=before.receipt.used,
        after=after.receipt.used,
        same_prefix=found.prefix.tokens,
        changes=[
            InspectedChange(
                role=each.role, before=each.before, after=each.after, lines=[*each.lines]
            )
            for each in found.messages
        ],
        parts=[
            InspectedPartChange(
                label=row.label,
                depth=row.depth,
                before=row.cells[0].given if row.cells[0] else None,
                after=row.cells[1].given if row.cells[1] else None,
            )
            for row in found.parts
        ],
    )


def turns(
    sent: Iterable[tuple[str, SavedResult, Mapping[str, Any]]],
) -> Iterator[InspectedTurn]:
    """The turns of a conversation: what the user said, what was sent, and the arguments of the call."""
    before: SavedResult | None = None
    for said, result, call in sent:
        receipt = result.receipt
        yield InspectedTurn(
            said=said,
            used=receipt.used,
            budget=receipt.budget,
            messages=len(result.messages),
            since=None if before is None else changed(before, result),
            call=dict(call),
        )
        before = result


def user_messages(history: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """The place and the text of each message of the user in a history."""
    for at, each in enumerate(history):
        content = each.get("content")
        if each.get("role") == "user" and isinstance(content, str):
            yield at, content
