"""Layout: the messages that a standing comes to, in the order of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.assembly.draft import Draft, Standing
from biblicus_context.assembly.steps.parts import HistoryPart, TextPart

BETWEEN_SYSTEM_TEXTS = "\n\n"
HISTORY = -1
"""Stands in a layout for the kept turns."""


class Placed(NamedTuple):
    """One message of the plan, its text in parts, and the part of the plan it comes from."""

    role: str
    content: Sequence[str]
    part: int


class Layout(NamedTuple):
    """Where everything goes: the system prompt, then messages, with the history among them."""

    system_prompt: Sequence[str]
    """In parts; empty where there is none."""
    messages: tuple[Placed, ...]
    user_part: int | None

    def fixed(self) -> list[Sequence[str]]:
        """The text of every message but those of the history, in parts."""
        leading = [self.system_prompt] if self.system_prompt else []
        return leading + [placed.content for placed in self.messages if placed.part != HISTORY]


def lay_out(draft: Draft, standing: Standing) -> Layout:
    """Leading system texts join into the system prompt; empty texts are not placed."""
    texts = draft.texts(standing)
    leading: list[Sequence[str]] = []
    messages: list[Placed] = []
    user_part: int | None = None
    for index, part in enumerate(draft.parts):
        if isinstance(part, HistoryPart):
            # A history that is empty from the start does not end the system prompt.
            if draft.call.history:
                messages.append(Placed("", (), HISTORY))
            continue
        role = part.role if isinstance(part, TextPart) else "system"
        content = (texts[index],) if isinstance(part, TextPart) else standing.packs[index].parts
        if role == "user":
            user_part = index
        if any(content) and role == "system" and not messages:
            leading.append(content)
        elif any(content):
            messages.append(Placed(role, content, index))
    return Layout(_joined(leading), tuple(messages), user_part)


def _joined(texts: Sequence[Sequence[str]]) -> list[str]:
    """Texts in parts as one text in parts."""
    parts: list[str] = []
    for text in texts:
        parts += (*text, BETWEEN_SYSTEM_TEXTS)
    return parts[:-1]
