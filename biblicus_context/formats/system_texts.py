"""System messages at providers that have one system prompt in front of the conversation."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import Final, Literal, NamedTuple, TypeAlias

from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats.conversation import Conversation, ConversationTurn, TextPart
from biblicus_context.formats.dialect import Dialect

LateSystem: TypeAlias = Literal["error", "user", "system"]
"""What becomes of a system message after the conversation has begun."""
_SYSTEM_ROLES: Final = frozenset({"system", "developer"})


class Divided(NamedTuple):
    """The system prompt, and the conversation it stands in front of."""

    system: Conversation
    rest: Conversation
    late: frozenset[int]
    """Numbers of the messages among the rest that were system messages."""


def divided(turns: Conversation, dialect: Dialect, late: LateSystem) -> Divided:
    """The leading system messages, and the conversation with later ones as asked."""
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
            f"{dialect.name} wants a message besides the system prompt",
            place="messages",
            fix="Give the plan a user message.",
        )
    if rest[0].role != "user":
        raise dialect.refusal(
            rest[0],
            "wants a user message first, behind the system prompt",
            rest[0].role,
            "Let the plan's history start_on: user.",
        )
    numbers = frozenset(turn.number for turn in behind if turn.role in _SYSTEM_ROLES)
    return Divided(system, rest, numbers)


def _placed(turn: ConversationTurn, dialect: Dialect, late: LateSystem) -> ConversationTurn:
    if turn.role not in _SYSTEM_ROLES:
        return turn
    _refuse_other_than_text(turn, dialect)
    if late == "error":
        raise dialect.refusal(
            turn,
            "has its system prompt in front of the conversation",
            turn.role,
            "Place this text before the history, or hand in late_system='user'.",
        )
    return replace(turn, role=late)


def _refuse_other_than_text(turn: ConversationTurn, dialect: Dialect) -> None:
    if not turn.parts or not all(isinstance(part, TextPart) for part in turn.parts):
        raise dialect.refusal(turn, "takes text, and only text, in a system message")
