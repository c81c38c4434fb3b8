"""A reason as the fields of a receipt's entry."""

from __future__ import annotations

from typing import TypedDict

from biblicus_context.assembly.packs.piece import PieceChange
from biblicus_context.assembly.reasons import Cause, Reason
from biblicus_context.assembly.result.binding import Bounds, binding
from biblicus_context.assembly.result.receipt import Action


class ReasonFields(TypedDict):
    """What happened to an entry, and why."""

    action: Action
    reason: str
    cause: Cause | None
    figure: int | None


def fields(action: Action, reason: Reason | None = None) -> ReasonFields:
    """The action, and its reason in words and figures."""
    if reason is None:
        return {"action": action, "reason": "", "cause": None, "figure": None}
    return {
        "action": action,
        "reason": reason.text(action),
        "cause": reason.cause,
        "figure": reason.figure,
    }


def fields_of_change(change: PieceChange | None, bounds: Bounds) -> ReasonFields:
    """The fields of a piece of a pack with these bounds."""
    if change is None:
        return fields("kept")
    reason = change.reason or binding(bounds)
    return fields(change.action, reason._replace(note=change.note or reason.note))
