"""Blocks with all that is shown of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from biblicus_context.stores.results import EvidenceRow, Usage
from biblicus_context.stores.source import MOST_REPLACED
from biblicus_context.stores.sqlite.read.lookups import documents
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among
from biblicus_context.stores.sqlite.read.usage import usage
from biblicus_context.stores.sqlite.schema import rows

_REPLACED: Final = "SELECT d.superseded_by, d.id FROM documents d"
_NEVER: Final = Usage()


def evidence(reading: WorkspaceReading, ids: Sequence[str]) -> list[EvidenceRow]:
    """Blocks in the order of these ids."""
    there = {each.id: each for each in rows.blocks(reading.rows(rows.BLOCKS, among("b.id", ids)))}
    owners = [*dict.fromkeys([there[each].document_id for each in ids if each in there])]
    if not owners:
        return []
    of = {each.id: each for each in documents(reading, owners)}
    replaced = _replaced(reading, owners)
    counts = usage(reading, ids)
    return [
        EvidenceRow(
            block,
            of[block.document_id],
            tuple(replaced.get(block.document_id, ())),
            counts.get(each, _NEVER),
        )
        for each in ids
        if (block := there.get(each)) is not None
    ]


def _replaced(reading: WorkspaceReading, ids: Sequence[str]) -> dict[str, list[str]]:
    """The first documents that each of these superseded."""
    found: dict[str, list[str]] = {}
    where, most = among("d.superseded_by", ids), MOST_REPLACED * len(ids)
    for by, old in reading.rows(_REPLACED, where, order="ORDER BY d.id", limit=most):
        named = found.setdefault(by, [])
        if len(named) < MOST_REPLACED:
            named.append(old)
    return found
