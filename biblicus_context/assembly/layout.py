"""Layout: the messages that a standing comes to, in the order of the plan."""

from __future__ import annotations

from typing import Any, NamedTuple

from biblicus_context.assembly.draft import Draft, Standing
from biblicus_context.assembly.parts import HistoryPart, TextPart

BETWEEN_SYSTEM_TEXTS = "\n\n"
HISTORY = -1
"""Stands in a layout for the kept turns."""


class Placed(NamedTuple):
    """One message of the plan, and the part it comes from."""

    role: str
    content: str
    part: int


class Layout(NamedTuple):
    """Where everything goes: the system prompt, then messages, with the history among them."""

    system_prompt: str
    messages: tuple[Placed, ...]
    user_part: int | None

    def fixed(self) -> list[dict[str, Any]]:
        """Every message but those of the history."""
        leading = [{"role": "system", "content": self.system_prompt}] if self.system_prompt else []
        return leading + [
            {"role": placed.role, "content": placed.content}
            for placed in self.messages
            if placed.part != HISTORY
        ]


def lay_out(draft: Draft, standing: Standing) -> Layout:
    """Leading system texts join into the system prompt; empty texts are not placed."""
    texts = draft.texts(standing)
    leading: list[str] = []
    messages: list[Placed] = []
    user_part: int | None = None
    for index, part in enumerate(draft.parts):
        if isinstance(part, HistoryPart):
            # A history that is empty from the start does not end the system prompt.
            if draft.call.history:
                messages.append(Placed("", "", HISTORY))
            continue
        role = part.role if isinstance(part, TextPart) else "system"
        text = texts[index] if isinstance(part, TextPart) else standing.packs[index].text
        if role == "user":
            user_part = index
        if text and role == "system" and not messages:
            leading.append(text)
        elif text:
            messages.append(Placed(role, text, index))
    return Layout(BETWEEN_SYSTEM_TEXTS.join(leading), tuple(messages), user_part)
