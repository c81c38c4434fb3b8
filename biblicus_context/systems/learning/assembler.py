"""The assembler: asks all sources at once, and lets the plan divide the budget among them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from biblicus_context import ContextAssembler as Engine
from biblicus_context import ContextRetrieverRequest, shipped_plan
from biblicus_context.systems.learning.blocks import block_of, without_repeats
from biblicus_context.systems.learning.errors import InvalidContextTypeError
from biblicus_context.systems.learning.log import warn
from biblicus_context.systems.learning.models import Axis, ContextItem, FormattedContext, Hit, Item
from biblicus_context.systems.learning.searcher import Searcher

CONTEXT_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_AXES: Final[Mapping[str, Axis]] = {
    "performance": "strategy",
    "surprises": "surprise",
    "causes": "root_cause",
}
_PRINCIPLES: Final = 5
_SOFT: Final = 1.25
"""How much of `max_tokens` a soft limit lets through."""
_Search = Awaitable[Sequence[Hit[Item]]]


class ContextAssembler:
    """Contexts of what was learned, for a task and before a risk."""

    def __init__(
        self,
        searcher: Searcher,
        *,
        plan: str | Path | None = None,
        timeout_seconds: float = 5.0,
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
        """What was learned about a query, from these sources, within `max_tokens`."""
        for each in context_types:
            if each not in CONTEXT_TYPES:
                problem = "not a context type"
                raise InvalidContextTypeError(problem, found=each, valid=CONTEXT_TYPES)
        known: Mapping[str, Callable[..., _Search]] = {
            "memories": self._searcher.search_memories,
            "code": self._searcher.search_code,
            "experiences": self._searcher.search_experiences,
            "values": self._searcher.search_values,
            "commits": self._searcher.search_commits,
        }
        searches = {
            name: search(query=query, limit=limit)
            for name, search in known.items()
            if name in context_types
        }
        found = without_repeats(await self._answers(searches, limit))
        return await self._written("learning", {"query": query}, found, max_tokens, soft)

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
        ask = self._searcher.search_experiences
        why = f"principles for {domain}" + (f" using {strategy}" if strategy else "")
        searches: dict[str, _Search] = {
            "failures": ask(
                query=f"failures and issues in {domain}",
                axis="full",
                domain=domain,
                outcome="falsified",
                limit=limit,
            ),
            "surprises": ask(
                query=f"unexpected outcomes in {domain}",
                axis="surprise",
                domain=domain,
                limit=limit,
            ),
            "causes": ask(
                query=f"why hypotheses fail in {domain}",
                axis="root_cause",
                domain=domain,
                limit=limit,
            ),
            "principles": self._searcher.search_values(query=why, limit=_PRINCIPLES),
        }
        if strategy:
            how = f"outcomes using {strategy} strategy"
            searches["performance"] = ask(
                query=how, axis="strategy", strategy=strategy, limit=limit
            )
        found = await self._answers(searches, limit)
        inputs = {"domain": domain, "strategy": strategy or ""}
        return await self._written("premortem", inputs, found, max_tokens, soft)

    async def _answers(
        self, searches: Mapping[str, _Search], limit: int
    ) -> dict[str, Sequence[Hit[Item]]]:
        """All sources at once; one that fails or is too slow is logged and has nothing."""
        answers = await asyncio.gather(
            *(asyncio.wait_for(search, self._timeout) for search in searches.values()),
            return_exceptions=True,
        )
        found: dict[str, Sequence[Hit[Item]]] = {}
        for name, answer in zip(searches, answers, strict=True):
            if isinstance(answer, Exception):
                warn("source skipped", source=name, error=f"{type(answer).__name__}: {answer}")
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found[name] = answer[:limit]
        return found

    async def _written(
        self,
        context: str,
        inputs: Mapping[str, str],
        found: Mapping[str, Sequence[Hit[Item]]],
        max_tokens: int,
        soft: bool,
    ) -> FormattedContext:
        blocks = {
            name: [(block_of(hit, _AXES.get(name, "full")), hit) for hit in hits]
            for name, hits in found.items()
        }

        async def answer(request: ContextRetrieverRequest) -> list[dict[str, Any]]:
            offered = blocks.get(str(request.metadata["retriever"]).partition("/")[0], [])
            return [block for block, _ in offered[request.offset :][: request.limit]]

        result = await self._engine.aassemble(
            context,
            inputs=inputs,
            budget=int(max_tokens * _SOFT) if soft else max_tokens,
            retriever_override=answer,
        )
        hits = {each["evidence_item_id"]: hit for pairs in blocks.values() for each, hit in pairs}
        pieces = [piece for span in result.spans for piece in span.pieces if piece.is_block]
        items = tuple(
            ContextItem(
                source=citation.kind or "",
                content=result.system_prompt[piece.start : piece.end],
                relevance=hits[citation.evidence].relevance,
                metadata=hits[citation.evidence].item.model_dump(mode="json"),
            )
            for citation, piece in zip(result.citations, pieces, strict=True)
        )
        exceeded = result.token_count > max_tokens
        if exceeded:
            warn("limit exceeded", max_tokens=max_tokens, token_count=result.token_count)
        used = Counter(each.source for each in items)
        return FormattedContext(result.system_prompt, items, result.token_count, used, exceeded)
