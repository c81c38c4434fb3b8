"""A view of a store: the read session of one principal, in one version."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from biblicus_context.base.joining import joined
from biblicus_context.base.lazy import lazy
from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.stores import arguments, checks
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.found import Ahead, Found, FoundNames, SearchRequest
from biblicus_context.stores.model import Block, Document, Relation
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.relations import nearest_first
from biblicus_context.stores.results import (
    Action,
    Activity,
    BlockPlace,
    Direction,
    DocumentTree,
    EvidenceRow,
    Hit,
    Info,
    Nearby,
    Related,
    TermCounts,
    Usage,
    WorkspaceState,
)
from biblicus_context.stores.travelling import Expected, TravellingReading

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Integers
    from biblicus_context.stores.ranking.engine import RankedReading
    from biblicus_context.stores.source import Reading

Key = TypeVar("Key", str, int)
Value = TypeVar("Value")

_MOST_KNOWN: Final = 5_000
MOST_LEVELS: Final = 50
"""How far upwards a tree is followed."""


def require_ranking() -> None:
    """Refuse to search where the library that ranks is not installed: it names the extra."""
    if "numpy" not in sys.modules and find_spec("numpy") is None:
        raise MissingExtraError("numpy", "corpus")


class _ReadOnce(Generic[Key, Value]):
    """Rows by key: what one caller read in a view, the next one need not read."""

    def __init__(self) -> None:
        self._known: dict[Key, Value | None] = {}

    def keep(self, found: Mapping[Key, Value | None]) -> None:
        """Know what was read by other means; None: there is none."""
        self._known.update(found)

    def of(
        self, keys: Sequence[Key], read: Callable[[Sequence[Key]], Mapping[Key, Value]]
    ) -> dict[Key, Value]:
        """Those of these keys that there are, in their order."""
        if missing := [each for each in keys if each not in self._known]:
            found = read(missing)  # others may read meanwhile
            if len(self._known) > _MOST_KNOWN:  # an export reads everything, once
                self._known = {each: self._known[each] for each in keys if each in self._known}
            self._known.update({each: found.get(each) for each in missing})
        known = self._known
        return {each: value for each in keys if (value := known[each]) is not None}


class View:
    """What one principal sees of one version, in one transaction.

    Every result contains only what the principal may see. Unknown and hidden ids are left out of a
    result, and nobody can tell which of the two they are. Rights are those of now: a document that
    the principal may not read since, or that has in that version the title of one that it was inside and
    that is hidden now, is hidden in every older version too. A version does not change, whatever is
    written meanwhile; uses, feedback and activity make no version, so counts and the time of a
    document's last use are those of now. One thread at a time uses a view.

    A method takes many keys and returns many rows, as each is a round trip to the database.
    """

    def __init__(self, reading: Reading, principal: Principal) -> None:
        self.principal = principal
        self.travels = isinstance(reading, TravellingReading)
        """Whether each read is a trip, so that several should travel together."""
        self._open: Reading | None = reading
        self._names: _ReadOnce[int, BlockPlace] = _ReadOnce()
        self._evidence: _ReadOnce[str, EvidenceRow] = _ReadOnce()
        self._documents: _ReadOnce[str, Document] = _ReadOnce()
        self._usage: _ReadOnce[str, Usage] = _ReadOnce()
        self._nearby: defaultdict[int, _ReadOnce[str, list[Nearby]]] = defaultdict(_ReadOnce)
        self._brought: dict[tuple[Hashable, ...], object] = {}
        self._vectors: defaultdict[str, _ReadOnce[str, bytes]] = defaultdict(_ReadOnce)

    @property
    def version(self) -> int:
        """The version that is read."""
        return self._reading.pin.version

    def begin(self) -> None:
        """Raise now, and not in the first read, what keeps it from being read."""
        if isinstance(self._reading, TravellingReading):
            self._reading.begin()

    @property
    def found(self) -> Expected | None:
        """What the next view of a store on another machine can be expected to have; else None."""
        reading = self._reading
        return reading.found if isinstance(reading, TravellingReading) else None

    @property
    def is_sure(self) -> bool:
        """Whether it is as it was expected, if anything was."""
        reading = self._reading
        return not isinstance(reading, TravellingReading) or reading.is_sure

    @property
    def has_moved(self) -> bool:
        """Whether it is not: another one has to be opened."""
        reading = self._reading
        return isinstance(reading, TravellingReading) and reading.has_moved

    @property
    def hidden(self) -> int:
        """The last version that hid something of this one from the principal; this one if none did.

        What was read or remembered of this version before has to be read again.
        """
        return self._reading.pin.hidden

    @lazy
    def state(self) -> WorkspaceState:
        """The version, when it was written, and what is known of the collection as a whole."""
        return self._reading.state()

    def info(self) -> Info:
        """What the principal can see, in numbers."""
        return self._reading.info()

    def together(self, *reads: Callable[[], Any]) -> list[Any]:
        """The results of reads that need nothing of each other: one trip to a store on another machine."""
        return joined(reads) if self.travels else [each() for each in reads]

    def _once(self, asked: tuple[Hashable, ...], read: Callable[[], Value]) -> Value:
        """What a trip brought before, need not travel again."""
        if not self.travels:
            return read()
        if asked not in self._brought:
            self._brought[asked] = read()
        return cast("Value", self._brought[asked])

    # Searches

    def search(self, request: SearchRequest) -> Found:
        """The best blocks by words, by meaning, or both, as columns.

        A search weighs thousands of blocks, and would spend its time on making objects of them.
        """
        return self._ranked.search(arguments.search_of(request))

    def places(
        self,
        found: Found | FoundNames,
        rows: Integers,
        *,
        ahead: Ahead | None = None,
    ) -> tuple[BlockPlace, ...]:
        """What rows of a search are called: rankings name the few that are shown.

        With the names of rows in the order of a ranking comes what is read `ahead`, where that saves
        a trip.
        """
        named = found.names if isinstance(found, Found) else found
        blocks = named.sources[rows].tolist()
        names = self._names.of(blocks, partial(self._named, blocks, ahead))
        return tuple([names[each] for each in blocks])

    def _named(
        self, ranked: Sequence[int], ahead: Ahead | None, blocks: Sequence[int]
    ) -> Mapping[int, BlockPlace]:
        reading = self._reading
        also = [] if ahead is None else [each for each in ahead.also if each not in blocks]
        rows = [*blocks, *also]
        if ahead is None or not isinstance(reading, TravellingReading):
            names = reading.names(rows)
            self._names.keep({each: names[each] for each in also})
            return names
        names, evidence, vectors = reading.names_and_more(rows, ranked, ahead)
        self._names.keep({each: names[each] for each in also})
        self._evidence.keep({each.block.id: each for each in evidence})
        if ahead.model is not None:
            compared = [names.get(each) for each in (*ranked[: ahead.compared], *ahead.also)]
            ids = [each.block_id for each in compared if each is not None]
            self._vectors[ahead.model].keep({each: vectors.get(each) for each in ids})
        return names

    def count_terms(self, terms: Sequence[str]) -> TermCounts:
        """How many blocks contain each of these terms, so that rare ones can count more."""
        return self._ranked.count_terms(arguments.terms_of(terms, "terms"))

    def recent(
        self, *, filters: Filters = NO_FILTERS, limit: int = 100, offset: int = 0
    ) -> tuple[Hit, ...]:
        """Blocks of the documents last updated (else created), newest document first.

        Inside a document the last block comes first; documents without either time are left out.
        The score is the time in seconds since 1970.
        """
        start, most = checks.whole(offset, "offset"), checks.whole(limit, "limit")
        return tuple(self._reading.recent(arguments.filters_of(filters), start, most))

    # What is shown

    def evidence(self, block_ids: Sequence[str]) -> tuple[EvidenceRow, ...]:
        """Blocks in the order of the ids, with their documents, what these replace, and their use."""
        ids, read = checks.ids(block_ids, "block_ids"), self._reading.evidence
        found = self._evidence.of(ids, lambda some: {each.block.id: each for each in read(some)})
        return tuple(found.values())

    def blocks_of(
        self, document_ids: Sequence[str], *, most: int | None = None
    ) -> tuple[Block, ...]:
        """The blocks of documents in the order of the documents, up to `most` of each (default: all)."""
        each = None if most is None else checks.whole(most, "most")
        ids, reading = checks.ids(document_ids, "document_ids"), self._reading
        return self._once(("blocks", *ids, each), lambda: tuple(reading.blocks_of(ids, each)))

    def places_of(
        self, document_ids: Sequence[str], *, most: int | None = None, shown: int = 0
    ) -> tuple[BlockPlace, ...]:
        """Where the same blocks are, for rankings of whole documents: no text is read.

        Where that saves a trip, the evidence of the first documents comes with them, as about so
        many of their blocks will be `shown`.
        """
        each = None if most is None else checks.whole(most, "most")
        ids, reading = checks.ids(document_ids, "document_ids"), self._reading
        if not shown or not isinstance(reading, TravellingReading):
            return tuple(reading.places_of(ids, each))
        places, evidence = reading.places_and_evidence_of(ids, each, ids[:shown], shown)
        self._evidence.keep({row.block.id: row for row in evidence})
        return tuple(places)

    def nearby(self, block_ids: Sequence[str], *, reach: int = 4) -> tuple[Nearby, ...]:
        """The places around blocks, each within `reach` in the same document and session."""
        most, ids = checks.whole(reach, "reach"), checks.ids(block_ids, "block_ids")
        reading = self._reading
        if not self.travels:
            return tuple(reading.nearby(ids, most))

        def read(some: Sequence[str]) -> Mapping[str, list[Nearby]]:
            found: dict[str, list[Nearby]] = {each: [] for each in some}
            for each in reading.nearby(some, most):
                found[each.of].append(each)
            return found

        return tuple(chain.from_iterable(self._nearby[most].of(ids, read).values()))

    # Documents

    def documents(self, ids: Sequence[str]) -> tuple[Document, ...]:
        """The documents with these ids, in the order of the ids."""
        names, read = checks.ids(ids, "ids"), self._reading.documents
        found = self._documents.of(names, lambda some: {each.id: each for each in read(some)})
        return tuple(found.values())

    def list_documents(
        self, *, filters: Filters = NO_FILTERS, after: str | None = None, limit: int = 100
    ) -> tuple[Document, ...]:
        """Documents in the order of their ids, from the first one after `after`: a page at a time."""
        start, most = checks.optional_name(after, "after"), checks.whole(limit, "limit")
        return tuple(self._reading.list_documents(arguments.filters_of(filters), start, most))

    def fingerprints(self) -> Mapping[str, str]:
        """The `text_hash` of every document by its id: an ingest compares them to find changes."""
        return self._reading.fingerprints()

    def tree(
        self, ids: Sequence[str], *, up: int = 0, down: int = 0, across: int = 0
    ) -> DocumentTree:
        """What is around documents: `up` levels of parents, the first `down` children, and up to
        `across` siblings on each side.

        Children of a document are in the order of their positions, then of their ids; those without a
        position come last. What a principal cannot see is not there: a chain of parents ends at a
        hidden one, and siblings around a hidden one are next to each other. A parent need not be a
        document, or one that the principal can see.
        """
        levels, most = checks.whole(up, "up"), checks.whole(down, "down")
        reach, names = checks.whole(across, "across"), checks.ids(ids, "ids")
        asked = ("tree", *names, levels, most, reach)
        return self._once(asked, lambda: self._tree(names, levels, most, reach))

    def _tree(self, names: Sequence[str], levels: int, most: int, reach: int) -> DocumentTree:
        reading = self._reading
        above, below, beside = self.together(
            lambda: reading.lineage(names, levels) if levels else (),
            lambda: reading.children(names, most) if most else (),
            lambda: reading.siblings(names, reach) if reach else (),
        )
        return DocumentTree(tuple(above), tuple(below), tuple(beside))

    # Relations

    def relations(
        self,
        document_ids: Sequence[str],
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
    ) -> tuple[Relation, ...]:
        """Relations of these types (default: all) that begin (or end, or both) at these documents.

        They are ordered by source, target and type. A relation is visible if both its documents are.
        """
        wanted = checks.sequence(types, "types")
        ends = arguments.direction_of(direction)
        ids = checks.ids(document_ids, "document_ids")
        return tuple(self._reading.relations(ids, wanted, ends))

    def related(
        self,
        document_ids: Sequence[str],
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        depth: int = 1,
        limit: int = 100,
    ) -> tuple[Related, ...]:
        """Documents within `depth` relations of these types (default: all), nearest first.

        Each document comes once; of equal depth the heavier relation comes first. A path never leads
        through a document that is hidden from the principal.
        """
        wanted = checks.sequence(types, "types")
        ends = arguments.direction_of(direction)
        furthest, most = checks.whole(depth, "depth"), checks.whole(limit, "limit")
        starts = checks.ids(document_ids, "document_ids")
        reading = self._reading
        return nearest_first(
            starts, ends, furthest, most, lambda ids: reading.relations(ids, wanted, ends)
        )

    # What users did

    def usage(self, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """How often these blocks were used; blocks that were never used are left out.

        Counts stay while a document has a block of this id, and go with it. The same is true of the
        time of its last use: a document that is put again keeps it, unless it has a later one.
        """
        return self._usage.of(checks.ids(block_ids, "block_ids"), self._reading.usage)

    def activity(
        self,
        *,
        actions: Collection[Action] = (),
        since: datetime | None = None,
        documents: Collection[str] | None = None,
        limit: int = 100,
    ) -> tuple[Activity, ...]:
        """What this user did with (these) documents, last first; ties by document and action.

        What is done without a user is kept apart.
        """
        query = arguments.activity_of(actions, since, documents, limit)
        return tuple(self._reading.activity(query))

    # Embeddings

    def vectors(self, model: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """The embeddings of these blocks by this model, as they were written."""
        name = checks.name(model, "model")
        ids, read = checks.ids(block_ids, "block_ids"), self._reading.vectors
        return self._vectors[name].of(ids, lambda some: read(name, some))

    def known_vectors(self, model: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Embeddings by the keys they were written with: an ingest reuses them."""
        name = checks.name(model, "model")
        return self._reading.known_vectors(name, checks.ids(keys, "keys"))

    def prepare(self) -> None:
        """Load what the first search would load."""
        self._ranked.prepare()

    def close(self) -> None:
        """End it: later calls are refused."""
        self._open = None

    @property
    def _reading(self) -> Reading:
        if self._open is None:
            fix = "Use it inside of `with store.view(principal) as view:`."
            raise InputError("the view is closed", fix=fix)
        return self._open

    @lazy
    def _ranked(self) -> RankedReading:
        require_ranking()
        # Loads numpy, which takes longer than all that commands without a search do.
        from biblicus_context.stores.ranking.engine import (  # numpy is heavy
            RankedReading,
        )

        return RankedReading(self._reading, self.principal)
