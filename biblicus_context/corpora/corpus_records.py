"""The documents of a corpus that programs write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.base.options import require_counts
from biblicus_context.corpora.clusters import Cluster, clusters_of, record_text
from biblicus_context.corpora.errors import HasRootError
from biblicus_context.corpora.index import Index
from biblicus_context.corpora.listed_documents import Sight, listed_documents
from biblicus_context.ingest.erasing import erase_removed
from biblicus_context.ingest.records import Record, RecordWriter, WriteSummary, stored_record
from biblicus_context.ingest.records.record import refuse_unknown_fields
from biblicus_context.ingest.records.record_lines import record_line, record_of_line
from biblicus_context.ingest.syncing import IngestSettings
from biblicus_context.stores import (
    NO_FILTERS,
    REMEMBERED,
    Action,
    Batch,
    Block,
    Direction,
    Document,
    Filters,
    Relation,
    Store,
    VersionGoneError,
    View,
    checks,
    retried,
)
from biblicus_context.stores.view import MOST_LEVELS
from biblicus_context.text.counters import default_counter

AT_ONCE: Final = 2_000
"""Blocks that a slow embedder embeds in about half a minute: a call that writes waits for no more of them."""
_BATCH: Final = 1_000
"""Records of a batch of `put_many`."""
_PAGE: Final = 100


class Removed(NamedTuple):
    """What a call removed."""

    version: int
    """The version that this made."""
    documents: int
    """How many of the ids were those of documents."""
    remains_until: datetime | None
    """Until when files of the store may hold bytes of it; None: none do. `purge` waits for it."""
    remembered_in: tuple[str, ...] = ()
    """Answer caches that were passed and failed to forget what they remember: `purge` tries again."""


class Forgotten(NamedTuple):
    """What a system was asked to forget: a certificate that holds no text of it."""

    at: datetime
    removed: Mapping[str, tuple[str, ...]]
    """The ids, by source."""
    unknown: tuple[str, ...]
    """Ids of nothing that was there."""
    remains_until: datetime | None
    """Until when files may hold bytes of it; None: none do. `purge` waits for it."""


@door
class CorpusRecords:
    """Writes of programs; each is durable as a whole, and found when it returns."""

    index: Index
    ingest_settings: IngestSettings

    def put(
        self,
        records: Iterable[Record],
        remove: Collection[str] = (),
        *,
        at_once: int | None = AT_ONCE,
    ) -> WriteSummary:
        """Write records and remove others by id, all of it or nothing.

        Each record replaces the document of its id. All are in memory at once; `put_many` writes any
        number. With more than `at_once` new texts (None: any number) they are found by quick vectors,
        and wait for `embed_waiting`; the summary says how many do.
        """
        require_whole(at_once, "at_once")
        writer = replace(self.writer, at_once=at_once)
        return writer.put([*checks.several(records, "records", "records")], remove)

    def put_many(self, records: Iterable[Record], *, at_once: int | None = AT_ONCE) -> WriteSummary:
        """Write any number of records in little memory: a thousand at a time, each as `put` does.

        `at_once` is for all of them together. After an interruption, put the same records again: the
        stored vectors are reused.
        """
        require_whole(at_once, "at_once")
        rest, writer = iter(checks.several(records, "records", "records")), self.writer
        total = WriteSummary(self._version)
        while batch := [*islice(rest, _BATCH)]:
            left = None if at_once is None else max(0, at_once - total.embedded)
            made = replace(writer, at_once=left).put(batch, erase=False)
            total = total.followed_by(made)
        erase_removed(self._written, self.index.principal)
        return total

    @property
    def _version(self) -> int:
        with self._written.view(self.index.principal) as view:
            return view.version

    def update(self, record_id: str, **changes: Any) -> bool:
        """Change fields of a record; the others stay. False if there is no such document.

        A `text` or `parts` replaces the text; `relations` are added.
        """
        refuse_unknown_fields(changes)
        if "readers" in changes:
            changes = {"own_readers": None, **changes}
        return retried(lambda: self._update(record_id, changes))

    def _update(self, record_id: str, changes: Mapping[str, Any]) -> bool:
        """What others write meanwhile, such as other readers, is not written over."""
        with self._written.view(self.index.principal) as view:
            version, found = view.version, view.documents([record_id])
        if not found:
            return False
        if changes.keys() & {"text", "parts"}:
            own: dict[str, Any] = {"text": "", "parts": (), "relations": (), **changes}
            changed = [replace(each, **own) for each in self.get([record_id])]
            self.writer.write(self.writer.prepared(changed), version)
        else:
            self.writer.change(found[0], changes, version)
        return True

    def remove(self, ids: Collection[str]) -> Removed:
        """Remove documents with their relations and counts, and with every byte of them in files."""
        store, who, wanted = self._written, self.index.principal, checks.sequence(ids, "ids")
        with store.view(who) as view:
            found = len(view.documents(wanted))
        version = store.write(who, Batch(remove=wanted))
        with store.view(who) as view:
            remains = view.state.remains_until
        return Removed(version, found, remains, REMEMBERED.still_in(who.workspace))

    @property
    def remains_until(self) -> datetime | None:
        """Until when files of the store may hold bytes of what was removed; None: none do."""
        if self.index.is_awaited:
            return None
        return self.index.state.remains_until

    def purge(self, timeout: float = 60.0) -> None:
        """Erase what was removed and is still needed or kept; waits so many seconds for reads of it.

        After that, a StillReadError.
        """
        if not self.index.is_awaited:
            self.index.store.purge(self.index.principal, timeout=timeout)

    def clear(self) -> int:
        """Forget the whole workspace, whoever may read it; nothing of it stays in the store."""
        if self.index.is_awaited:
            return 0
        return self._written.clear(replace(self.index.principal, sees_all=True))

    def relate(self, relations: Iterable[Relation]) -> int:
        """Write relations; the last one of a type between two documents counts."""
        arrows = checks.relations(relations, "relations")
        return self._written.write(self.index.principal, Batch(relate=arrows))

    def unrelate(self, relations: Iterable[Relation]) -> int:
        """Remove relations; their weights do not matter."""
        arrows = checks.relations(relations, "relations")
        return self._written.write(self.index.principal, Batch(unrelate=arrows))

    def record_activity(
        self, document_id: str, action: Action, when: datetime | None = None
    ) -> None:
        """Record that the user of this corpus edited or viewed a document, by default now.

        A document that the user may not read is ignored, as one that is not there.
        """
        if not self.index.is_awaited:
            who, now = self.index.principal, when or datetime.now(UTC)
            self.index.store.record_activity(who, document_id, action, now)

    def record_feedback(self, item_id: str, *, useful: bool) -> bool:
        """Count whether a block, or all blocks of a document, were useful; False if none has this id."""
        store, who = self._written, self.index.principal
        with store.view(who) as view:
            ids = [each.block_id for each in view.places_of([item_id])]
            ids = ids or [each.block.id for each in view.evidence([item_id])]
        helpful, unhelpful = (ids, []) if useful else ([], ids)
        store.record_usage(who, helpful=helpful, unhelpful=unhelpful)
        return bool(ids)

    def get(self, ids: Sequence[str]) -> tuple[Record, ...]:
        """The records with these ids as they were put; unknown ones are missing.

        White space at the ends of a text is not kept.
        """
        if self.index.is_awaited:
            return ()
        return self.index.read(None, partial(_stored_records, ids))

    def documents(
        self, filters: Mapping[str, Any] | None = None, *, after: str | None = None
    ) -> Iterator[Document]:
        """The documents in the order of their ids, from the first one after `after`.

        `filters` are those of a retriever: without any, superseded documents are among them.
        """
        wanted = NO_FILTERS if filters is None else Filters.parse(filters)
        if self.index.is_awaited:
            return
        filters_now = wanted.resolved(datetime.now(UTC))
        yield from listed_documents(
            self.index.store, self.index.principal, filters_now, after=after
        )

    def relations(
        self, ids: Sequence[str], *, types: Collection[str] = (), direction: Direction = "out"
    ) -> tuple[Relation, ...]:
        """The relations of these types (default: all) that begin, or end, at these documents."""
        if self.index.is_awaited:
            return ()
        return self.index.read(
            None, lambda view: view.relations(ids, types=types, direction=direction)
        )

    def export_lines(self) -> Iterator[str]:
        """Every record with its relations as a line of JSON, one at a time in memory."""
        names = (each.id for each in self.documents())
        while some := [*islice(names, _PAGE)]:
            yield from map(record_line, self._while_visible(some))

    def _while_visible(self, ids: Sequence[str]) -> Iterator[Record]:
        """The records, which are read again where something was hidden or deleted meanwhile."""
        store, who = self.index.store, self.index.principal
        waiting = [*ids]
        while waiting:
            try:
                sight = Sight(store, who, self._version)
                for record in self.get(waiting):
                    if sight.has_changed():
                        break
                    yield record
                    del waiting[: waiting.index(record.id) + 1]
                else:
                    return
            except VersionGoneError:  # something was deleted, which ends the versions that hold it
                continue

    def import_lines(self, lines: Iterable[str]) -> WriteSummary:
        """Put the records of lines that `export_lines` returned, as `put_many` does."""
        return self.put_many(
            record_of_line(line, f"line {number}")
            for number, line in enumerate(checks.several(lines, "lines", "lines"), 1)
            if line != "" and not (isinstance(line, str) and line.isspace())
        )

    def ancestors(self, ids: Iterable[str]) -> dict[str, tuple[Document, ...]]:
        """What each document is inside, outermost first, and itself at the end.

        It ends at a document that the principal may not read; unknown ids are missing.
        """
        if self.index.is_awaited:
            return {}
        named = [*dict.fromkeys(ids)]
        above = self.index.read(None, lambda view: view.tree(named, up=MOST_LEVELS).above)
        known = {each.id: each for each in above}
        return {name: tuple(_upwards(name, known))[::-1] for name in named if name in known}

    def clusters(
        self,
        filters: Mapping[str, Any] | None = None,
        most: int = 8,
        of: int = 5_000,
        text_of: Callable[[Record], str] = record_text,
    ) -> list[Cluster]:
        """Documents that say something similar: up to `most` clusters of the first `of` documents.

        What is compared is the whole text of a record, or what `text_of` returns. It needs an embedder.
        """
        # Thousands of texts are read again: a quick embedder is enough to see which are similar.
        embedder = self.index.quick_embedder or self.index.embedder
        if embedder is None:
            return []
        require_counts(of=of)
        found = [each.id for each in islice(self.documents(filters), of)]
        return clusters_of(self.get(found), embedder, most, text_of)

    @property
    def _written(self) -> Store:
        if self.index.root is not None:
            raise HasRootError(self.index.name, self.index.root)
        return self.index.open_store(create=True)

    @property
    def writer(self) -> RecordWriter:
        """What writes records to its store."""
        settings = self.ingest_settings
        return RecordWriter(
            self._written,
            self.index.principal,
            default_counter(),
            self.index.embedder,
            settings.chunks,
            settings.quotations,
            self.index.quick_embedder,
            AT_ONCE,
        )


def require_whole(value: int | None, name: str) -> None:
    """Refuse what is not a number of blocks; None is all of them."""
    if value is not None:
        checks.whole(value, name)


def _stored_records(ids: Sequence[str], view: View) -> tuple[Record, ...]:
    arrows: dict[str, list[Relation]] = {}
    blocks: dict[str, list[Block]] = {}
    if view.travels:
        # Of ids that are unknown there is nothing.
        documents, relations, own = view.together(
            lambda: view.documents(ids), lambda: view.relations(ids), lambda: view.blocks_of(ids)
        )
    else:
        documents = view.documents(ids)
        known = [each.id for each in documents]
        relations = view.relations(known) if known else ()
        own = view.blocks_of(known) if known else ()
    for relation in relations:
        arrows.setdefault(relation.source, []).append(relation)
    for block in own:
        blocks.setdefault(block.document_id, []).append(block)
    return tuple(
        stored_record(each, blocks.get(each.id, []), arrows.get(each.id, [])) for each in documents
    )


def _upwards(name: str | None, known: Mapping[str, Document]) -> Iterator[Document]:
    """A document and what it is inside; a cycle of parents ends where it begins again."""
    seen: set[str] = set()
    while name is not None and name in known and name not in seen:
        seen.add(name)
        yield known[name]
        name = known[name].parent
