"""The writing side of the store in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
    Principal,
    Relation,
    Usage,
    Vectors,
    checks,
    query_checks,
    refusals,
)
from biblicus_context.stores.batch_checks import checked
from biblicus_context.stores.replaced_blocks import replaced_blocks
from biblicus_context.testing.memory_store.workspace import (
    MemoryWorkspace,
    StoredDocument,
    VisibleVersion,
    WorkspaceVersion,
    kept,
    retitled,
)


class MemoryWrites:
    """Each method's contract is in the Protocol `Writes`."""

    def __init__(self) -> None:
        self._workspaces: dict[str, MemoryWorkspace] = {}
        self._lock = RLock()

    def write(
        self,
        principal: Principal,
        batch: Batch,
        *,
        expected_version: int | None = None,
        erase: bool = True,
    ) -> int:
        """Add a version to the older ones; there is no file to erase anything from."""
        sound = checked(batch)
        if expected_version is not None:
            checks.whole(expected_version, "expected_version")
        with self._lock:
            space = self._space(principal)
            if expected_version not in (None, space.newest):
                raise refusals.version_conflict(expected_version, space.newest)
            view = self._view(principal, None)
            removed = [each for each in sound.remove if each in view.documents]
            documents = {
                id_: each for id_, each in view.version.documents.items() if id_ not in removed
            }
            dimensions = dict(space.dimensions)
            for n, entry in enumerate(sound.put):
                stored = _stored_document(entry, f"put[{n}]", view, dimensions)
                documents.pop(entry.document.id, None)
                documents[entry.document.id] = stored
            owners = _owners(documents)
            relations = _relations(sound, removed, view)
            space.dimensions = dimensions
            space.versions.append(WorkspaceVersion(documents, relations, datetime.now(UTC)))
            for id_ in removed:
                space.accessed.pop(id_, None)
            space.activity = {
                key: each for key, each in space.activity.items() if key[1] not in removed
            }
            for document in (each.document for each in sound.put):
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
            return space.newest

    def purge(
        self, principal: Principal, *, timeout: float = 60.0, all_versions: bool = True
    ) -> None:
        """Keep the newest state."""
        checks.positive(timeout, "timeout")
        if not all_versions:  # this store keeps them
            return
        with self._lock:
            space = self._space(principal)
            space.oldest = space.newest
            del space.versions[:-1]

    def clear(self, principal: Principal) -> int:
        """Forget everything in the workspace."""
        checks.seeing_all(principal)
        with self._lock:
            newest = self._space(principal).newest
            if not newest:
                self._space(principal).is_partial = False
                return newest
            empty = WorkspaceVersion(written=datetime.now(UTC))
            self._workspaces[principal.workspace] = MemoryWorkspace([empty], newest + 1)
            return newest + 1

    def record_usage(
        self,
        principal: Principal,
        *,
        used: Sequence[str] = (),
        helpful: Sequence[str] = (),
        unhelpful: Sequence[str] = (),
        when: datetime | None = None,
    ) -> None:
        """Count uses and feedback."""
        counts = query_checks.usage(used, helpful, unhelpful, when)
        with self._lock:
            space, view = self._space(principal), self._view(principal, None)
            for block in (each.block for each in view.blocks):
                if block.id not in {*counts.used, *counts.helpful, *counts.unhelpful}:
                    continue
                usage = space.usage.get(block.id, Usage())
                last = usage.last_used
                if block.id in counts.used and counts.when is not None:
                    last = max(last or counts.when, counts.when)
                    accessed = space.accessed.get(block.document_id, counts.when)
                    space.accessed[block.document_id] = max(accessed, counts.when)
                space.usage[block.id] = Usage(
                    usage.used + (block.id in counts.used),
                    usage.helpful + (block.id in counts.helpful),
                    usage.unhelpful + (block.id in counts.unhelpful),
                    last,
                )

    def record_activity(
        self, principal: Principal, document_id: str, action: Action, when: datetime
    ) -> None:
        """Keep the last time."""
        name = checks.name(document_id, "document_id")
        done, moment = query_checks.action(action), query_checks.moment(when)
        with self._lock:
            space, view = self._space(principal), self._view(principal, None)
            if name not in view.documents:
                return
            key = principal.user or "", name, done
            known = space.activity.get(key)
            last = max(known.when, moment) if known else moment
            space.activity[key] = Activity(name, done, last, known.times + 1 if known else 1)
            own = [each for each in space.activity if each[0] == key[0]]
            newest = sorted(sorted(own), key=lambda each: space.activity[each].when, reverse=True)
            for forgotten in newest[query_checks.MOST_ACTIVITY :]:
                del space.activity[forgotten]

    def record_source(self, principal: Principal, source: str) -> None:
        """Keep the source."""
        name = checks.name(source, "source")
        with self._lock:
            self._space(principal).source = name

    def record_filling(self, principal: Principal, *, finished: bool) -> None:
        """Keep whether the workspace is complete."""
        is_finished = checks.boolean(finished, "finished")
        with self._lock:
            self._space(principal).is_partial = not is_finished

    def prepare(self, principal: Principal) -> None:
        """There is nothing to prepare."""
        checks.known(principal)

    def _space(self, principal: Principal) -> MemoryWorkspace:
        return self._workspaces.setdefault(checks.known(principal).workspace, MemoryWorkspace())

    def _view(self, principal: Principal, at: int | None) -> VisibleVersion:
        with self._lock:
            space = self._space(principal)
            version = space.newest if at is None else at
            checks.version(version, space.oldest, space.newest)
            number = version - space.oldest
            later = space.versions[number + 1 :]
            return VisibleVersion(principal, space.versions[number], space.accessed, later)


def _stored_document(
    entry: Entry, place: str, view: VisibleVersion, dimensions: dict[str, int]
) -> StoredDocument:
    document = entry.document
    old = view.version.documents.get(document.id)
    if old is not None and not view.sees(old.document):
        raise refusals.document_is_hidden(document.id, place)
    document = replace(document, metadata=_json(document.metadata, f"{place}.document.metadata"))
    if entry.blocks is None:
        if old is None:
            raise refusals.nothing_to_keep(document.id, place)
        return StoredDocument(document, retitled(old.blocks, document))
    blocks = tuple(
        replace(each, metadata=_json(each.metadata, f"{place}.blocks[{n}].metadata"))
        for n, each in enumerate(entry.blocks)
    )
    for vectors in entry.vectors:
        _require_alike(vectors, document, dimensions)
    return StoredDocument(document, kept(replace(entry, blocks=blocks)))


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


def _owners(documents: Mapping[str, StoredDocument]) -> dict[str, str]:
    """The document of each block."""
    owners: dict[str, str] = {}
    for id_, stored in documents.items():
        for each in stored.blocks:
            if owners.setdefault(each.block.id, id_) != id_:
                raise refusals.id_is_taken(each.block.id)
    return owners


def _moved(
    before: Mapping[str, StoredDocument],
    after: Mapping[str, StoredDocument],
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
