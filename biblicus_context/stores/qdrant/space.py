"""One collection of a workspace as a process follows it: the newest head that it has read, and what that names."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Final
from uuid import uuid4

from biblicus_context.base.forks import child_lock
from biblicus_context.base.joining import holding
from biblicus_context.stores.errors import AnswerLostError, StoreError
from biblicus_context.stores.matrix_files import MatrixFiles
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.qdrant.catalogue import Catalogue, digest
from biblicus_context.stores.qdrant.head import MOST_COMMITS, Facts, Head, PackSegment, head_id
from biblicus_context.stores.qdrant.points import Copies, Point, Points
from biblicus_context.stores.qdrant.texts import unpacked
from biblicus_context.stores.source import Owner, Scope

_AT_ONCE: Final = 500
_UNTIL_COPIED: Final = (0.02, 0.05, 0.1, 0.2, 0.0)
"""Seconds between readings of a head that is older than one that was there before."""
_MOST_KNOWN: Final = 512 * 1024 * 1024
"""Bytes of catalogues that a process keeps, about; those that were used last stay."""
_REPEATS: Final = 20
"""How often what a head names may be gone before it is read: others pack it again meanwhile."""


class Space:
    """What a process knows of one collection."""

    def __init__(self, points: Points, namespace: str, scope: Scope) -> None:
        self.points = points
        self.namespace = namespace
        self.key = digest(namespace, scope.name)
        self.lock = RLock()
        """Held to change what is known, or to go through all of it."""
        self.writing = RLock()
        """Held to write: of this process, one at a time."""
        self._following = RLock()
        self.owner = Owner()
        self.head = Head.new(scope.principal.workspace, scope.collection)
        self.catalogue = Catalogue(0)

    @property
    def is_made(self) -> bool:
        """Whether there was a head."""
        return self.head.seq > 0

    def follow(self) -> tuple[Head, Catalogue, Owner]:
        """What is true now: one trip, and another one if more was written than a head has room for."""
        with holding(self._following):
            for _ in range(_REPEATS):
                if self._has_followed(self._read_head(self.head.seq)):
                    break
            else:
                raise self.damaged("packs of documents are missing")
            return self.head, self.catalogue, self.owner

    def _read_head(self, least: int) -> Mapping[str, Any] | None:
        """The head's point, if there is one.

        A copy in a cluster may lag for a moment: it is asked again, before an earlier head is
        believed.
        """
        found: dict[str, Mapping[str, Any]] = {}
        for wait in _UNTIL_COPIED:
            found = self.points.read(self.key, [head_id(self.key)], ("seq", "data"))
            if not least or any(each["seq"] >= least for each in found.values()):
                break
            time.sleep(wait)
        return next(iter(found.values()), None)

    def _has_followed(self, payload: Mapping[str, Any] | None) -> bool:
        """Whether all that the head names could be read: else another one is there by now."""
        if payload is None:
            if self.is_made:  # it was deleted
                self._begin_again(0)
                self.head = Head.new(self.head.workspace, self.head.collection)
            return True
        if payload["seq"] == self.head.seq:
            return True
        head = Head.read(payload)
        if (head.identity != self.head.identity and self.is_made) or head.seq < self.head.seq:
            self._begin_again(head.repacked)
        known = self.catalogue
        if head.repacked != known.repacked or known.seq < head.swept:
            known = Catalogue(head.repacked)
        packs = [each for each in head.packs if each.last > known.documents]
        facts = [each for each in head.facts if each.last > known.seq]
        read = self._read([("pack", each) for each in packs] + [("facts", each) for each in facts])
        if read is None:
            return False
        with self.lock:
            for each in read[: len(packs)]:
                known.take(each)
            known.take(head.tail.get("documents", ()))
            for each in read[len(packs) :]:
                known.learn(each)
            known.learn(head.tail)
            known.seq = head.seq
            if known.cleaned < head.cleaned:
                known.forget_up_to(head.cleaned)
            self.head, self.catalogue = head, known
        return True

    def _read(self, segments: Iterable[tuple[str, PackSegment]]) -> list[Any] | None:
        """The values of packs, in their order; None if one of them is gone."""
        ids = [id_ for kind, each in segments for id_ in each.ids(kind)]
        found: dict[str, Mapping[str, Any]] = {}
        for at in range(0, len(ids), 16):
            found |= self.points.read(self.key, ids[at : at + 16])
        if len(found) < len(ids):
            return None
        return [unpacked(found[id_]["data"]) for id_ in ids]

    def _begin_again(self, repacked: int) -> None:
        """The collection is another one, or was put back to an earlier state."""
        with self.lock:
            self.owner = Owner()
            self.catalogue = Catalogue(repacked)

    def commit(
        self, known: Head, head: Head, facts: Facts, documents: Sequence[Sequence[Any]] = ()
    ) -> bool:
        """Put a head in the place of the one that it was made from; whether it was done.

        Of two writers one wins: a head is only replaced while it is still there. An error here says
        nothing about whether it was done.
        """
        name = uuid4().hex[:16]
        commits = (*known.commits, name)[-MOST_COMMITS:]
        newer = replace(head, seq=known.seq + 1, commits=commits)
        try:
            self.points.put_after(
                newer.point(self.key, self.namespace), known.seq if known.seq else None
            )
            found = self._read_head(newer.seq)
        except StoreError as error:
            raise AnswerLostError(str(error), place=self.points.place) from error
        if found is None or name not in Head.read(found).commits:
            return False
        with holding(self._following):
            self._learn(known, newer, facts, documents)
        return True

    def _learn(
        self, known: Head, newer: Head, facts: Facts, documents: Sequence[Sequence[Any]]
    ) -> None:
        """What was committed here need not be read, unless others read it already."""
        if self.head is not known or newer.repacked != self.catalogue.repacked:
            return
        with self.lock:
            self.catalogue.take(documents)
            self.catalogue.learn(facts)
            self.catalogue.seq = newer.seq
            if self.catalogue.cleaned < newer.cleaned:
                self.catalogue.forget_up_to(newer.cleaned)
            self.head = newer

    def damaged(self, problem: str) -> StoreError:
        """The error that says where what was read contradicts itself."""
        fix = "Restore it from a snapshot, or ingest again."
        return StoreError(
            f"the collection is damaged ({problem})", place=self.points.place, fix=fix
        )

    def point(self, write: str, kind: str, id_: str, payload: Mapping[str, Any]) -> Point:
        """A point of a write."""
        return Point(id_, {"space": self.key, "kind": kind, "write": write, **payload})

    def remove(self, garbage: Iterable[str]) -> None:
        """Remove the points of some writes, each all of a kind, or of any if none is named."""
        kinds: dict[str, list[str]] = {}
        for write, _, kind in (each.partition(" ") for each in garbage):
            kinds.setdefault(kind, []).append(write)
        for kind, writes in kinds.items():
            of_kind = {"kind": kind} if kind else {}
            for at in range(0, len(writes), _AT_ONCE):
                self.points.remove_all(space=self.key, write=writes[at : at + _AT_ONCE], **of_kind)


class Spaces:
    """The collections of one namespace on a server, as a process knows them; all of its stores share them."""

    def __init__(self, points: Points, namespace: str) -> None:
        self.points = points
        self.namespace = namespace
        self._lock: Lock = child_lock()
        self._known: OrderedDict[str, Space] = OrderedDict()
        cache = points.cache
        self.files = None if cache is None else MatrixFiles(Path(cache))
        """Embeddings on this machine."""
        self.uses = 1
        """The stores that share it."""

    def of(self, scope: Scope) -> Space:
        """The collection of a scope."""
        with self._lock:
            space = self._known.get(scope.name)
            if space is None:
                space = self._known[scope.name] = Space(self.points, self.namespace, scope)
                self._forget_least_used()
            self._known.move_to_end(scope.name)
            return space

    def _forget_least_used(self) -> None:
        sizes = {name: each.catalogue.nbytes for name, each in self._known.items()}
        total = sum(sizes.values())
        for name in [*sizes][:-1]:
            if total <= _MOST_KNOWN:
                return
            total -= sizes[name]
            del self._known[name]

    def every(self) -> list[Scope]:
        """All collections that are on the server."""
        heads = self.points.all_of(("data",), kind="head", namespace=self.namespace)
        found = map(Head.read, heads)
        return [Scope(Principal(each.workspace, sees_all=True), each.collection) for each in found]

    def close(self) -> None:
        """Close the connection, unless another store of this process uses it."""
        with _OPEN_LOCK:
            self.uses -= 1
            if self.uses:
                return
            for key in [key for key, own in _OPEN.items() if own is self]:
                del _OPEN[key]
        self.points.close()


_OPEN: Final[dict[tuple[str, str, str], Spaces]] = {}
_OPEN_LOCK: Final = child_lock()


def spaces(url: str, collection: str, namespace: str, copies: Copies) -> Spaces:
    """What this process knows of a server, which is connected once."""
    key = url, collection, namespace
    with _OPEN_LOCK:
        if key in _OPEN:
            _OPEN[key].uses += 1
        else:
            _OPEN[key] = Spaces(Points(url, collection, copies), namespace)
        return _OPEN[key]
