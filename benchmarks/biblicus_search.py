"""The retrievers of Biblicus over a collection, each in the configuration that serves it best here.

- Every record is one item of text, a file as Biblicus keeps them, and comes back whole: snippets
  and chunks are longer than any record. By default its full-text search cuts evidence at 400
  characters, so that longer gold could never stand in a context; that row is there as well.
- Its full-text search reads a query as syntax and wants every word of it: it gets queries without
  punctuation, and drops stop words.
- Where a query is asked of one part of a collection, that part is a corpus of its own, as
  Biblicus has no filters; so it searches a fraction of what this engine searches.
- `hash-embedding` is the only embedding it brings along, "for tests and demos" as it says itself.
- Evidence fills a budget as ours does: in order, passing over what does not fit, recounted.
"""

from __future__ import annotations

import re
import time
import uuid
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from biblicus_context.evaluation.measures import BUDGETS, Figures, QueryResult, figures, ndcg
from biblicus_context.text.counters import default_counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from biblicus_context.evaluation import Collection, Query

WHOLE: Final = 1_000_000
"""Characters: more than any record has."""
_FULL_TEXT: Final[Mapping[str, Any]] = {
    "chunk_size": WHOLE,
    "chunk_overlap": 0,
    "snippet_characters": WHOLE,
    "stop_words": "english",
}
CONFIGURATIONS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "sqlite-full-text-search, as it comes": ("sqlite-full-text-search", {}),
    "sqlite-full-text-search": ("sqlite-full-text-search", _FULL_TEXT),
    "tf-vector": ("tf-vector", {}),
    "hybrid": ("hybrid", {"lexical_configuration": dict(_FULL_TEXT)}),
    "embedding-index-inmemory": (
        "embedding-index-inmemory",
        {
            "chunker": {
                "chunker_id": "fixed-char-window",
                "window_characters": WHOLE,
                "overlap_characters": 0,
            },
            "embedding_provider": {"provider_id": "hash-embedding", "dimensions": 256},
        },
    ),
}
FIRST, ALL = 10, 400
"""Evidence of the query that is timed, and of the one that fills budgets."""
JOINED: Final = "\n\n"

_Ask: TypeAlias = "Callable[[str, int], list[tuple[str, str]]]"


def is_installed() -> bool:
    """Whether there is anything to compare with."""
    return find_spec("biblicus") is not None


def biblicus_figures(collection: Collection) -> Iterator[Figures]:
    """A row for each configuration, on the same index as the others."""
    scopes = sorted({query.collection or "" for query in collection.queries})
    with TemporaryDirectory() as folder:
        parts = {
            scope: _Part(Path(folder) / str(number), collection, scope)
            for number, scope in enumerate(scopes)
        }
        for name in CONFIGURATIONS:
            answered = [
                parts[query.collection or ""].answered(name, query) for query in collection.queries
            ]
            yield figures(collection.name, f"Biblicus: {name}", answered)


class _Part:
    """A Biblicus corpus of the records that some queries are to be answered from."""

    def __init__(self, root: Path, collection: Collection, scope: str) -> None:
        self._records = {
            str(uuid.uuid5(uuid.NAMESPACE_OID, each.id)): each
            for each in collection.records
            if scope in ("", each.metadata_text("collection"))
        }
        self._corpus = import_module("biblicus.corpus").Corpus.init(root)
        self._corpus.raw_dir.mkdir(parents=True, exist_ok=True)
        for item, record in self._records.items():
            file = self._corpus.raw_dir / f"{item}--record.txt"
            file.write_text(record.text, encoding="utf-8")
        self._corpus.reindex()
        self._asking: dict[str, _Ask] = {}

    def answered(self, name: str, query: Query) -> QueryResult:
        """The same figures as an evaluation's."""
        if name not in self._asking:
            self._asking[name] = self._ready(name)
        ask = self._asking[name]
        words = " ".join(re.findall(r"\w+", query.text))
        began = time.perf_counter()
        first = ask(words, FIRST)
        seconds = time.perf_counter() - began
        ranked = ask(words, ALL)
        gold = {*query.gold}
        return QueryResult(
            recall={
                budget: len(gold & self._placed(ranked, budget)) / len(gold) for budget in BUDGETS
            },
            ndcg=ndcg([self._records[item].id for item, _ in first], gold),
            seconds=seconds,
        )

    def _ready(self, name: str) -> _Ask:
        """The index is built, and asked once."""
        budget_of = import_module("biblicus.models").QueryBudget
        retriever_id, configuration = CONFIGURATIONS[name]
        retriever = import_module("biblicus.retrievers").get_retriever(retriever_id)
        snapshot = retriever.build_snapshot(
            self._corpus, configuration_name="benchmark", configuration=dict(configuration)
        )

        def ask(words: str, most: int) -> list[tuple[str, str]]:
            found = retriever.query(
                self._corpus,
                snapshot=snapshot,
                query_text=words,
                budget=budget_of(max_total_items=most),
            )
            return [(each.item_id, each.text or "") for each in found.evidence]

        ask("ready", FIRST)
        return ask

    def _placed(self, ranked: Sequence[tuple[str, str]], budget: int) -> set[str]:
        """The records whose text stands in a context that is known to fit."""
        counts = default_counter().count_many([text + JOINED for _, text in ranked])
        placed, room = [], budget
        for each, count in zip(ranked, counts, strict=True):
            if count <= room:
                placed.append(each)
                room -= count
        context = JOINED.join(text for _, text in placed)
        assert default_counter().count(context) <= budget
        records = (self._records[item] for item, _ in placed)
        return {record.id for record in records if record.text in context}
