"""A retriever is asked every query of a collection, and its packs are assembled under budgets."""

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
from biblicus_context.evaluation.indexing import indexed
from biblicus_context.evaluation.measures import BUDGETS, Answered, Figures, figures, ndcg
from biblicus_context.retrieval.requests.templates import has_placeholders

DEFAULT: Final[Mapping[str, Any]] = {"retriever_id": "hybrid", "limit": 400}
"""The hybrid with its own defaults, and enough blocks to fill the largest budget."""
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
    """Figures for each retriever's settings on the same index; `most` queries at most.

    `places` say where the settings of a retriever stand: what an error about them begins with.
    """
    queries = collection.queries[:most]
    if not queries:
        raise InputError("there are no queries", place=f"collection '{collection.name}'")
    say = on_progress or (lambda _done, _all: None)
    said = places or {}
    measured = []
    with (
        TemporaryDirectory(prefix="biblicus-context-") as folder,
        indexed(collection, Path(folder), embedder) as corpus,
    ):
        trials = {  # all of them first: a mistake in the last one is not found after minutes
            name: _Trial(
                collection, corpus, settings, budgets, said.get(name, f"retriever '{name}'")
            )
            for name, settings in retrievers.items()
        }
        for number, (name, trial) in enumerate(trials.items()):
            trial.load(queries[0])
            corpus.close()  # with what it remembers of these queries, from the row before as well
            answered = []
            for done, query in enumerate(queries):
                say(number * len(queries) + done, len(trials) * len(queries))
                answered.append(trial.answered(query))
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
        # Nothing is added to settings that nobody has looked at.
        self._whole = corpus.retriever(self._settings, place=place)
        self._scoped: dict[str | None, CorpusRetriever] = {None: self._whole}

    def load(self, query: Query) -> None:
        """Have everything loaded that is loaded once, so that it is no query's time."""
        with self._placed_errors():
            again = self._corpus.retriever(self._settings, place=self._place)
            again.evidence(query.text, offset=0, limit=_FIRST)

    def answered(self, query: Query) -> Answered:
        with self._placed_errors():
            return self._answered(query, self._retriever(query.collection))

    @contextmanager
    def _placed_errors(self) -> Iterator[None]:
        try:
            yield
        except ContextError as error:
            raise error.at(self._place) from None

    def _answered(self, query: Query, retriever: CorpusRetriever) -> Answered:
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
        return Answered(
            recall={budget: len(ids) / len(gold) for budget, ids in placed.items()},
            ndcg=ndcg([each.block_ids for each in first], gold),
            seconds=seconds,
        )

    def _retriever(self, scope: str | None) -> CorpusRetriever:
        """The retriever over the part of the collection that a query belongs to."""
        if scope not in self._scoped:
            filters = self._whole.spec.filters
            if has_placeholders(filters):
                return self._whole  # it says that nobody fills them
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
        """The blocks that were found and whose text stands in the context, which fits.

        By the text alone every "Yes." would count, wherever it was said. What is found is a hit, a
        block of its passage, or one that is left out because its text stands there already.
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
