"""Who may read a document stays when an ingest writes it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biblicus_context.stores import Document, Entry, Principal, Store


def with_stored_readers(
    store: Store, principal: Principal, entries: Sequence[Entry]
) -> tuple[Entry, ...]:
    """The entries with the readers of stored documents: files do not declare who may read them."""
    with store.view(principal) as view:
        there = view.documents([each.document.id for each in entries])
    known = {each.id: each for each in there}
    return tuple(
        _as_stored(each, known[each.document.id]) if each.document.id in known else each
        for each in entries
    )


def _as_stored(entry: Entry, known: Document) -> Entry:
    document = replace(entry.document, readers=known.readers, own_readers=known.own_readers)
    return replace(entry, document=document)
