"""Layout: the messages of a placement, in the order of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from biblicus_context.assembly.call import Call
from biblicus_context.assembly.draft import Draft, Placement
from biblicus_context.assembly.limits import Limits
from biblicus_context.assembly.packs.frames import Frame
from biblicus_context.assembly.steps.parts import HistoryPart, PackPart, Role, TextPart
from biblicus_context.spec.context import ContextDeclaration

BETWEEN_SYSTEM_TEXTS = "\n\n"
HISTORY = "history"
"""The role of the one entry of a layout that the kept turns replace."""
_ANY_MOMENT: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""No authored text depends on it."""


class Quote(NamedTuple):
    """A pack inside the text of another part."""

    pack: int
    first: int
    """Where in the pieces of the text it begins."""
    end: int


class PlacedText(NamedTuple):
    """The text of one part of the plan, in pieces."""

    part: int
    pieces: Sequence[str]
    quotes: tuple[Quote, ...] = ()
    """The packs that are placed inside it, in order."""


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
    frames = draft.placed_frames(placement)
    leading: list[PlacedText] = []
    messages: list[PlacedMessage] = []
    user_part: int | None = None
    for index, part in enumerate(draft.parts):
        if isinstance(part, HistoryPart):
            # A history that is empty from the start does not end the system prompt.
            if draft.call.history:
                messages.append(PlacedMessage(HISTORY, (PlacedText(index, ()),)))
            continue
        if isinstance(part, PackPart) and part.quoted:
            continue
        role = part.role if isinstance(part, TextPart) else "system"
        if isinstance(part, TextPart):
            text = _with_quotes(index, frames[index], placement)
        else:
            text = PlacedText(index, placement.packs[index].parts)
        if role == "user":
            user_part = index
        if any(text.pieces) and role == "system" and not messages:
            leading.append(text)
        elif any(text.pieces):
            messages.append(PlacedMessage(role, (text,)))
    if leading:
        messages.insert(0, PlacedMessage("system", tuple(leading)))
    return MessageLayout(tuple(messages), bool(leading), user_part)


def fixed_tokens(
    context: ContextDeclaration, limits: Limits, texts: Sequence[tuple[Role, str]]
) -> int:
    """The tokens of a plan that consists of these texts, as every call would send them."""
    parts = tuple(TextPart(str(at), role, text) for at, (role, text) in enumerate(texts))
    draft = Draft(context, Call({}, _ANY_MOMENT), limits, parts=parts)
    return limits.meter.total(lay_out(draft, Placement({})).fixed())


def _with_quotes(part: int, frame: Frame, placement: Placement) -> PlacedText:
    """A text with the packs that it quotes in their places."""
    words = frame[0]
    if len(frame) == 1 and isinstance(words, str):
        return PlacedText(part, (words,))
    pieces: list[str] = []
    quotes: list[Quote] = []
    for piece in frame:
        if isinstance(piece, str):
            pieces.append(piece)
            continue
        # Pieces alternate with what separates them, as those of a pack do; here that is nothing.
        first = len(pieces) + 1
        pieces += ("", *placement.packs[piece].parts, "")
        quotes.append(Quote(piece, first, len(pieces) - 1))
    return PlacedText(part, pieces, tuple(quotes))
