"""The assembler: the plan says what is asked and how it is written, a searcher answers."""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import biblicus_context as engine
from biblicus_context.base import (
    SynchronousDoor,
    door,
    require,
    require_counts,
    require_text,
    synchronous,
)
from biblicus_context.corpora import RelevantItem
from biblicus_context.errors import InputError, closest
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.learning.blocks import block_of
from biblicus_context.systems.learning.models import (
    Axis,
    ContextItem,
    Experience,
    FormattedContext,
    area,
)
from biblicus_context.systems.learning.searcher import (
    Floor,
    KnownAreas,
    KnownPrinciples,
    Searcher,
    WithFloors,
)
from biblicus_context.systems.learning.source_searches import SourceSearch, SourceSearches
from biblicus_context.systems.learning.structured_log import log_warning


class Unset(Enum):
    """What None cannot say, as it has a meaning of its own."""

    UNSET = "as the searcher was opened"


CONTEXT_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_SOFT: Final = 1.25
_FEWEST: Final = 20
"""Items that a source is asked for at least."""
_SMALLEST: Final = 20
"""Tokens of a short item, with the two lines of its format."""
UNSET: Final = Unset.UNSET
_Sources: TypeAlias = Mapping[str, SourceSearch[Any]]


class ContextAssemblyError(engine.ContextError):
    """A context that cannot be assembled as it was asked for."""


class InvalidContextTypeError(ContextAssemblyError):
    """A context type that does not exist; the message lists the valid ones."""


