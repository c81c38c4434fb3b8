"""A retriever is asked every query of a collection, and its packs are assembled under budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.corpora import Corpus, CorpusRetriever
from biblicus_context.embedders.registry import DEFAULT as EMBEDDER
from biblicus_context.errors import InputError
from biblicus_context.evaluation.collection import Collection, Query
from biblicus_context.evaluation.indexing import indexed
from biblicus_context.evaluation.measures import BUDGETS, Answered, Figures, figures, ndcg

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
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Figures]:
    """Figures for each retriever's settings on the same index; `most` queries at most."""
    queries = collection.queries[:most]
    if not queries:
        raise InputError("there are no queries", place=f"collection '{collection.name}'")
    say = on_progress or (lambda _done, _all: None)
    measured = []
    with (
        TemporaryDirectory(prefix="biblicus-context-") as folder,
        indexed(collection, Path(folder), embedder) as corpus,
    ):
        for number, (name, settings) in enumerate(retrievers.items()):
            trial = _Trial(collection, corpus, settings, budgets)
            answered = []
            for done, query in enumerate(queries):
                say(number * len(queries) + done, len(retrievers) * len(queries))
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
    ) -> None:
        self._texts = {record.id: record.text for record in collection.records}
        self._corpus = corpus
        self._settings = {key: settings[key] for key in settings if key != "query"}
        self._budgets = budgets
        self._assembler = ContextAssembler({_NAME: _CONTEXT}, {_PACK: {"config": self._settings}})
        self._scoped: dict[str | None, CorpusRetriever] = {}

    def answered(self, query: Query) -> Answered:
        retriever = self._retriever(query.collection)
        began = time.perf_counter()
        first = retriever.evidence(query.text, offset=0, limit=_FIRST)
        seconds = time.perf_counter() - began
        gold = {*query.gold}
        return Answered(
            recall={
                budget: len(gold.intersection(self._placed(query, retriever, budget))) / len(gold)
                for budget in self._budgets
            },
            ndcg=ndcg([each.block.id for each in first], gold),
            seconds=seconds,
        )

    def _retriever(self, scope: str | None) -> CorpusRetriever:
        """The retriever over the part of the collection that a query belongs to."""
        if scope not in self._scoped:
            settings = dict(self._settings)
            if scope is not None:
                filters = settings.get("filters", {})
                within = {**filters.get("metadata", {}), "collection": scope}
                settings["filters"] = {**filters, "metadata": within}
            self._scoped[scope] = self._corpus.retriever(settings)
        return self._scoped[scope]

    def _placed(self, query: Query, retriever: CorpusRetriever, budget: int) -> Iterator[str]:
        """The blocks whose text stands in the context, once it is known to fit."""
        result = self._assembler.assemble(
            _NAME,
            # Not as the user message, which would take its tokens from the evidence.
            inputs={"query": query.text},
            retriever_override=retriever,
            budget=budget,
        )
        assert result.token_count <= budget
        text = result.system_prompt
        for citation in result.citations:
            if self._texts[citation.evidence] in text:
                yield citation.evidence
