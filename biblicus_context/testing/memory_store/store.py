"""The store in memory, whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from biblicus_context.stores import (
    NO_FILTERS,
    Action,
    Activity,
    Block,
    BlockPlace,
    Direction,
    Document,
    Filters,
    Info,
    Nearby,
    Principal,
    Relation,
    Usage,
    VectorCount,
    WorkspaceState,
    checks,
    filter_checks,
    query_checks,
)
from biblicus_context.testing.memory_store.conditions import listed
from biblicus_context.testing.memory_store.trees import MemoryTrees


class InMemoryStore(MemoryTrees):
    """Each method's contract is that of the Protocol `Store`."""

    def reading(self, principal: Principal) -> AbstractContextManager[object]:
        """Nothing has to begin here."""
        return nullcontext()

    def state(self, principal: Principal) -> WorkspaceState:
        """The newest version."""
        with self._lock:
            space = self._space(principal)
            version, written, source = space.newest, space.versions[-1].written, space.source
            is_partial = space.is_partial
        seen = self._view(principal, None).documents.values()
        ages = any(each.document.valid_from or each.document.valid_to for each in seen)
        return WorkspaceState(version, written, source, ages, is_partial)

    def hidden_since(self, principal: Principal, at: int) -> int:
        """The last version that hid something."""
        return at + self._view(principal, at).hidden

    def blocks(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Block, ...]:
        """Blocks by id."""
        found = {each.block.id: each.block for each in self._view(principal, at).blocks}
        return tuple(found[each] for each in checks.ids(ids, "ids") if each in found)

    def documents(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Document, ...]:
        """Documents by id."""
        found = self._view(principal, at).documents
        return tuple(found[each].document for each in checks.ids(ids, "ids") if each in found)

    def blocks_of(
        self, principal: Principal, document_id: str, *, at: int | None = None
    ) -> tuple[Block, ...]:
        """The blocks of a document."""
        stored = self._view(principal, at).documents.get(document_id)
        return () if stored is None else tuple(each.block for each in stored.blocks)

    def places_of(
        self,
        principal: Principal,
        document_ids: Sequence[str],
        *,
        most: int | None = None,
        at: int | None = None,
    ) -> tuple[BlockPlace, ...]:
        """Where the blocks of many documents are."""
        each = None if most is None else checks.whole(most, "most")
        found = self._view(principal, at).documents
        wanted = checks.ids(document_ids, "document_ids")
        there = (found[name].blocks[:each] for name in wanted if name in found)
        return tuple(block.place for blocks in there for block in blocks)

    def list_documents(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        after: str | None = None,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """Documents by id, page by page."""
        start = checks.optional_name(after, "after") or ""
        wanted, most = filter_checks.checked(filters), checks.whole(limit, "limit")
        documents = self._view(principal, at).documents
        found = (documents[id_] for id_ in sorted(documents) if id_ > start)
        return tuple(each.document for each in found if listed(each, wanted))[:most]

    def nearby(
        self,
        principal: Principal,
        block_ids: Sequence[str],
        *,
        reach: int = 4,
        at: int | None = None,
    ) -> tuple[Nearby, ...]:
        """Places around many blocks."""
        most = checks.whole(reach, "reach")
        view = self._view(principal, at)
        known = {each.block.id: each.block for each in view.blocks}
        found: list[Nearby] = []
        for id_ in checks.ids(block_ids, "block_ids"):
            if id_ not in known:
                continue
            one = known[id_]
            for other in view.documents[one.document_id].blocks:
                distance = other.block.position - one.position
                if other.block.id == id_ or other.block.session != one.session:
                    continue
                if abs(distance) <= most:
                    found.append(Nearby(id_, other.place, distance))
        return tuple(found)

    def relations(
        self,
        principal: Principal,
        document_ids: Sequence[str],
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        at: int | None = None,
    ) -> tuple[Relation, ...]:
        """Relations of documents."""
        wanted = frozenset(checks.sequence(types, "types"))
        ends = query_checks.direction(direction)
        view = self._view(principal, at)
        near = view.documents.keys() & set(checks.ids(document_ids, "document_ids"))
        found = (
            each
            for each in view.version.relations.values()
            if {each.source, each.target} <= view.documents.keys()
            and (not wanted or each.type in wanted)
            and ((ends != "in" and each.source in near) or (ends != "out" and each.target in near))
        )
        return tuple(sorted(found, key=lambda each: (each.source, each.target, each.type)))

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """The counts of these blocks."""
        wanted = checks.ids(block_ids, "block_ids")
        with self._lock:
            counts = self._space(principal).usage
            seen = (each.block.id for each in self._view(principal, None).blocks)
            return {each: counts[each] for each in seen if each in wanted and each in counts}

    def activity(
        self,
        principal: Principal,
        *,
        actions: Collection[Action] = (),
        since: datetime | None = None,
        documents: Collection[str] | None = None,
        limit: int = 100,
    ) -> tuple[Activity, ...]:
        """What this user did with documents, last first."""
        wanted = query_checks.activity(actions, since, documents, limit)
        with self._lock:
            seen, known = self._view(principal, None).documents, self._space(principal).activity
            own = [
                each
                for (user, document, action), each in known.items()
                if user == (principal.user or "") and document in seen and action in wanted.actions
            ]
        recent = [each for each in own if wanted.since is None or each.when >= wanted.since]
        if wanted.documents is not None:
            recent = [each for each in recent if each.document_id in wanted.documents]
        named = sorted(recent, key=lambda each: (each.document_id, each.action))
        return tuple(sorted(named, key=lambda each: each.when, reverse=True)[: wanted.limit])

    def known_vectors(
        self, principal: Principal, model: str, keys: Sequence[str]
    ) -> Mapping[str, bytes]:
        """Embeddings by key."""
        name, wanted = checks.name(model, "model"), checks.ids(keys, "keys")
        return {
            each.keys[name]: each.vectors[name]
            for each in self._view(principal, None).blocks
            if each.keys.get(name) in wanted
        }

    def vectors(
        self, principal: Principal, model: str, block_ids: Sequence[str], *, at: int | None = None
    ) -> Mapping[str, bytes]:
        """Embeddings by block."""
        name, wanted = checks.name(model, "model"), checks.ids(block_ids, "block_ids")
        return {
            each.block.id: each.vectors[name]
            for each in self._view(principal, at).blocks
            if each.block.id in wanted and name in each.vectors
        }

    def fingerprints(self, principal: Principal) -> Mapping[str, str]:
        """The text hashes of documents."""
        documents = self._view(principal, None).documents
        return {id_: each.document.text_hash for id_, each in documents.items()}

    def info(self, principal: Principal, *, at: int | None = None) -> Info:
        """Everything counted."""
        view = self._view(principal, at)
        documents, blocks = view.documents, view.blocks
        rows = Counter(model for each in blocks for model in each.vectors)
        with self._lock:
            sizes = self._space(principal).dimensions
        return Info(
            version=self.state(principal).version if at is None else at,
            documents=len(documents),
            blocks=len(blocks),
            tokens=sum(each.block.tokens for each in blocks),
            relations=len(self.relations(principal, [*documents], at=at)),
            kinds=dict(Counter(each.document.kind for each in documents.values())),
            vectors={model: VectorCount(sizes[model], count) for model, count in rows.items()},
        )

    def check(self) -> tuple[str, ...]:
        """Nothing can be damaged."""
        return ()

    def vacuum(self) -> None:
        """Keep the newest states."""
        with self._lock:
            for space in self._workspaces.values():
                space.oldest = space.newest
                del space.versions[:-1]

    def close(self) -> None:
        """There is nothing to close."""
