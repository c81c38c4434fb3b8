"""Runs every query of a collection, and assembles the packs under budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from biblicus_context.base.doors import door
from biblicus_context.base.temporary import temporary_folder
from biblicus_context.corpora import Corpus
from biblicus_context.errors import InputError
from biblicus_context.evaluation.as_files import index_files, index_records
from biblicus_context.evaluation.collection import Collection, Query
from biblicus_context.evaluation.indexed import IndexedCollection
from biblicus_context.evaluation.indexed_files import gold_of, indexed_files
from biblicus_context.evaluation.indexing import index_blocks
from biblicus_context.evaluation.judged_retriever import JudgedRetriever
from biblicus_context.evaluation.measures import BUDGETS, Figures, QueryResult, figures
from biblicus_context.evaluation.pool import pooled
from biblicus_context.evaluation.questions import Question

DEFAULT: Final[Mapping[str, Any]] = {"retriever_id": "hybrid"}
"""The hybrid retriever as plans declare it: without a limit it fills every budget."""
INDEXED_AS: Final[Mapping[str, Callable[[Collection, Path, str | None], IndexedCollection]]] = {
    "blocks": index_blocks,
    "files": index_files,
    "records": index_records,
}
"""What a collection becomes: a block for each record; or files that are ingested as any others."""
AS_IT_IS: Final = "corpus"
"""What the figures of a corpus say that was not indexed for them."""


@door
def evaluate(
    collection: Collection,
    retrievers: Mapping[str, Mapping[str, Any]],
    *,
    budgets: Sequence[int] = BUDGETS,
    most: int | None = None,
    embedder: str | None = None,
    indexed_as: str = "blocks",
    places: Mapping[str, str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Figures]:
    """Figures for the settings of each retriever on the same index, with up to `most` queries.

    `indexed_as` is one of `INDEXED_AS`. `places` says where the settings of a retriever are, for errors about them.
    """
    return evaluate_pool(
        [collection],
        retrievers,
        budgets=budgets,
        most=most,
        embedder=embedder,
        indexed_as=indexed_as,
        places=places,
        on_progress=on_progress,
    )


@door
def evaluate_pool(
    collections: Sequence[Collection],
    retrievers: Mapping[str, Mapping[str, Any]],
    *,
    budgets: Sequence[int] = BUDGETS,
    most: int | None = None,
    embedder: str | None = None,
    indexed_as: str = "blocks",
    places: Mapping[str, str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Figures]:
    """Figures for each collection, as `evaluate` has them, with all of them in one corpus."""
    if not collections:
        raise InputError("no collections given", place="collections", found=collections)
    for each in collections:
        if not each.queries[:most]:
            raise InputError("it has no queries", place=f"collection '{each.name}'")
    pool, measured = pooled(collections), list[Figures]()
    with temporary_folder() as folder:
        indexed = INDEXED_AS[indexed_as](pool[0], folder, embedder)
        for each in pool:
            queries = each.queries[:most]
            run = _Run(each.name, indexed_as, indexed, queries, budgets, places or {})
            found = replace(run, foreign=each.foreign).figures(retrievers, on_progress)
            others = tuple(other.name for other in pool if other is not each)
            measured += [replace(figures, pooled_with=others) for figures in found]
    return measured


@door
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
    queries = [
        Query(id=str(each.line), text=each.text, gold=tuple(map(gold_of, each.files)))
        for each in asked
    ]
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
                name: JudgedRetriever(self.indexed, settings, self.budgets, self._place(name))
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

    def _silent(self, trial: JudgedRetriever) -> float | None:
        return fmean(map(trial.is_silent, self.foreign)) if self.foreign else None

    def _missed(self, answered: Sequence[QueryResult]) -> tuple[str, ...]:
        if not self.names_missed:
            return ()
        largest = max(self.budgets)
        pairs = zip(self.queries, answered, strict=True)
        return tuple(query.text for query, result in pairs if result.recall[largest] < 1)

    def _place(self, retriever: str) -> str:
        return self.places.get(retriever, f"retriever '{retriever}'")
