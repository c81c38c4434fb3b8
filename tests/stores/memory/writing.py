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
    Batch,
    Document,
    Entry,
    Principal,
    Relation,
    Usage,
    Vectors,
    checks,
    refusals,
)
from biblicus_context.stores.batch_checks import checked
from tests.stores.memory.workspace import Shelf, State, View, Workspace, kept, retitled


class Writing:
    """Each method's contract is that of the Protocol `Writes`."""

    def __init__(self) -> None:
        self._workspaces: dict[str, Workspace] = {}
        self._lock = RLock()

    def write(self, principal: Principal, batch: Batch) -> int:
        """A new state beside the old ones."""
        sound = checked(batch)
        with self._lock:
            space = self._space(principal)
            view = self._view(principal, None)
            removed = [each for each in sound.remove if each in view.shelves]
            shelves = {id_: each for id_, each in view.state.shelves.items() if id_ not in removed}
            dimensions = dict(space.dimensions)
            for n, entry in enumerate(sound.put):
                shelf = _shelf(entry, f"put[{n}]", view, dimensions)
                shelves.pop(entry.document.id, None)
                shelves[entry.document.id] = shelf
            owners = _owners(shelves)
            relations = _relations(sound, removed, view)
            space.dimensions = dimensions
            space.states.append(State(shelves, relations, datetime.now(UTC)))
            for id_ in removed:
                space.accessed.pop(id_, None)
            for document in (each.document for each in sound.put):
                if document.accessed is not None:
                    last = space.accessed.get(document.id, document.accessed)
                    space.accessed[document.id] = max(last, document.accessed)
            space.usage = {
                each.block.id: space.usage[each.block.id]
                for id_, shelf in view.state.shelves.items()
                for each in shelf.blocks
                if owners.get(each.block.id) == id_ not in removed and each.block.id in space.usage
            }
            return space.newest

    def record_use(self, principal: Principal, block_ids: Sequence[str], *, when: datetime) -> None:
        """Count uses."""
        ids, moment = checks.ids(block_ids, "block_ids"), checks.moment(when, "when")
        with self._lock:
            space, view = self._space(principal), self._view(principal, None)
            for each in view.blocks:
                if each.block.id in ids:
                    usage = space.usage.get(each.block.id, Usage())
                    last = max(filter(None, [usage.last_used, moment]))
                    space.usage[each.block.id] = replace(usage, used=usage.used + 1, last_used=last)
                    document = each.block.document_id
                    space.accessed[document] = max(space.accessed.get(document, moment), moment)

    def record_feedback(
        self, principal: Principal, *, helpful: Sequence[str] = (), unhelpful: Sequence[str] = ()
    ) -> None:
        """Count feedback."""
        good, bad = checks.ids(helpful, "helpful"), checks.ids(unhelpful, "unhelpful")
        with self._lock:
            space, view = self._space(principal), self._view(principal, None)
            for id_ in (each.block.id for each in view.blocks):
                usage = space.usage.get(id_, Usage())
                if id_ in good or id_ in bad:
                    space.usage[id_] = replace(
                        usage,
                        helpful=usage.helpful + (id_ in good),
                        unhelpful=usage.unhelpful + (id_ in bad),
                    )

    def record_source(self, principal: Principal, source: str) -> None:
        """Keep what was said."""
        said = checks.name(source, "source")
        with self._lock:
            self._space(principal).source = said

    def prepare(self, principal: Principal) -> None:
        """Nothing is left for later here."""
        checks.known(principal)

    def _space(self, principal: Principal) -> Workspace:
        return self._workspaces.setdefault(checks.known(principal).workspace, Workspace())

    def _view(self, principal: Principal, at: int | None) -> View:
        with self._lock:
            space = self._space(principal)
            version = space.newest if at is None else at
            checks.version(version, space.oldest, space.newest)
            return View(principal, space.states[version - space.oldest], space.accessed)


def _shelf(entry: Entry, place: str, view: View, dimensions: dict[str, int]) -> Shelf:
    document = entry.document
    old = view.state.shelves.get(document.id)
    if old is not None and not view.sees(old.document):
        raise refusals.document_is_hidden(document.id, place)
    document = replace(document, metadata=_json(document.metadata, f"{place}.document.metadata"))
    if entry.blocks is None:
        if old is None:
            raise refusals.nothing_to_keep(document.id, place)
        return Shelf(document, retitled(old.blocks, document))
    blocks = tuple(
        replace(each, metadata=_json(each.metadata, f"{place}.blocks[{n}].metadata"))
        for n, each in enumerate(entry.blocks)
    )
    for vectors in entry.vectors:
        _require_alike(vectors, document, dimensions)
    return Shelf(document, kept(replace(entry, blocks=blocks)))


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


def _owners(shelves: Mapping[str, Shelf]) -> dict[str, str]:
    """The documents of blocks, each of which has one."""
    owners: dict[str, str] = {}
    for id_, shelf in shelves.items():
        for each in shelf.blocks:
            if owners.setdefault(each.block.id, id_) != id_:
                raise refusals.id_is_taken(each.block.id)
    return owners


def _relations(batch: Batch, removed: Sequence[str], view: View) -> dict[Any, Relation]:
    def is_hidden(id_: str) -> bool:
        shelf = view.state.shelves.get(id_)
        return shelf is not None and not view.sees(shelf.document)

    kept = {
        key: each
        for key, each in view.state.relations.items()
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
