"""Who may read a document stays when an ingest writes it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biblicus_context.stores import Batch, Document, Entry, Principal, Relation, Store, retried


def write_with_stored_readers(
    store: Store,
    principal: Principal,
    entries: Sequence[Entry],
    relate: tuple[Relation, ...] = (),
) -> None:
    """Write entries with the readers that their documents have: files do not declare who may read them.

    Those of the moment of the write: what somebody else revokes meanwhile is read again.
    """
    ids = [each.document.id for each in entries]

    def write() -> int:
        with store.view(principal) as view:
            version, there = view.version, view.documents(ids)
        known = {each.id: each for each in there}
        put = tuple(
            _as_stored(each, known[each.document.id]) if each.document.id in known else each
            for each in entries
        )
        batch = Batch(put=put, relate=relate)
        return store.write(principal, batch, expected_version=version, erase=False)

    retried(write)


def _as_stored(entry: Entry, known: Document) -> Entry:
    document = replace(entry.document, readers=known.readers, own_readers=known.own_readers)
    return replace(entry, document=document)
