"""Runs every query of a collection, and assembles the packs under budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.base.temporary import temporary_folder
from biblicus_context.corpora import Corpus, CorpusRetriever
from biblicus_context.corpora.evidence import Evidence
from biblicus_context.embedders.registry import DEFAULT as EMBEDDER
from biblicus_context.errors import ContextError, InputError
from biblicus_context.evaluation.as_files import index_files, index_records
from biblicus_context.evaluation.collection import Collection, Query
from biblicus_context.evaluation.indexed import IndexedCollection
from biblicus_context.evaluation.indexed_files import indexed_files
from biblicus_context.evaluation.indexing import index_blocks
from biblicus_context.evaluation.measures import BUDGETS, Figures, QueryResult, figures, ndcg
from biblicus_context.evaluation.questions import Question
from biblicus_context.retrieval.requests.templates import has_placeholders

DEFAULT: Final[Mapping[str, Any]] = {"retriever_id": "hybrid"}
"""The hybrid retriever as plans declare it: without a limit it fills every budget."""
INDEXED_AS: Final[Mapping[str, Callable[[Collection, Path, str], IndexedCollection]]] = {
    "blocks": index_blocks,
    "files": index_files,
    "records": index_records,
}
"""What a collection becomes: a block for each record; or files that are ingested as any others."""
AS_IT_IS: Final = "corpus"
"""What the figures of a corpus say that was not indexed for them."""
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
    indexed_as: str = "blocks",
    places: Mapping[str, str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Figures]:
    """Figures for the settings of each retriever on the same index, with up to `most` queries.

    `indexed_as` is one of `INDEXED_AS`. `places` says where the settings of a retriever are, for errors about them.
    """
    queries = collection.queries[:most]
    if not queries:
        raise InputError("it has no queries", place=f"collection '{collection.name}'")
    with temporary_folder() as folder:
        indexed = INDEXED_AS[indexed_as](collection, folder, embedder)
        run = _Run(collection.name, indexed_as, indexed, queries, budgets, places or {})
        return replace(run, foreign=collection.foreign).figures(retrievers, on_progress)


def evaluate_corpus(
    corpus: Corpus,
    questions: Sequence[Question],
    retrievers: Mapping[str, Mapping[str, Any]],
    *,
    budgets: Sequence[int] = BUDGETS,
    most: int | None = None,
    places: Mapping[str, str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Figures]:
    """Figures over a corpus as it is indexed: a file counts if a whole block of it is in the context."""
    asked = questions[:most]
    indexed = indexed_files(corpus, asked)
    queries = [Query(id=str(each.line), text=each.text, gold=each.files) for each in asked]
    run = _Run(corpus.name, AS_IT_IS, indexed, queries, budgets, places or {}, names_missed=True)
    return run.figures(retrievers, on_progress)


@dataclass(frozen=True)
class _Run:
    """Queries over one index."""

    name: str
    indexed_as: str
    indexed: IndexedCollection
    queries: Sequence[Query]
    budgets: Sequence[int]
    places: Mapping[str, str]
    names_missed: bool = False
    """Whether the figures name the queries with missing evidence."""
    foreign: Sequence[str] = ()
    """Queries that nothing here answers."""

    def figures(
        self,
        retrievers: Mapping[str, Mapping[str, Any]],
        on_progress: Callable[[int, int], None] | None,
    ) -> list[Figures]:
        """Figures for the settings of each retriever."""
        say = on_progress or (lambda _done, _all: None)
        queries, measured = self.queries, []
        with self.indexed.corpus as corpus:
            trials = {  # all of them first: a mistake in the last one must not show only after minutes
                name: _Trial(self.indexed, settings, self.budgets, self._place(name))
                for name, settings in retrievers.items()
            }
            for number, (name, trial) in enumerate(trials.items()):
                trial.load(queries[0])
                corpus.close()  # and what it remembers of these queries: every row is measured alike
                answered = []
                for done, query in enumerate(queries):
                    say(number * len(queries) + done, len(trials) * len(queries))
                    answered.append(trial.run(query))
                found = figures(self.name, name, answered, indexed_as=self.indexed_as)
                silent = self._silent(trial)
                measured.append(replace(found, missed=self._missed(answered), silent=silent))
        return measured

    def _silent(self, trial: _Trial) -> float | None:
        return fmean(map(trial.is_silent, self.foreign)) if self.foreign else None

    def _missed(self, answered: Sequence[QueryResult]) -> tuple[str, ...]:
        if not self.names_missed:
            return ()
        largest = max(self.budgets)
        pairs = zip(self.queries, answered, strict=True)
        return tuple(query.text for query, result in pairs if result.recall[largest] < 1)

    def _place(self, retriever: str) -> str:
        return self.places.get(retriever, f"retriever '{retriever}'")


class _Trial:
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
            filters = self._whole.spec.filters
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
