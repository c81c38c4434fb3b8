"""The calls of the last while as conversations: a call goes on with the one whose history it begins with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

from biblicus_context.assembly import SavedResult


class SessionSummary(BaseModel):
    """A conversation that callers had."""

    id: str
    context: str
    began: AwareDatetime
    turns: int
    said: str = Field(description="The user's first message.")


@dataclass(frozen=True)
class SentTurn:
    """One call, and what was sent for it."""

    said: str
    call: Mapping[str, Any]
    result: SavedResult
    history: Sequence[Mapping[str, Any]]


@dataclass
class _Session:
    id: str
    owner: str
    context: str
    began: datetime
    turns: list[SentTurn]

    def goes_on(self, turn: SentTurn) -> bool:
        """Whether a call is the next turn, or goes on with the last one, as an agent does with tools.

        Its history begins with that of the last call, and what the user said then follows.
        """
        last = self.turns[-1]
        before, after = last.history, turn.history
        if [*after[: len(before)]] != [*before]:
            return False
        if len(after) == len(before):
            return turn.said == last.said
        following = after[len(before)]
        return following.get("role") == "user" and last.said in str(following.get("content"))


class Sessions:
    """Keeps the last calls; none with `most` 0. Each caller sees its own."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: list[_Session] = []
        self._count = 0
        self._lock = Lock()

    def note(self, owner: str, context: str, turn: SentTurn) -> None:
        """Keep a call; the oldest conversation goes where there are more than `most` calls."""
        if not self._most:
            return
        with self._lock:
            own = (s for s in self._found if (s.owner, s.context) == (owner, context))
            fitting = [each for each in own if each.goes_on(turn)]
            # Two conversations may begin alike: the longest beginning is the nearest one.
            session = max(fitting, key=lambda s: len(s.turns[-1].history), default=None)
            if session is None:
                self._count += 1
                session = _Session(str(self._count), owner, context, datetime.now(UTC), [])
            else:
                self._found.remove(session)
            session.turns.append(turn)
            self._found.append(session)
            while sum(len(each.turns) for each in self._found) > self._most:
                oldest = self._found[0]
                oldest.turns.pop(0)
                if not oldest.turns:
                    self._found.pop(0)

    def summaries(self, owner: str, context: str) -> list[SessionSummary]:
        """The conversations of a caller over a context, the newest first."""
        with self._lock:
            return [
                SessionSummary(
                    id=each.id,
                    context=each.context,
                    began=each.began,
                    turns=len(each.turns),
                    said=each.turns[0].said,
                )
                for each in reversed(self._found)
                if (each.owner, each.context) == (owner, context)
            ]

    def turns(self, owner: str, context: str, name: str) -> list[SentTurn] | None:
        """The turns of one of them; None if it is not there, or no longer."""
        with self._lock:
            for each in self._found:
                if (each.owner, each.context, each.id) == (owner, context, name):
                    return [*each.turns]
            return None
