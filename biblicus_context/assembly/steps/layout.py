"""Layout: the messages of a placement, in the order of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.assembly.draft import Draft, Placement
from biblicus_context.assembly.steps.parts import HistoryPart, TextPart

BETWEEN_SYSTEM_TEXTS = "\n\n"
HISTORY = "history"
"""The role of the one entry of a layout that the kept turns replace."""


class PlacedText(NamedTuple):
    """The text of one part of the plan, in pieces."""

    part: int
    pieces: Sequence[str]


class PlacedMessage(NamedTuple):
    """One message of the plan; the system prompt may consist of several parts."""

    role: str
    texts: tuple[PlacedText, ...]

    def content(self) -> list[str]:
        """The text in pieces."""
        pieces: list[str] = []
        for text in self.texts:
            pieces += (*text.pieces, BETWEEN_SYSTEM_TEXTS)
        return pieces[:-1]


class MessageLayout(NamedTuple):
    """Where everything goes: the system prompt, then messages, with the history among them."""

    messages: tuple[PlacedMessage, ...]
    has_system_prompt: bool
    """Whether the first message is the system prompt."""
    user_part: int | None

    def fixed(self) -> list[Sequence[str]]:
        """The text of every message that is not from the history, in pieces."""
        return [placed.content() for placed in self.messages if placed.role != HISTORY]


def lay_out(draft: Draft, placement: Placement) -> MessageLayout:
    """Leading system texts join into the system prompt; empty texts are not placed."""
    texts = draft.texts(placement)
    leading: list[PlacedText] = []
    messages: list[PlacedMessage] = []
    user_part: int | None = None
    for index, part in enumerate(draft.parts):
        if isinstance(part, HistoryPart):
            # A history that is empty from the start does not end the system prompt.
            if draft.call.history:
                messages.append(PlacedMessage(HISTORY, (PlacedText(index, ()),)))
            continue
        role = part.role if isinstance(part, TextPart) else "system"
        content = (texts[index],) if isinstance(part, TextPart) else placement.packs[index].parts
        if role == "user":
            user_part = index
        if any(content) and role == "system" and not messages:
            leading.append(PlacedText(index, content))
        elif any(content):
            messages.append(PlacedMessage(role, (PlacedText(index, content),)))
    if leading:
        messages.insert(0, PlacedMessage("system", tuple(leading)))
    return MessageLayout(tuple(messages), bool(leading), user_part)
