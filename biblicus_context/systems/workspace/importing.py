"""An import into a workspace that is repeated: edits, moves and deletions are followed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from biblicus_context.ingest import Record
from biblicus_context.stores import EVERYBODY, Document, Readers
from biblicus_context.systems.workspace.record_tree import RecordTree
from biblicus_context.systems.workspace.tree_inheritance import (
    AI,
    own_readers,
    says_of_models,
)

IMPORTED_FROM: Final = "imported_from"
"""Metadata of a block that an import wrote: the name of the import."""


class ImportedPages(NamedTuple):
    """What an import changed."""

    written: int
    """Blocks that were written: new ones, and ones that may have changed."""
    removed: tuple[str, ...] = ()
    """Pages and blocks that are no longer there, by id."""
    moved: Mapping[str, str] = {}
    """The new ids of pages that were renamed or moved, which keep their readers, by their old ones."""


def imported(
    tree: RecordTree, records: Iterable[Record], source: str, readers: Readers = EVERYBODY
) -> ImportedPages:
    """Write records in place of what the import of this name wrote before.

    New records at the top get these readers as their own. A page that has another id than before, and
    the same text, or the same name where there is no other, was moved: it keeps its readers.
    """
    before = {} if tree.corpus.index.is_awaited else _before(tree, source)
    given = [_marked(each, source) for each in records]
    ids = {each.id for each in given}
    known = tree.documents(ids)
    gone = {name: each for name, each in before.items() if name not in ids}
    new = [each for each in given if each.id not in known]
    moved = _moves(tree, gone, new)
    of_old = {new_id: gone[old_id] for old_id, new_id in moved.items()}
    written = tree.put(
        [_with_rights(each, of_old.get(each.id), ids, known, readers) for each in given]
    )
    if gone:
        tree.remove_many(gone)
    return ImportedPages(written, tuple(sorted(gone)), moved)


def _before(tree: RecordTree, source: str) -> dict[str, Document]:
    found = tree.corpus.documents({"metadata": {IMPORTED_FROM: source}})
    return {each.id: each for each in found}


def _marked(record: Record, source: str) -> Record:
    return replace(record, metadata={**record.metadata, IMPORTED_FROM: source})


def _with_rights(
    record: Record,
    old: Document | None,
    ids: set[str],
    known: Mapping[str, Document],
    readers: Readers,
) -> Record:
    """With the readers of the page that it was, or those of the import if it is new and at the top."""
    if old is not None:
        own, said = own_readers(old), says_of_models(old.metadata)
        metadata = record.metadata if said is None else {AI: said, **record.metadata}
        if own is not None:
            return replace(record, readers=own, own_readers=True, metadata=metadata)
        return replace(record, metadata=metadata)
    is_new_at_the_top = record.id not in known and record.parent not in ids
    if is_new_at_the_top and readers != EVERYBODY:
        return replace(record, readers=readers, own_readers=True)
    return record


def _moves(tree: RecordTree, gone: Mapping[str, Document], new: Sequence[Record]) -> dict[str, str]:
    """The new ids of pages by their old ones, where it is clear which became which."""
    if not gone or not new:
        return {}
    texts = {each.id: each.text for each in tree.corpus.get([*gone])}
    found: dict[str, str] = {}
    for key in (
        lambda id_, kind, text: (kind, text.strip()) if text.strip() else None,
        lambda id_, kind, text: (kind, PurePosixPath(id_).name) if kind == "page" else None,
    ):
        old, young = defaultdict(list), defaultdict(list)
        for name, each in gone.items():
            if name not in found:
                old[key(name, each.kind, texts.get(name, ""))].append(name)
        for record in new:
            if record.id not in found.values():
                young[key(record.id, record.kind, record.text)].append(record.id)
        found |= {
            names[0]: young[mark][0]
            for mark, names in old.items()
            if mark is not None and len(names) == 1 and len(young.get(mark, ())) == 1
        }
    return found
