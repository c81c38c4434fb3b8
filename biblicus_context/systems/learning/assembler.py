"""The assembler: the plan says what is asked and how it is written, a searcher answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from biblicus_context import ContextAssembler as Engine
from biblicus_context import ContextError, shipped_plan
from biblicus_context.systems.arguments import require_counts
from biblicus_context.systems.asked_once import AskedOnce, Source
from biblicus_context.systems.formatted_context import FormattedContext, formatted
from biblicus_context.systems.learning.models import Axis
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.views import block_of

CONTEXT_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_PRINCIPLES: Final = 5


class ContextAssemblyError(ContextError):
    """A context that cannot be assembled as it was asked for."""


class InvalidContextTypeError(ContextAssemblyError):
    """A context type that does not exist; the message lists the valid ones."""


class ContextAssembler:
    """Contexts of what was learned, for a task and after a failure."""

    def __init__(
        self, searcher: Searcher, *, plan: str | Path | None = None, timeout_seconds: float = 10.0
    ) -> None:
        """`plan` may be a changed copy of the shipped one. A source that takes longer is skipped."""
        self._searches: Mapping[str, Any] = {
            "memories": searcher.search_memories,
            "code": searcher.search_code,
            "experiences": searcher.search_experiences,
            "values": searcher.search_values,
            "commits": searcher.search_commits,
        }
        self._timeout = timeout_seconds
        self._engine = Engine.from_path(plan or shipped_plan("learning"))

    async def assemble_context(
        self,
        query: str,
        context_types: Sequence[str],
        limit: int = 20,
        max_tokens: int = 2000,
        *,
        soft: bool = False,
    ) -> FormattedContext:
        """What was learned about a query, from these sources; `soft` lets a quarter more through."""
        wanted = [context_types] if isinstance(context_types, str) else [*context_types]
        for each in wanted:
            if each not in CONTEXT_TYPES:
                problem = "no such context type"
                raise InvalidContextTypeError(problem, found=each, valid=CONTEXT_TYPES)
        require_counts(ContextAssemblyError, limit=limit, max_tokens=max_tokens)
        sources = {name: self._source(name, limit) for name in wanted}
        asked = AskedOnce(sources, self._timeout)
        inputs = {"query": query, "types": wanted}
        return await formatted(self._engine, "learning", inputs, asked, max_tokens, soft=soft)

    async def get_premortem_context(
        self,
        domain: str,
        strategy: str | None = None,
        limit: int = 10,
        max_tokens: int = 1500,
        *,
        soft: bool = False,
    ) -> FormattedContext:
        """What went wrong in a domain before, and with a strategy."""
        require_counts(ContextAssemblyError, limit=limit, max_tokens=max_tokens)
        ask = partial(self._source, "experiences", limit)
        sources = {
            "failures": ask("full", domain=domain, outcome="falsified"),
            "performance": ask("strategy", strategy=strategy),
            "surprises": ask("surprise", domain=domain),
            "causes": ask("root_cause", domain=domain),
            "principles": self._source("values", _PRINCIPLES),
        }
        asked = AskedOnce(sources, self._timeout)
        inputs = {"domain": domain, "strategy": strategy or ""}
        return await formatted(self._engine, "premortem", inputs, asked, max_tokens, soft=soft)

    def _source(
        self, name: str, limit: int, axis: Axis | None = None, **where: str | None
    ) -> Source[Any]:
        on = {} if axis is None else {"axis": axis, **where}
        search = partial(self._searches[name], **on)
        return Source(search, limit, partial(block_of, axis=axis or "full"))