@door
class ContextAssembler:
    """Contexts of what was learned, for a task and after a failure."""

    def __init__(
        self, searcher: Searcher, *, plan: str | Path | None = None, timeout_seconds: float = 10.0
    ) -> None:
        """`plan` may be a changed copy of the shipped one. A source that takes longer is skipped."""
        require(Searcher, "Pass store.searcher().", searcher=searcher)
        self._searcher, self._timeout = searcher, timeout_seconds
        self._engine = engine.ContextAssembler.from_path(plan or shipped_plan("learning"))

    @property
    def sync(self) -> SynchronousContextAssembler:
        """The same methods without `await`."""
        return SynchronousContextAssembler(self)

    async def assemble_context(
        self,
        query: str,
        context_types: Sequence[str],
        limit: int | None = None,
        max_tokens: int = 2000,
        *,
        soft: bool = False,
        floor: Floor | Unset = UNSET,
    ) -> FormattedContext:
        """What was learned about a query, from these sources; `soft` lets a quarter more through.

        `limit` is of the items of each source; by default as many as `max_tokens` hold. `floor` is what
        `LearningStore.open` takes, for this call: None finds the best there is.
        """
        wanted = [context_types] if isinstance(context_types, str) else [*context_types]
        for each in wanted:
            if each not in CONTEXT_TYPES:
                raise InvalidContextTypeError("no such type", found=each, valid=CONTEXT_TYPES)
        require_counts(
            ContextAssemblyError, limit=1 if limit is None else limit, max_tokens=max_tokens
        )
        most = max(_FEWEST, max_tokens // _SMALLEST) if limit is None else limit
        searcher = self._searcher if floor is UNSET else self._with_floor(floor)
        sources = {name: self._source(name, most, searcher=searcher) for name in wanted}
        inputs = {"query": query, "types": wanted}
        return await self._assembled("learning", inputs, sources, max_tokens, soft=soft)

    async def get_premortem_context(
        self,
        domain: str,
        strategy: str | None = None,
        limit: int = 10,
        max_tokens: int = 1500,
        *,
        soft: bool = False,
    ) -> FormattedContext:
        """What went wrong in a domain before, and with a strategy.

        Where no experience has the domain or the strategy, `notes` says so and names those that are.
        """
        require_text(domain=domain)
        require_counts(ContextAssemblyError, limit=limit, max_tokens=max_tokens)
        domain, strategy = str(area(domain)), str(area(strategy or ""))
        ask = partial(self._source, "experiences", limit)
        of_strategy = ask("strategy", strategy=strategy)
        failed = ask("strategy", strategy=strategy, outcome="falsified")
        sources = {
            "failures": ask("full", domain=domain, outcome="falsified"),
            "performance": replace(of_strategy, search=partial(_first_of, [failed, of_strategy])),
            "surprises": ask("surprise", domain=domain),
            "causes": ask("root_cause", domain=domain),
            "principles": self._principles(),
        }
        inputs = {"domain": domain, "strategy": strategy}
        found = await self._assembled("premortem", inputs, sources, max_tokens, soft=soft)
        notes = await self._unknown(found, domain, strategy)
        if any("domain" in each.partition(":")[0] for each in notes):
            # Principles of other domains would look as if they were about this one.
            return FormattedContext("", (), 0, {}, skipped=found.skipped, notes=notes)
        return replace(found, notes=notes)

    def _principles(self) -> SourceSearch[Any]:
        """Five values, whatever the limit: a domain is no question that nothing answers."""
        is_known = isinstance(self._searcher, KnownPrinciples)
        return self._source("principles" if is_known else "values", 5)

    async def _unknown(
        self, found: FormattedContext, domain: str, strategy: str
    ) -> tuple[str, ...]:
        """What was asked for and no experience has; looked up only where nothing was found of it."""
        searcher, known = self._searcher, {"domain": set[str](), "strategy": set[str]()}
        for each in found.items:
            for name, seen in known.items():
                seen.add(str(each.metadata.get(name)))
        missing = [
            (name, asked)
            for name, asked in (("domain", domain), ("strategy", strategy))
            if asked and asked not in known[name]
        ]
        if not missing or not isinstance(searcher, KnownAreas) or found.skipped:
            return ()
        notes: list[str] = []
        for name, asked in missing:
            valid = await (searcher.domains() if name == "domain" else searcher.strategies())
            if valid and asked not in valid:
                problem = "no experience has this"
                listed = closest(asked, valid)
                notes.append(str(InputError(problem, place=name, found=asked, valid=listed)))
        return tuple(notes)

    def _with_floor(self, floor: Floor) -> Searcher:
        if not isinstance(self._searcher, WithFloors):
            problem = "this searcher decides itself what is relevant"
            raise InputError(problem, place="floor", found=floor, fix="Leave it out.")
        return self._searcher.with_floor(floor)

    def _source(
        self,
        name: str,
        limit: int,
        axis: Axis | None = None,
        *,
        searcher: Searcher | None = None,
        **where: str | None,
    ) -> SourceSearch[Any]:
        search = getattr(searcher or self._searcher, f"search_{name}")
        search = partial(search, **({"axis": axis, **where} if axis else {}))
        return SourceSearch(search, limit, partial(block_of, axis=axis or "full"))

    async def _assembled(
        self, context: str, inputs: dict[str, Any], sources: _Sources, most: int, *, soft: bool
    ) -> FormattedContext:
        searches = SourceSearches(sources, timeout_seconds=self._timeout)
        budget, ask = int(most * _SOFT) if soft else most, searches.answer
        call: dict[str, Any] = {"inputs": inputs, "budget": budget, "retriever_override": ask}
        result = await self._engine.aassemble(context, **call)
        tokens, is_over = result.token_count, result.token_count > most
        if is_over:
            log_warning(__name__, "limit exceeded", max_tokens=most, token_count=tokens)
        items = tuple(
            ContextItem(at.kind or "", text, hit.figure, hit.item.model_dump(mode="json"))
            for hit, at, text in searches.placed_in(result)
        )
        used = Counter(each.source for each in items)
        skipped = dict(sorted(searches.skipped.items()))
        return FormattedContext(
            result.system_prompt,
            items,
            tokens,
            dict(used),
            is_over,
            skipped=skipped,
            verdict=result.receipt.verdict,
        )


class SynchronousContextAssembler(SynchronousDoor[ContextAssembler]):
    """The methods of a `ContextAssembler` without `await`."""

    assemble_context = synchronous(ContextAssembler.assemble_context)
    get_premortem_context = synchronous(ContextAssembler.get_premortem_context)


async def _first_of(
    searches: Sequence[SourceSearch[RelevantItem[Experience]]], query: str, limit: int
) -> list[RelevantItem[Experience]]:
    """What the first search finds, and after it what only the next ones do."""
    found: dict[str, RelevantItem[Experience]] = {}
    for each in await gather(*(every.search(query=query, limit=limit) for every in searches)):
        for hit in each[:limit]:
            found.setdefault(hit.item.id, hit)
    return [*found.values()][:limit]
