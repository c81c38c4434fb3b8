"""The assembler: the plan says what is asked and how it is written, a searcher answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from biblicus_context import ContextAssembler as Engine
from biblicus_context import ContextError, shipped_plan
from biblicus_context.systems.asked_once import AskedOnce
from biblicus_context.systems.learning.models import Axis, ContextItem, FormattedContext, Hit
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.views import block_of
from biblicus_context.systems.structured_log import warn

CONTEXT_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_AXES: Final[Mapping[str, Axis]] = {
    "performance": "strategy",
    "surprises": "surprise",
    "causes": "root_cause",
}
_SOFT: Final = 1.25


class InvalidContextTypeError(ContextError):
    """A context type that does not exist; the message lists the valid ones."""


class ContextAssembler:
    """Contexts of what was learned, for a task and after a failure."""

    def __init__(
        self, searcher: Searcher, *, plan: str | Path | None = None, timeout_seconds: float = 10.0
    ) -> None:
        """`plan` may be a changed copy of the shipped one. A source that takes longer is skipped."""
        self._searcher = searcher
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
        for each in context_types:
            if each not in CONTEXT_TYPES:
                raise InvalidContextTypeError(
                    "no such context type", found=each, valid=CONTEXT_TYPES
                )
        ask = self._searcher
        searches = (ask.search_memories, ask.search_code, ask.search_experiences)
        both = zip(CONTEXT_TYPES, (*searches, ask.search_values, ask.search_commits), strict=True)
        wanted = {name: partial(each, limit=limit) for name, each in both if name in context_types}
        inputs = {"query": query, "types": [*wanted]}
        return await self._written("learning", inputs, wanted, max_tokens, soft=soft)

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
        ask = partial(self._searcher.search_experiences, limit=limit)
        searches = {
            "failures": partial(ask, axis="full", domain=domain, outcome="falsified"),
            "performance": partial(ask, axis="strategy", strategy=strategy),
            "surprises": partial(ask, axis="surprise", domain=domain),
            "causes": partial(ask, axis="root_cause", domain=domain),
            "principles": partial(self._searcher.search_values, limit=5),
        }
        inputs = {"domain": domain, "strategy": strategy or ""}
        return await self._written("premortem", inputs, searches, max_tokens, soft=soft)

    async def _written(
        self,
        context: str,
        inputs: Mapping[str, Any],
        searches: Mapping[str, partial[Any]],
        most: int,
        *,
        soft: bool,
    ) -> FormattedContext:
        asked = AskedOnce(searches, _block_of, self._timeout)
        budget = int(most * _SOFT) if soft else most
        result = await self._engine.aassemble(
            context, inputs=inputs, budget=budget, retriever_override=asked.answer
        )
        pieces = [piece for span in result.spans for piece in span.pieces if piece.is_block]
        items: list[ContextItem] = []
        for citation, piece in zip(result.citations, pieces, strict=True):
            hit, text = asked.hits[citation.evidence], result.system_prompt[piece.start : piece.end]
            known = hit.item.model_dump(mode="json")
            items.append(ContextItem(citation.kind or "", text, hit.relevance, known))
        tokens, used = result.token_count, dict(Counter(each.source for each in items))
        if tokens > most:
            warn("limit exceeded", max_tokens=most, token_count=tokens)
        return FormattedContext(result.system_prompt, tuple(items), tokens, used, tokens > most)


def _block_of(source: str, hit: Hit) -> dict[str, Any]:
    return block_of(hit, _AXES.get(source, "full"))
