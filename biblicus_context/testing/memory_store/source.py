"""A database in plain Python: every version of every collection, as values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from threading import RLock
from typing import Any

import numpy as np

from biblicus_context.stores import (
    Action,
    Activity,
    Batch,
    Document,
    Entry,
    Relation,
    Usage,
    Vectors,
    checks,
    refusals,
)
from biblicus_context.stores.arguments import MOST_ACTIVITY, RecordedUsage
from biblicus_context.stores.replaced_blocks import replaced_blocks
from biblicus_context.stores.source import Applied, Scope
from biblicus_context.testing.memory_store.reading import MemoryReading
from biblicus_context.testing.memory_store.workspace import (
    MemoryWorkspace,
    VisibleVersion,
    WorkspaceVersion,
    WrittenDocument,
    indexed,
    moved,
)


class MemorySource:
    """What is promised of each method is in the Protocol `Source`."""

    def __init__(self) -> None:
        self._workspaces: dict[str, MemoryWorkspace] = {}
        self._lock = RLock()

    @contextmanager
    def reading(self, scope: Scope, at: int | None) -> Iterator[MemoryReading]:
        """A version does not change, so nothing has to begin or end."""
        with self._lock:
            reading = self._reading(scope, at)
        yield reading

    def is_made(self, scope: Scope) -> bool:
        """Whether there is a version."""
        with self._lock:
            return scope.name in self._workspaces

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Add a version to the older ones; there is no file to erase anything from."""
        del erase
        with self._lock:
            space = self._space(scope)
            if token in space.tokens:
                return space.tokens[token]
            if expected is not None and expected != space.newest:
                raise refusals.version_conflict(expected, space.newest)
            view = self._reading(scope, None).view
            removed = [each for each in batch.remove if each in view.documents]
            documents = {
                id_: each for id_, each in view.version.documents.items() if id_ not in removed
            }
            dimensions, row, blocks = dict(space.dimensions), len(space.written), space.blocks
            written: list[WrittenDocument] = []
            for n, entry in enumerate(batch.put):
                row += 1
                stored = _stored(entry, f"put[{n}]", view, dimensions, row, blocks)
                blocks += len(stored.blocks)
                written.append(stored)
                documents.pop(entry.document.id, None)
                documents[entry.document.id] = stored
            owners = _owners(documents)
            relations = _relations(batch, removed, view)
            space.dimensions = dimensions
            space.written += written
            space.blocks = blocks
            space.versions.append(WorkspaceVersion(documents, relations, datetime.now(UTC)))
            for id_ in removed:
                space.accessed.pop(id_, None)
            space.activity = {
                key: each for key, each in space.activity.items() if key[1] not in removed
            }
            for document in (each.document for each in batch.put):
                if document.accessed is not None:
                    last = space.accessed.get(document.id, document.accessed)
                    space.accessed[document.id] = max(last, document.accessed)
            kept = {
                each.block.id: space.usage[each.block.id]
                for id_, stored in view.version.documents.items()
                for each in stored.blocks
                if owners.get(each.block.id) == id_ not in removed and each.block.id in space.usage
            }
            stayed = {each: documents[each] for each in documents.keys() - {*removed}}
            space.usage = {**_moved(view.version.documents, stayed, space.usage), **kept}
            before = view.version
            changed = any(documents.get(id_) is not each for id_, each in before.documents.items())
            ended = any(relations.get(key) is not each for key, each in before.relations.items())
            applied = space.tokens[token] = Applied(space.newest, changed or ended)
            return applied

    def purge(self, scope: Scope, seconds: float, *, all_versions: bool) -> bool:
        """Keep the newest state."""
        del seconds
        with self._lock:
            if all_versions:  # without it: this source keeps them
                space = self._space(scope)
                space.oldest = space.newest
                del space.versions[:-1]
        return all_versions

    def forget(self, scope: Scope) -> int:
        """Forget everything in the collection."""
        with self._lock:
            newest = self._space(scope).newest
            if not newest:
                self._space(scope).is_partial = False
                return newest
            empty = WorkspaceVersion(written=datetime.now(UTC))
            self._workspaces[scope.name] = MemoryWorkspace([empty], newest + 1)
            return newest + 1

    def count(self, scope: Scope, usage: RecordedUsage) -> None:
        """Count uses and feedback."""
        with self._lock:
            space, view = self._space(scope), self._reading(scope, None).view
            for block in (each.block for each in view.blocks):
                if block.id not in {*usage.used, *usage.helpful, *usage.unhelpful}:
                    continue
                known = space.usage.get(block.id, Usage())
                last = known.last_used
                if block.id in usage.used and usage.when is not None:
                    last = max(last or usage.when, usage.when)
                    accessed = space.accessed.get(block.document_id, usage.when)
                    space.accessed[block.document_id] = max(accessed, usage.when)
                space.usage[block.id] = Usage(
                    known.used + (block.id in usage.used),
                    known.helpful + (block.id in usage.helpful),
                    known.unhelpful + (block.id in usage.unhelpful),
                    last,
                )

    def note_activity(self, scope: Scope, document: str, action: Action, when: datetime) -> None:
        """Keep the last time."""
        with self._lock:
            space, view = self._space(scope), self._reading(scope, None).view
            if document not in view.documents:
                return
            key = scope.principal.user or "", document, action
            known = space.activity.get(key)
            last = max(known.when, when) if known else when
            space.activity[key] = Activity(document, action, last, known.times + 1 if known else 1)
            own = [each for each in space.activity if each[0] == key[0]]
            if len(own) > MOST_ACTIVITY:
                newest = sorted(
                    sorted(own), key=lambda each: space.activity[each].when, reverse=True
                )
                for forgotten in newest[MOST_ACTIVITY:]:
                    del space.activity[forgotten]

    def note_source(self, scope: Scope, source: str) -> None:
        """Keep the source."""
        with self._lock:
            self._space(scope).source = source

    def note_filling(self, scope: Scope, *, finished: bool) -> None:
        """Keep whether the collection is complete."""
        with self._lock:
            self._space(scope).is_partial = not finished

    def prepare(self, scope: Scope) -> None:
        """There is nothing to prepare."""

    def check(self) -> tuple[str, ...]:
        """Nothing can be damaged."""
        return ()

    def tidy(self) -> None:
        """Keep the newest states."""
        with self._lock:
            for space in self._workspaces.values():
                space.oldest = space.newest
                del space.versions[:-1]

    def close(self) -> None:
        """There is nothing to close."""

    def _space(self, scope: Scope) -> MemoryWorkspace:
        return self._workspaces.setdefault(scope.name, MemoryWorkspace())

    def _reading(self, scope: Scope, at: int | None) -> MemoryReading:
        space = self._space(scope)
        version = space.newest if at is None else checks.version(at, space.oldest, space.newest)
        number = version - space.oldest
        later = tuple(space.versions[number + 1 :])
        view = VisibleVersion(scope.principal, space.versions[number], space.accessed, later)
        return MemoryReading(space, view, version)


