"""Runs every query of a collection, and assembles the packs under budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.corpora import Corpus, CorpusRetriever
from biblicus_context.embedders.registry import DEFAULT as EMBEDDER
from biblicus_context.errors import ContextError, InputError
from biblicus_context.evaluation.collection import Collection, Query
from biblicus_context.evaluation.indexing import index_collection
from biblicus_context.evaluation.measures import BUDGETS, Figures, QueryResult, figures, ndcg
from biblicus_context.retrieval.requests.templates import has_placeholders

DEFAULT: Final[Mapping[str, Any]] = {"retriever_id": "hybrid", "limit": 400}
"""The hybrid retriever with its defaults, and enough blocks to fill the largest budget."""
_PACK: Final = "evidence"
_NAME: Final = "evidence alone"
_FIRST: Final = 10
_CONTEXT: Final[Mapping[str, Any]] = {
    "policy": {"pack_budget": {"default_ratio": 1.0}, "input_budget": {"max_tokens": 1}},
    "messages": [{"type": "context", "name": _PACK}],
}


def evaluate(
    collection: Collection,
    retrievers: Mapping[str, Mapping[str, Any]],
    *,
    budgets: Sequence[int] = BUDGETS,
    most: int | None = None,
    embedder: str = EMBEDDER,
    places: Mapping[str, str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Figures]:
    """Figures for the settings of each retriever on the same index, with up to `most` queries.

    `places` says where the settings of a retriever are, for errors about them.
    """
    queries = collection.queries[:most]
    if not queries:
        raise InputError("it has no queries", place=f"collection '{collection.name}'")
    say = on_progress or (lambda _done, _all: None)
    names = places or {}
    measured = []
    with (
        TemporaryDirectory(prefix="biblicus-context-") as folder,
        index_collection(collection, Path(folder), embedder) as corpus,
    ):
        trials = {  # all of them first: a mistake in the last one must not show only after minutes
            name: _Trial(
                collection, corpus, settings, budgets, names.get(name, f"retriever '{name}'")
            )
            for name, settings in retrievers.items()
        }
        for number, (name, trial) in enumerate(trials.items()):
            trial.load(queries[0])
            corpus.close()  # and what it remembers of these queries: every row is measured alike
            answered = []
            for done, query in enumerate(queries):
                say(number * len(queries) + done, len(trials) * len(queries))
                answered.append(trial.run(query))
            measured.append(figures(collection.name, name, answered))
    return measured


class _Trial:
    """One retriever on one collection."""

    def __init__(
        self,
        collection: Collection,
        corpus: Corpus,
        settings: Mapping[str, Any],
        budgets: Sequence[int],
        place: str,
    ) -> None:
        self._texts = {record.id: record.text for record in collection.records}
        self._corpus = corpus
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
        with self._placed_errors():
            return self._measure(query, self._retriever(query.collection))

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
        page = retriever.evidence(query.text, offset=offset, limit=retriever.spec.limit)
        passages = {each.block.id: each.block_ids for each in page}
        gold = {*query.gold}
        placed = {
            budget: gold.intersection(self._placed(query, retriever, passages, budget))
            for budget in self._budgets
        }
        return QueryResult(
            recall={budget: len(ids) / len(gold) for budget, ids in placed.items()},
            ndcg=ndcg([each.block_ids for each in first], gold),
            seconds=seconds,
        )

    def _retriever(self, scope: str | None) -> CorpusRetriever:
        """The retriever limited to the collection of a query."""
        if scope not in self._scoped:
            filters = self._whole.spec.filters
            if has_placeholders(filters):
                return self._whole  # its own error says that they are not filled
            within = {**filters.get("metadata", {}), "collection": scope}
            settings = {**self._settings, "filters": {**filters, "metadata": within}}
            self._scoped[scope] = self._corpus.retriever(settings, place=self._place)
        return self._scoped[scope]

    def _placed(
        self,
        query: Query,
        retriever: CorpusRetriever,
        passages: Mapping[str, Sequence[str]],
        budget: int,
    ) -> Iterator[str]:
        """The blocks that were found and whose text is in the context.

        The text alone is not enough: every "Yes." would count, whoever said it. A block counts as
        found if it is a hit, in the passage of a hit, or left out as a duplicate of one.
        """
        result = self._assembler.assemble(
            _NAME,
            # Not as the user message, which would take its tokens from the evidence.
            inputs={"query": query.text},
            retriever_override=retriever,
            budget=budget,
        )
        assert result.token_count <= budget
        text = result.system_prompt
        for part in result.receipt.parts:
            for row in part.blocks:
                for block in passages.get(row.id, (row.id,)):
                    if self._texts[block] in text:
                        yield block
