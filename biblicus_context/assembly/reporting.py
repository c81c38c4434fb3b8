"""What others learn of a finished assembly: observers get its receipt, and logs get what went wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.parts import PackPart
from biblicus_context.base.effects import Effect, Effectful
from biblicus_context.base.logs import logger
from biblicus_context.base.surrogates import replaced
from biblicus_context.base.visible import one_line

Observer: TypeAlias = Callable[[Receipt], Awaitable[None] | None]
"""Gets the receipt of each result; may be async."""


def reported(result: ContextAssemblyResult, observers: Sequence[Observer]) -> Effectful[None]:
    """Log what was left out, and hand the receipt to each observer; none of them can lose the result."""
    assert result.draft is not None
    _log_left_out(result.draft)
    if not observers:
        return
    effects = tuple(Effect(observer, result.receipt, parallel=False) for observer in observers)
    outcomes = yield effects
    for observer, outcome in zip(observers, outcomes, strict=True):
        if outcome.error is not None:
            problem = "observer %r failed; the result is not affected"
            logger("observers").error(problem, observer, exc_info=outcome.error)


def _log_left_out(draft: Draft) -> None:
    for at, gathered in draft.packs.items():
        part = draft.parts[at]
        assert isinstance(part, PackPart)
        if gathered.failure:
            # Retrievers and plans may say anything: a log line is one line that can be written.
            said = (
                one_line(replaced(each))
                for each in (draft.context.name, part.name, gathered.failure)
            )
            logger("assembly").warning("context '%s': pack '%s' is left out: %s", *said)
        if gathered.nested is not None:
            _log_left_out(gathered.nested)
