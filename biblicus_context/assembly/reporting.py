"""What others learn of a finished assembly: observers get its receipt, and logs get what went wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeAlias, runtime_checkable

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.parts import PackPart
from biblicus_context.base.best_effort import BestEffort
from biblicus_context.base.effects import Effectful, side_by_side
from biblicus_context.base.logs import logger
from biblicus_context.base.surrogates import replaced
from biblicus_context.base.tracing import Tracing
from biblicus_context.base.visible import one_line

if TYPE_CHECKING:
    from biblicus_context.assembly.result.receipt import Receipt

Observer: TypeAlias = Callable[["Receipt"], Awaitable[None] | None]
"""Gets the receipt of each result; may be async."""


@runtime_checkable
class _Tracer(Protocol):
    """An observer that makes spans as well, such as `OpenTelemetry`."""

    def span(
        self, name: str, attributes: Mapping[str, Any], /
    ) -> AbstractContextManager[object]: ...


class Listening(NamedTuple):
    """An observer, and how it is called: one that fails or hangs is skipped."""

    observer: Observer
    calls: BestEffort
    tracing: Tracing | None = None
    """What makes spans, where the observer does."""

    @classmethod
    def of(cls, observer: Observer) -> Self:
        """An observer of one assembler."""
        calls = BestEffort("observer", observer, room="observers")
        return cls(observer, calls, observer.span if isinstance(observer, _Tracer) else None)


def reported(result: ContextAssemblyResult, observers: Sequence[Listening]) -> Effectful[None]:
    """Log what was left out, and hand the receipt to each observer; none of them can lose the result."""
    assert result.draft is not None
    _log_left_out(result.draft)
    if observers:
        told = (partial(each.observer, result.receipt) for each in observers)
        calls = zip(observers, told, strict=True)
        yield from side_by_side([o.calls.calling(call, otherwise=None) for o, call in calls])


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
