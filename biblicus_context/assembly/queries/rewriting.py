"""A hook of the program rewrites queries; where it fails, the query stays as it was."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.assembly.queries.recent import RecentMessage, RecentMessages
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.effects import Effect, Effectful, Outcome, TookTooLongError
from biblicus_context.base.outlines import outline_of
from biblicus_context.errors import InputError

MOST_CHARACTERS: Final = 10_000
"""Of a rewritten query: an answer that does not end must not reach a retriever."""
_MOST_REMEMBERED: Final = 512
_MOST_DETAIL: Final = 200


class RewriteRequest(NamedTuple):
    """A query, and the conversation that it belongs to."""

    query: str
    turns: tuple[RecentMessage, ...]
    """The newest messages of user and assistant before it, oldest first."""


QueryRewriter: TypeAlias = Callable[[RewriteRequest], "str | Awaitable[str]"]
"""Returns the query to ask instead; may be async."""


def rewriting_from(function: object, seconds: object) -> Rewriting | None:
    """The rewriter that a caller passes, and the time that one of its calls may take."""
    if function is None:
        return None
    if not callable(function):
        raise InputError(
            "query_rewriter must be a function",
            found=type(function).__name__,
            fix="Pass a function that takes a RewriteRequest and returns the query to ask.",
        )
    if seconds is None:
        return Rewriting(function, None)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InputError(
            "query_rewriter_timeout must be a number of seconds above 0", found=seconds
        )
    return Rewriting(function, float(seconds))


class Rewritten(NamedTuple):
    """The answer of the rewriter for one query."""

    query: str | None
    """None: it failed."""
    failure: str = ""


class Rewriting:
    """The rewriter of an assembler, and what it answered before."""

    def __init__(self, function: QueryRewriter, timeout_seconds: float | None) -> None:
        self._function = function
        self._timeout = timeout_seconds
        self._known: BoundedMemory[RewriteRequest, str] = BoundedMemory(_MOST_REMEMBERED)

    def rewritten(
        self, queries: Iterable[str], recent: RecentMessages
    ) -> Effectful[Mapping[str, Rewritten]]:
        """The answer for each query; the rewriter is asked once for each that it does not know."""
        requests = [
            RewriteRequest(query, tuple(recent.before(query))) for query in dict.fromkeys(queries)
        ]
        found: dict[str, Rewritten] = {}
        new: list[RewriteRequest] = []
        for request in requests:
            known = self._known.get(request)
            if known is None:
                new.append(request)
            else:
                found[request.query] = Rewritten(known)
        if new:
            effects = (Effect(self._function, request, self._timeout) for request in new)
            outcomes = yield tuple(effects)
            for request, outcome in zip(new, outcomes, strict=True):
                answer = self._answer(outcome)
                found[request.query] = answer
                if answer.query is not None:
                    self._known.put(request, answer.query)
        return found

    def _answer(self, outcome: Outcome) -> Rewritten:
        value, error = outcome
        if isinstance(error, TookTooLongError):
            return Rewritten(None, f"did not answer within {self._timeout:g} s")
        if error is not None:
            return Rewritten(None, f"failed: {outline_of(error)[:_MOST_DETAIL]}")
        if not isinstance(value, str):
            return Rewritten(None, f"returned {type(value).__name__} instead of text")
        if not value.strip():
            return Rewritten(None, "returned no text")
        if len(value) > MOST_CHARACTERS:
            return Rewritten(None, f"returned more than {MOST_CHARACTERS:,} characters")
        return Rewritten(value.strip())
