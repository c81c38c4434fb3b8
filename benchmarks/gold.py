"""Collections with gold evidence: those of a folder, and one made of what is installed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.sentences import docstrings as installed_docstrings
from biblicus_context.evaluation import Collection, CollectionRecord, Query, load_collection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def collections(folder: Path | None, *, queries: int, made: int) -> Iterator[Collection]:
    """Every collection below a folder, or one made of so many records; so many queries of each."""
    found = [docstrings(made)] if folder is None else map(load_collection, _folders(folder))
    for each in found:
        yield replace(each, queries=each.queries[:: max(1, len(each.queries) // queries)][:queries])


def docstrings(most: int) -> Collection:
    """The first sentence of a docstring asks for the rest of it; the same ones in every process."""
    records: list[CollectionRecord] = []
    queries: list[Query] = []
    for number, text in enumerate(sorted(_long_docstrings())[:most]):
        first, rest = re.split(r"(?<=[.!?])\s+", text, maxsplit=1)
        records.append(CollectionRecord(id=str(number), text=rest))
        queries.append(Query(id=str(number), text=first, gold=(str(number),)))
    return Collection("docstrings", tuple(records), tuple(queries))


def _folders(folder: Path) -> list[Path]:
    return sorted(each.parent for each in folder.glob("*/queries.jsonl"))


def _long_docstrings() -> set[str]:
    """Docstrings of several sentences, as one paragraph each."""
    found = {" ".join(text.split()) for text in installed_docstrings()}
    return {text for text in found if re.search(r"[.!?]\s+\w", text) and 200 < len(text) < 3_000}
