"""One retriever over one index: its rankings, and the contexts that they become."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.corpora import CorpusRetriever
from biblicus_context.corpora.evidence import Evidence
from biblicus_context.errors import ContextError
from biblicus_context.evaluation.collection import Query
from biblicus_context.evaluation.indexed import IndexedCollection
from biblicus_context.evaluation.measures import QueryResult, ndcg
from biblicus_context.retrieval.requests.templates import has_placeholders

_PACK: Final = "evidence"
_NAME: Final = "evidence alone"
_FIRST: Final = 10
_CONTEXT: Final[Mapping[str, Any]] = {
    "policy": {"pack_budget": {"default_ratio": 1.0}, "input_budget": {"max_tokens": 1}},
    "messages": [{"type": "context", "name": _PACK}],
}


class JudgedRetriever:
    """One retriever on one collection."""

    def __init__(
        self,
        indexed: IndexedCollection,
        settings: Mapping[str, Any],
        budgets: Sequence[int],
        place: str,
    ) -> None:
        self._indexed = indexed
        self._corpus = corpus = indexed.corpus
        self._settings = {key: settings[key] for key in settings if key != "query"}
        self._budgets = budgets
        self._place = place
        self._assembler = ContextAssembler({_NAME: _CONTEXT}, {_PACK: {"config": self._settings}})
        # Parsed as they are first: filters are only added to valid settings.
        self._whole = corpus.retriever(self._settings, place=place)
        self._scoped: dict[str | None, CorpusRetriever] = {None: self._whole}

    def load(self, query: Query) -> None:
        """Load what is loaded once, so that no query is measured with it."""
        with self._placed_errors():
            again = self._corpus.retriever(self._settings, place=self._place)
            again.evidence(query.text, offset=0, limit=_FIRST)

    def run(self, query: Query) -> QueryResult:
        """The measures of one query."""
        with self._placed_errors():
            return self._measure(query, self._retriever(query.collection))

    def is_silent(self, question: str) -> bool:
        """Whether nothing is placed for a query of another collection."""
        query = Query(id="foreign", text=question, gold=("nothing",))
        with self._placed_errors():
            result = self._assembled(query, self._whole, max(self._budgets))
        return not result.system_prompt

    @contextmanager
    def _placed_errors(self) -> Iterator[None]:
        try:
            yield
        except ContextError as error:
            raise error.at(self._place) from None

    def _measure(self, query: Query, retriever: CorpusRetriever) -> QueryResult:
        offset = retriever.spec.offset
        began = time.perf_counter()
        first = retriever.evidence(query.text, offset=offset, limit=_FIRST)
        seconds = time.perf_counter() - began
        gold = {*query.gold}
        results = {budget: self._assembled(query, retriever, budget) for budget in self._budgets}
        # As many hits as the receipts name at most, to know what is read with each of them.
        most = max(sum(len(part.blocks) for part in r.receipt.parts) for r in results.values())
        page = retriever.evidence(query.text, offset=offset, limit=retriever.spec.limit or most + 1)
        passages = {each.block.id: each.block_ids for each in page}
        placed = {
            budget: self._indexed.placed(gold, {*self._placed(result, passages)})
            for budget, result in results.items()
        }
        return QueryResult(
            recall={budget: len(ids) / len(gold) for budget, ids in placed.items()},
            filled={budget: result.token_count / budget for budget, result in results.items()},
            ndcg=ndcg([*self._ranked(first)], gold),
            seconds=seconds,
        )

    def _assembled(
        self, query: Query, retriever: CorpusRetriever, budget: int
    ) -> ContextAssemblyResult:
        result = self._assembler.assemble(
            _NAME,
            # Not as the user message, which would take its tokens from the evidence.
            inputs={"query": query.text},
            retriever_override=retriever,
            budget=budget,
        )
        assert result.token_count <= budget
        return result

    def _ranked(self, evidence: Sequence[Evidence]) -> Iterator[set[str]]:
        """The records of each hit that no better hit is of."""
        seen: set[str] = set()
        for each in evidence:
            yield {*self._indexed.records_of(each.block_ids)} - seen
            seen.update(self._indexed.records_of(each.block_ids))

    def _retriever(self, scope: str | None) -> CorpusRetriever:
        """The retriever limited to the collection of a query."""
        if scope is not None and scope not in self._scoped:
            filters = self._settings.get("filters") or {}
            if has_placeholders(filters):
                return self._whole  # its own error says that they are not filled
            settings = {**self._settings, "filters": self._within(filters, scope)}
            self._scoped[scope] = self._corpus.retriever(settings, place=self._place)
        return self._scoped[scope]

    def _within(self, filters: Mapping[str, Any], scope: str) -> dict[str, Any]:
        own = self._indexed.filters(scope)
        metadata = {**filters.get("metadata", {}), **own.pop("metadata", {})}
        return {**filters, **({"metadata": metadata} if metadata else {}), **own}

    def _placed(
        self, result: ContextAssemblyResult, passages: Mapping[str, Sequence[str]]
    ) -> Iterator[str]:
        """The blocks that were found and whose text is in the context.

        The text alone is not enough: every "Yes." would count, whoever said it. A block counts as
        found if it is a hit, in the passage of a hit, or left out as a duplicate of one.
        """
        text, texts = result.system_prompt, self._indexed.texts
        for part in result.receipt.parts:
            for row in part.blocks:
                for block in passages.get(row.id, (row.id,)):
                    if texts.get(block, "\0") in text:
                        yield block
