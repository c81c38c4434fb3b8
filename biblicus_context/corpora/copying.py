"""A corpus is copied into another store, document by document, and compared afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.index_location import relative_source
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    Relation,
    Store,
    StoreError,
    Vectors,
    View,
)

_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied, and what was there already."""

    documents: int
    written: int
    """Of these: the others were equal, from a copy that was interrupted, say."""
    blocks: int
    relations: int


def copied(
    source: Corpus, target: Corpus, on_progress: Callable[[int], None] | None = None
) -> Copied:
    """Copy what the principal of the source sees of its newest version: documents, blocks, embeddings, relations.

    Documents that are equal already are not written again, so that a copy that was interrupted goes on.
    Others in the target stay. Counts of use and activity are not copied. At last every document is compared.
    """
    who, store = target.principal, target.index.open_store(create=True)
    with source.index.view() as view:
        version, models = view.version, [*view.info().vectors]
    documents = written = blocks = relations = 0
    pages = _pages(source, version, models)
    for entries in pages:
        known = _fingerprints(store, who, [each.document.id for each in entries], models)
        new = [each for each in entries if known.get(each.document.id) != fingerprint(each)]
        if new:
            store.write(who, Batch(put=tuple(new)), erase=False)
        documents += len(entries)
        written += len(new)
        blocks += sum(len(each.blocks or ()) for each in entries)
        if on_progress:
            on_progress(documents)
    for arrows in _relations(source, version):
        with store.view(who) as view:
            ends = [*dict.fromkeys(each.source for each in arrows)]
            there = {*view.relations(ends)}
        if missing := [each for each in arrows if each not in there]:
            store.write(who, Batch(relate=tuple(missing)), erase=False)
        relations += len(arrows)
    if source.root is not None:
        store.record_source(who, relative_source(target.index.folder, source.root))
    _require_equal(source, target, version, models)
    store.prepare(who)
    return Copied(documents, written, blocks, relations)


def fingerprint(entry: Entry) -> str:
    """Equal for equal documents with equal blocks and embeddings."""
    digest = blake2b(digest_size=16)
    digest.update(repr(_plain(entry.document)).encode(errors="replace"))
    for block in entry.blocks or ():
        digest.update(repr(block).encode(errors="replace"))
    for vectors in sorted(entry.vectors, key=lambda each: each.model):
        digest.update(vectors.model.encode())
        digest.update(vectors.data)
    return digest.hexdigest()


def _plain(document: Document) -> tuple[object, ...]:
    """The fields of a document, with sets in an order: that of a set is another one in each process."""
    fields = {name: getattr(document, name) for name in Document.__slots__}
    fields["readers"] = sorted(document.readers.users), sorted(document.readers.groups)
    fields["closed"] = document.readers.closed
    fields["metadata"] = sorted(document.metadata.items(), key=repr)
    return tuple(sorted(fields.items()))


def _pages(source: Corpus, version: int, models: Sequence[str]) -> Iterator[list[Entry]]:
    after: str | None = None
    while True:
        with source.index.view(version) as view:
            page = view.list_documents(after=after, limit=_PAGE)
            entries = _entries(view, page, models)
        if not page:
            return
        yield entries
        after = page[-1].id


def _entries(view: View, page: Sequence[Document], models: Sequence[str]) -> list[Entry]:
    """Whole documents; an embedding is copied where all blocks of a document have one."""
    blocks: dict[str, list[Block]] = {each.id: [] for each in page}
    for block in view.blocks_of([*blocks]):
        blocks[block.document_id].append(block)
    ids = [block.id for own in blocks.values() for block in own]
    known = {model: view.vectors(model, ids) for model in models}
    entries = []
    for document in page:
        own = blocks[document.id]
        vectors = [
            Vectors(model, len(data[0]) // 4, b"".join(data))
            for model, rows in known.items()
            if own and len(data := [rows[each.id] for each in own if each.id in rows]) == len(own)
        ]
        entries.append(Entry(document, tuple(own), tuple(vectors)))
    return entries


def _fingerprints(
    store: Store, who: Principal, ids: Sequence[str], models: Sequence[str]
) -> dict[str, str]:
    with store.view(who) as view:
        found = _entries(view, view.documents(ids), models)
    return {each.document.id: fingerprint(each) for each in found}


def _relations(source: Corpus, version: int) -> Iterator[list[Relation]]:
    after: str | None = None
    while True:
        with source.index.view(version) as view:
            page = [each.id for each in view.list_documents(after=after, limit=_PAGE)]
            arrows = [*view.relations(page)] if page else []
        if not page:
            return
        if arrows:
            yield arrows
        after = page[-1]


def _require_equal(source: Corpus, target: Corpus, version: int, models: Sequence[str]) -> None:
    for entries in _pages(source, version, models):
        ids = [each.document.id for each in entries]
        there = _fingerprints(target.store, target.principal, ids, models)
        wrong = [
            each.document.id for each in entries if there.get(each.document.id) != fingerprint(each)
        ]
        if wrong:
            problem = "the copy differs from its source: somebody else writes to it"
            raise StoreError(problem, place=target.store_name, found=wrong[0], fix="Copy again.")