def _stored(
    entry: Entry,
    place: str,
    view: VisibleVersion,
    dimensions: dict[str, int],
    row: int,
    last_block: int,
) -> WrittenDocument:
    document = entry.document
    old = view.version.documents.get(document.id)
    if old is not None and not view.sees(old.document):
        raise refusals.document_is_hidden(document.id, place)
    document = replace(document, metadata=_json(document.metadata, f"{place}.document.metadata"))
    if entry.blocks is None:
        if old is None:
            raise refusals.nothing_to_keep(document.id, place)
        return WrittenDocument(row, document, moved(old.blocks, document, last_block))
    blocks = tuple(
        replace(each, metadata=_json(each.metadata, f"{place}.blocks[{n}].metadata"))
        for n, each in enumerate(entry.blocks)
    )
    for vectors in entry.vectors:
        _require_alike(vectors, document, dimensions)
    return WrittenDocument(row, document, indexed(replace(entry, blocks=blocks), last_block))


def _json(metadata: Any, place: str) -> Any:
    return json.loads(checks.json_text(dict(metadata), place))


def _require_alike(vectors: Vectors, document: Document, dimensions: dict[str, int]) -> None:
    if not np.isfinite(np.frombuffer(vectors.data, dtype="<f4")).all():
        raise refusals.not_finite(document.id, vectors.model)
    if vectors.rows:
        size = dimensions.setdefault(vectors.model, vectors.dimensions)
        if size != vectors.dimensions:
            found = vectors.dimensions
            raise refusals.other_dimensions(vectors.model, size, found, place="dimensions")


def _owners(documents: Mapping[str, WrittenDocument]) -> dict[str, str]:
    """The document of each block."""
    owners: dict[str, str] = {}
    for id_, stored in documents.items():
        for each in stored.blocks:
            if owners.setdefault(each.block.id, id_) != id_:
                raise refusals.id_is_taken(each.block.id)
    return owners


def _moved(
    before: Mapping[str, WrittenDocument],
    after: Mapping[str, WrittenDocument],
    usage: Mapping[str, Usage],
) -> dict[str, Usage]:
    """The counts of blocks that are in the place of others."""
    both = [
        [[each.block.id for each in stored.blocks] for stored in (before[id_], after[id_])]
        for id_ in before.keys() & after.keys()
        if before[id_] is not after[id_]
    ]
    pairs = (pair for old, new in both for pair in replaced_blocks(old, new))
    return {new: usage[old] for old, new in pairs if old in usage}


def _relations(batch: Batch, removed: Sequence[str], view: VisibleVersion) -> dict[Any, Relation]:
    def is_hidden(id_: str) -> bool:
        stored = view.version.documents.get(id_)
        return stored is not None and not view.sees(stored.document)

    kept = {
        key: each
        for key, each in view.version.relations.items()
        if each.source not in removed and each.target not in removed
    }
    for sign, relations in ((-1, batch.unrelate), (1, batch.relate)):
        for each in relations:
            if is_hidden(each.source) or is_hidden(each.target):
                continue
            key = each.source, each.target, each.type
            kept.pop(key, None)
            if sign > 0:
                kept[key] = each
    return kept
