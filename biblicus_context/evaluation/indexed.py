"""A collection in an index: which blocks the text of each record became."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from biblicus_context.corpora import Corpus


@dataclass(frozen=True)
class IndexedCollection:
    """The corpus of a collection, and where its records are in it."""

    corpus: Corpus
    blocks: Mapping[str, tuple[str, ...]]
    """The ids of the blocks of each record."""
    texts: Mapping[str, str]
    """The text of each block."""
    folders: Mapping[str, str]
    """The folder that holds the files of a scope; without it the scope is in the metadata."""
    any_block: bool = False
    """Whether one block of a record is enough: for whole files, of which a passage is wanted."""

    def filters(self, scope: str) -> dict[str, Any]:
        """The filters that limit a search to a scope."""
        if scope in self.folders:
            return {"path": f"{self.folders[scope]}/**"}
        return {"metadata": {"collection": scope}}

    def placed(self, records: Iterable[str], blocks: Collection[str]) -> set[str]:
        """Those of the records of which every block is among these, or one if that is enough."""
        enough = any if self.any_block else all
        found = ((each, self.blocks.get(each, ())) for each in records)
        return {record for record, own in found if own and enough(map(blocks.__contains__, own))}

    def records_of(self, blocks: Iterable[str]) -> Iterator[str]:
        """The records that a part of is in these blocks."""
        return (record for block in blocks for record in self._records.get(block, ()))

    @cached_property
    def _records(self) -> Mapping[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for record, blocks in self.blocks.items():
            for block in blocks:
                found[block].append(record)
        return found
