"""The retrievers of this engine and of Biblicus on the same collections: time, and recall at budget."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.biblicus_search import biblicus_figures, is_installed
from benchmarks.gold import collections
from benchmarks.report import table
from benchmarks.targets import Target
from biblicus_context.evaluation import BUDGETS, Figures, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

LIMIT: Final = 400
"""Evidence that is asked for, enough to fill the largest budget."""
OURS: Final = ("hybrid", "keyword", "vector")
COLUMNS: Final = ("", "queries", "p50 ms", "p95 ms", *map(str, BUDGETS), "mean", "all", "nDCG@10")


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is asked, and how far ahead our hybrid has to be."""

    queries: int
    made: int
    """Records of the collection that is made where none is given."""
    recall: float
    """Times the mean recall of the best retriever of Biblicus."""
    time: float
    """Times the time of its hybrid."""


EXTENTS: Final = {
    "full": Extent(queries=40, made=1_000, recall=1.0, time=1.0),
    "quick": Extent(queries=10, made=200, recall=0.9, time=5.0),
}


def compared(folder: Path | None, extent: Extent) -> Iterator[Figures]:
    """A row for each retriever on each collection: ours first, then those of Biblicus."""
    for collection in collections(folder, queries=extent.queries, made=extent.made):
        print(f"{collection.name}: searching with both ...", file=sys.stderr)
        retrievers = {name: {"retriever_id": name, "limit": LIMIT} for name in OURS}
        yield from evaluate(collection, retrievers)
        if is_installed():
            yield from biblicus_figures(collection)


def ahead(rows: Sequence[Figures], extent: Extent) -> Iterator[Target]:
    """Our hybrid next to the best and to the hybrid of Biblicus, for each collection."""
    for collection in dict.fromkeys(row.collection for row in rows):
        here = {row.retriever: row for row in rows if row.collection == collection}
        theirs = [row for name, row in here.items() if name.startswith("Biblicus")]
        if theirs:
            ours, hybrid = here["hybrid"], here["Biblicus: hybrid"]
            best = max(row.mean_recall for row in theirs)
            yield Target(
                f"{collection}: mean recall, ours / best of Biblicus",
                ours.mean_recall / max(best, 1e-9),
                "x",
                at_least=extent.recall,
            )
            yield Target(
                f"{collection}: time of hybrid, ours / Biblicus",
                ours.p50_ms / hybrid.p50_ms,
                "x",
                at_most=extent.time,
            )


def figures_text(rows: Sequence[Figures]) -> str:
    """One table a collection; recall is in percent."""
    tables = []
    for collection in dict.fromkeys(row.collection for row in rows):
        lines = [_cells(row) for row in rows if row.collection == collection]
        tables.append(f"{collection}\n{table([COLUMNS, *lines])}")
    return "\n\n".join(tables)


def figures_json(rows: Sequence[Figures]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {
            "collection": row.collection,
            "retriever": row.retriever,
            "queries": row.queries,
            "p50_ms": row.p50_ms,
            "p95_ms": row.p95_ms,
            "recall": {str(budget): share for budget, share in row.recall.items()},
            "mean_recall": row.mean_recall,
            "all_evidence": row.mean_all_evidence,
            "ndcg_at_10": row.ndcg_at_10,
        }
        for row in rows
    ]


def _cells(row: Figures) -> tuple[str, ...]:
    shares = (*row.recall.values(), row.mean_recall, row.mean_all_evidence, row.ndcg_at_10)
    return (
        row.retriever,
        str(row.queries),
        f"{row.p50_ms:,.2f}",
        f"{row.p95_ms:,.2f}",
        *(f"{100 * share:.1f}" for share in shares),
    )
