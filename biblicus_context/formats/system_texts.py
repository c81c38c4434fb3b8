"""System messages for providers that have one system prompt before the conversation."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import Final, Literal, NamedTuple, TypeAlias

from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats.conversation import Conversation, ConversationTurn, MessageText
from biblicus_context.formats.dialect import Dialect

LateSystemMessages: TypeAlias = Literal["error", "user", "system"]
"""What happens to a system message after the first user message."""
_SYSTEM_ROLES: Final = frozenset({"system", "developer"})


class Divided(NamedTuple):
    """The system prompt, and the conversation after it."""

    system: Conversation
    rest: Conversation
    late: frozenset[int]
    """Indexes of the messages in the conversation that were system messages."""


def divided(turns: Conversation, dialect: Dialect, late: LateSystemMessages) -> Divided:
    """Split off the leading system messages, and convert later ones as asked."""
    ways = ("error", "user", "system") if dialect.late_system else ("error", "user")
    if late not in ways:
        raise InputError("unknown way", place="late_system", found=late, valid=ways)
    system = tuple(takewhile(lambda turn: turn.role in _SYSTEM_ROLES, turns))
    for turn in system:
        _refuse_other_than_text(turn, dialect)
    behind = turns[len(system) :]
    rest = tuple(_placed(turn, dialect, late) for turn in behind)
    if not rest:
        raise FormatError(
            f"{dialect.name} needs a message besides the system prompt",
            place="messages",
            fix="Add a user message to the plan.",
        )
    if rest[0].role != "user":
        raise dialect.refusal(
            rest[0],
            "needs a user message directly after the system prompt",
            rest[0].role,
            "Set start_on: user for the plan's history.",
        )
    numbers = frozenset(turn.number for turn in behind if turn.role in _SYSTEM_ROLES)
    return Divided(system, rest, numbers)


def _placed(turn: ConversationTurn, dialect: Dialect, late: LateSystemMessages) -> ConversationTurn:
    if turn.role not in _SYSTEM_ROLES:
        return turn
    _refuse_other_than_text(turn, dialect)
    if late == "error":
        raise dialect.refusal(
            turn,
            "takes system text only before the conversation",
            turn.role,
            "Place this text before the history, or pass late_system='user'.",
        )
    return replace(turn, role=late)


def _refuse_other_than_text(turn: ConversationTurn, dialect: Dialect) -> None:
    if not turn.parts or not all(isinstance(part, MessageText) for part in turn.parts):
        raise dialect.refusal(turn, "takes only text in a system message")
