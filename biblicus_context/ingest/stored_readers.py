"""Who may read a document stays when an ingest writes it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biblicus_context.stores import Entry, Principal, Store


def with_stored_readers(
    store: Store, principal: Principal, entries: Sequence[Entry]
) -> tuple[Entry, ...]:
    """The entries with the readers of stored documents: files do not declare who may read them."""
    with store.view(principal) as view:
        there = view.documents([each.document.id for each in entries])
    readers = {each.id: each.readers for each in there}
    return tuple(
        replace(each, document=replace(each.document, readers=readers[each.document.id]))
        if each.document.id in readers
        else each
        for each in entries
    )
