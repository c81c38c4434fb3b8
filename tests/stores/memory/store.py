"""The store in memory, whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from biblicus_context.stores import NO_FILTERS, Block, Direction, Document, Filters, Info, Nearby, Principal, Related, Relation, Usage, VectorCount, checks, filter_checks
from biblicus_context.stores import query_checks as question_checks
from tests.stores.memory.conditions import meets
from tests.stores.memory.searching import Searching


class MemoryStore(Searching):
    """Each method's contract is that of the Protocol `Store`."""

    def version(self, principal: Principal) -> int:
        """The newest version."""
        with self._lock:
            return self._space(principal).newest

    def changed(self, principal: Principal) -> datetime | None:
        """When it was written."""
        return self._view(principal, None).state.written

    def source(self, principal: Principal) -> str | None:
        """What was said last."""
        with self._lock:
            return self._space(principal).source

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
        found = self._view(principal, at).shelves
        return tuple(found[each].document for each in checks.ids(ids, "ids") if each in found)

    def blocks_of(
        self, principal: Principal, document_id: str, *, at: int | None = None
    ) -> tuple[Block, ...]:
        """The blocks of a document."""
        shelf = self._view(principal, at).shelves.get(document_id)
        return () if shelf is None else tuple(each.block for each in shelf.blocks)

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
        shelves = self._view(principal, at).shelves
        found = (shelves[id_].document for id_ in sorted(shelves) if id_ > start)
        return tuple(each for each in found if meets(each, wanted))[:most]

    def neighbours(
        self,
        principal: Principal,
        block_id: str,
        *,
        before: int = 1,
        after: int = 1,
        at: int | None = None,
    ) -> tuple[Block, ...]:
        """A block with those around it."""
        first, last = -checks.whole(before, "before"), checks.whole(after, "after")
        view = self._view(principal, at)
        return tuple(
            other.block
            for one in view.blocks
            if one.block.id == block_id
            for other in view.shelves[one.block.document_id].blocks
            if other.block.session == one.block.session
            and first <= other.block.position - one.block.position <= last
        )

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
            for other in view.shelves[one.document_id].blocks:
                distance = other.block.position - one.position
                if other.block.id == id_ or other.block.session != one.session:
                    continue
                if abs(distance) <= most:
                    found.append(Nearby(id_, other.place, distance))
        return tuple(found)

    def related(
        self,
        principal: Principal,
        document_id: str,
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        depth: int = 1,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Related, ...]:
        """Documents around one, nearest first."""
        wanted = frozenset(checks.sequence(types, "types"))
        way = question_checks.direction(direction)
        furthest, most = checks.whole(depth, "depth"), checks.whole(limit, "limit")
        view = self._view(principal, at)
        shelves = view.shelves
        reached = {document_id} & shelves.keys()
        frontier, found = [*reached], list[Related]()
        for distance in range(1, furthest + 1):
            if not frontier:
                break
            steps = [
                (other, relation)
                for near in frontier
                for other, relation in view.steps(near, way, shelves)
                if not wanted or relation.type in wanted
            ]
            frontier = []
            for other, relation in sorted(steps, key=_heaviest_first):
                if other not in reached:
                    reached.add(other)
                    frontier.append(other)
                    found.append(Related(other, relation, distance))
        return tuple(found[:most])

    def relations_of(
        self, principal: Principal, document_ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Relation, ...]:
        """Relations from documents."""
        view = self._view(principal, at)
        shelves = view.shelves
        found = (
            relation
            for id_ in checks.ids(document_ids, "document_ids")
            if id_ in shelves
            for _, relation in view.steps(id_, "out", shelves)
        )
        return tuple(sorted(found, key=lambda each: (each.source, each.target, each.type)))

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """The counts of these blocks."""
        wanted = checks.ids(block_ids, "block_ids")
        with self._lock:
            counts = self._space(principal).usage
            seen = (each.block.id for each in self._view(principal, None).blocks)
            return {each: counts[each] for each in seen if each in wanted and each in counts}

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
        shelves = self._view(principal, None).shelves
        return {id_: each.document.text_hash for id_, each in shelves.items()}

    def info(self, principal: Principal, *, at: int | None = None) -> Info:
        """Everything counted."""
        view = self._view(principal, at)
        shelves, blocks = view.shelves, view.blocks
        rows = Counter(model for each in blocks for model in each.vectors)
        with self._lock:
            sizes = self._space(principal).dimensions
        return Info(
            version=self.version(principal) if at is None else at,
            documents=len(shelves),
            blocks=len(blocks),
            tokens=sum(each.block.tokens for each in blocks),
            relations=len(self.relations_of(principal, [*shelves], at=at)),
            kinds=dict(Counter(each.document.kind for each in shelves.values())),
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
                del space.states[:-1]

    def close(self) -> None:
        """There is nothing to let go of."""


def _heaviest_first(step: tuple[str, Relation]) -> tuple[float, str, str, str]:
    other, relation = step
    return -relation.weight, other, relation.type, relation.source
