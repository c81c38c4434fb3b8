"""The assembler: the plan says what is asked and how it is written, a searcher answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from biblicus_context import ContextAssembler as Engine
from biblicus_context import ContextError, ContextRetrieverRequest, shipped_plan
from biblicus_context.systems.learning.models import Axis, ContextItem, FormattedContext, Hit
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.views import block_of
from biblicus_context.systems.structured_log import warn

CONTEXT_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_SOFT: Final = 1.25


class InvalidContextTypeError(ContextError):
    """A context type that does not exist; the message lists the valid ones."""


class ContextAssembler:
    """Contexts of what was learned, for a task and after a failure."""

    def __init__(
        self, searcher: Searcher, *, plan: str | Path | None = None, timeout_seconds: float = 5.0
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
        call = _Call(
            {name: partial(search, limit=limit) for name, search in both if name in context_types},
            self._timeout,
        )
        return await call.written(
            self._engine,
            "learning",
            {"query": query, "types": [*call.searches]},
            max_tokens,
            soft=soft,
        )

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
        call = _Call(searches, self._timeout)
        return await call.written(self._engine, "premortem", inputs, max_tokens, soft=soft)


class _Call:
    """One call: each source is asked once, with the query of the plan."""

    def __init__(self, searches: Mapping[str, partial[Any]], timeout: float) -> None:
        self.searches, self._timeout = searches, timeout
        self._asked: dict[str, asyncio.Task[list[dict[str, Any]]]] = {}
        self._hits: dict[str, Hit] = {}

    async def written(
        self, engine: Engine, context: str, inputs: Mapping[str, Any], most: int, *, soft: bool
    ) -> FormattedContext:
        """What the engine makes of the answers."""
        result = await engine.aassemble(
            context,
            inputs=inputs,
            budget=int(most * _SOFT) if soft else most,
            retriever_override=self._answer,
        )
        pieces = [piece for span in result.spans for piece in span.pieces if piece.is_block]
        items: list[ContextItem] = []
        for citation, piece in zip(result.citations, pieces, strict=True):
            hit, text = self._hits[citation.evidence], result.system_prompt[piece.start : piece.end]
            known = hit.item.model_dump(mode="json")
            items.append(ContextItem(citation.kind or "", text, hit.relevance, known))
        tokens, used = result.token_count, Counter(each.source for each in items)
        if tokens > most:
            warn("limit exceeded", max_tokens=most, token_count=tokens)
        return FormattedContext(result.system_prompt, tuple(items), tokens, used, tokens > most)

    async def _answer(self, request: ContextRetrieverRequest) -> list[dict[str, Any]]:
        name = str(request.metadata["retriever"]).partition("/")[0]
        if name not in self._asked:  # the engine may ask again for a smaller page
            self._asked[name] = asyncio.create_task(self._blocks(name, request.query))
        return (await self._asked[name])[request.offset :][: request.limit]

    async def _blocks(self, name: str, query: str) -> list[dict[str, Any]]:
        search = self.searches.get(name)
        if search is None:
            return []
        axis: Axis = search.keywords.get("axis", "full")
        try:
            found = await asyncio.wait_for(search(query=query), self._timeout)
            blocks = [block_of(hit, axis) for hit in found[: search.keywords["limit"]]]
        except Exception as error:
            warn("source skipped", source=name, error=f"{type(error).__name__}: {error}")
            return []
        self._hits |= {
            each["evidence_item_id"]: hit for each, hit in zip(blocks, found, strict=False)
        }
        return blocks
