"""Collections with gold evidence: those of a folder, and one made of what is installed."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

from benchmarks.stores_speed import PACKAGES, submodules
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
    for number, text in enumerate(sorted(_docstrings())[:most]):
        first, rest = re.split(r"(?<=[.!?])\s+", text, maxsplit=1)
        records.append(CollectionRecord(id=str(number), text=rest))
        queries.append(Query(id=str(number), text=first, gold=(str(number),)))
    return Collection("docstrings", tuple(records), tuple(queries))


def _folders(folder: Path) -> list[Path]:
    return sorted(each.parent for each in folder.glob("*/queries.jsonl"))


def _docstrings() -> set[str]:
    """Docstrings of several sentences, as one paragraph each."""
    found: set[str] = set()
    with catch_warnings():
        simplefilter("ignore")
        for name in PACKAGES:
            package = import_module(name)
            for module in [name, *(f"{name}.{each.name}" for each in submodules(package))]:
                found.update(_documented(module))
    return {text for text in found if re.search(r"[.!?]\s+\w", text) and 200 < len(text) < 3_000}


def _documented(module: str) -> Iterator[str]:
    try:
        members = vars(import_module(module)).values()
    except Exception:  # an installed module may fail in any way when it is imported
        return
    for member in members:
        text = getattr(member, "__doc__", None)
        if isinstance(text, str):
            yield " ".join(text.split())
