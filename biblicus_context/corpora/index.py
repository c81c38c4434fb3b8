"""The index of a corpus: its store, the principal that reads it, and the version that is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.joining import by_caller
from biblicus_context.base.paths import resolved
from biblicus_context.base.sharing import shared
from biblicus_context.corpora.answer_cache import SteadyCache
from biblicus_context.corpora.errors import NotIndexedError, OtherEmbedderError, OtherRootError
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.index_location import (
    hide_from_git,
    is_other_folder,
    relative_source,
    resolve_source,
)
from biblicus_context.corpora.index_store import IndexStore
from biblicus_context.corpora.quick_vectors import MissingVectors, QuickVectors
from biblicus_context.embedders import CachedEmbedder, Embedder
from biblicus_context.errors import ContextError, InputError
from biblicus_context.ingest.waiting import WaitingBlocks
from biblicus_context.stores import (
    Principal,
    Store,
    Vectors,
    VersionGoneError,
    View,
    WorkspaceState,
    checks,
)
from biblicus_context.stores.errors import ViewMovedError
from biblicus_context.stores.places import filling, is_filled_now
from biblicus_context.stores.travelling import Expected

T = TypeVar("T")

_MOST_PINS: Final = 1024
"""Assemblies that may run at the same time."""
_MOST_PRINCIPALS: Final = 1024
_SAMPLE: Final = 8


class Pin(NamedTuple):
    """What stays the same while a query is paged through."""

    version: int
    written: datetime | None
    """When the version was written: an index that is removed and made again counts from one again,
    so the number alone does not name a version."""
    now: datetime
    ages: bool = False
    """Whether documents become valid or invalid as time passes."""
    is_partial: bool = False
    """Whether an ingest has begun to fill the index, and has not finished."""


@dataclass(slots=True)
class _Checked:
    """What is known of the index as one principal sees it, and need not be read at each search."""

    is_of_root: bool = False
    comparable: tuple[object, ...] = ()
    """The model and version whose vectors are known to exist."""
    quick: QuickVectors | None = None
    """What searches by quick vectors found out."""
    missing: MissingVectors = field(default_factory=MissingVectors)
    """What the last search could not compare."""
    expected: Expected | None = None
    """What the newest version had when it was read last, of a store on another machine."""

    def expected_at(self, at: int | None) -> Expected | None:
        """What a version can be expected to have: the one that was the newest is known."""
        known = self.expected
        return known if known and at in (None, known.pin.version) else None

    def expect(self, at: int | None, found: Expected | None) -> None:
        """Expect the same of the next read."""
        if found is not None and (at is None or at == found.pin.newest):
            self.expected = found


class _OpenViews(ExitStack):
    """The views of one principal of a store that calls in a row have open."""

    def __init__(self, store: Store, principal: Principal) -> None:
        super().__init__()
        self._store, self._principal = store, principal
        self._views: dict[int | None, View] = {}

    def view(self, at: int | None, expected: Expected | None = None) -> View:
        """That of a version; without one, that of the version that was the newest at first."""
        newest = self._views.get(None)
        if at is not None and newest is not None and newest.version == at and not newest.has_moved:
            return newest
        if at not in self._views or self._views[at].has_moved:
            by_caller(lambda: self._open(at, expected))
        return self._views[at]

    def _open(self, at: int | None, expected: Expected | None) -> None:
        known = self._views.get(at)
        if known is None or known.has_moved:
            own = expected if known is None else None
            view = self._store.late_view(self._principal, at=at, expected=own)
            self._views[at] = self.enter_context(view)


def _sure(read: Callable[[View], T], view: View) -> T:
    """What is read, once it is sure that the view is as it was expected; an error of it as well."""
    try:
        made = read(view)
    except Exception:  # of a version that was only expected: beginning tells whether it was
        view.begin()
        raise
    view.begin()
    return made


class Index:
    """Reads the blocks of a corpus as one principal."""

    def __init__(
        self,
        name: str,
        opened: IndexStore,
        principal: Principal,
        *,
        is_declared: bool = True,
        checked: BoundedMemory[Principal, _Checked] | None = None,
    ) -> None:
        """Pass `is_declared=False` if its root is guessed from the index, not written by an author."""
        self.name = name
        self.principal = principal
        self._opened = opened
        self._is_declared = is_declared
        self._pins = BoundedMemory[str, Pin](_MOST_PINS)
        # Shared by all views: a service makes one of each request.
        self._all_checked = BoundedMemory(_MOST_PRINCIPALS) if checked is None else checked
        self._checked = self._all_checked.get_or_compute(principal, _Checked)

    def for_principal(self, principal: Principal) -> Index:
        """The same index as another principal; it shares the store and the embedders."""
        return Index(
            self.name,
            self._opened,
            principal,
            is_declared=self._is_declared,
            checked=self._all_checked,
        )

    @property
    def root(self) -> Path | None:
        """The folder or file that is read; None if programs write the documents."""
        return self._opened.root

    @property
    def folder(self) -> Path:
        """The folder of the index, unless it is on a server or a store was passed."""
        return self._opened.folder

    @property
    def store_name(self) -> str:
        """Where the index is: its folder, or its address."""
        return str(self._opened.address or self._opened.folder)

    @property
    def identity(self) -> object:
        """The same for all indexes of one place, also of a store that is opened twice."""
        opened = self._opened
        if opened.address is not None:
            return opened.address
        return resolved(opened.folder) if self.is_in_folder else id(self.store)

    @property
    def store(self) -> Store:
        """The store; a NotIndexedError if there is none yet."""
        return self._opened.open(create=False)

    @property
    def is_in_folder(self) -> bool:
        """Whether the index is in `folder`, and not in a store that was passed."""
        return self._opened.is_in_folder

    def view(self, at: int | None = None) -> AbstractContextManager[View]:
        """What the principal sees of a version, by default of the newest one."""
        return self.store.view(self.principal, at=at)

    @contextmanager
    def shared_view(self, at: int | None = None) -> Iterator[View]:
        """The same; one view serves all that read in a row (see `sharing`), whichever index they have.

        That a version is gone may be an error of the first read.
        """
        with self._shared() as views:
            view = views.view(at)
            if not view.is_sure:
                with suppress(ViewMovedError):
                    view.begin()
                view = views.view(at)
            yield view

    def read(self, at: int | None, read: Callable[[View], T]) -> T:
        """What is read of a version, by default of the newest one, in a shared view.

        Of a store on another machine it is expected that nobody wrote since it was read last: no
        trip is made to find out, but what is read tells. If somebody did, it is read again.
        """
        with self._shared() as views:
            view = views.view(at, self._checked.expected_at(at))
            try:
                made = _sure(read, view)
            except ViewMovedError:
                view = views.view(at)
                made = read(view)
            self._checked.expect(at, view.found)
            return made

    def read_near(self, at: int, read: Callable[[View], T]) -> T:
        """What is read of a version; of the newest one if something was removed since."""
        try:
            return self.read(at, read)
        except VersionGoneError:
            with self.view() as view:
                return read(view)

    def _shared(self) -> AbstractContextManager[_OpenViews]:
        store, who = self.store, self.principal
        return shared((store, who), lambda: _OpenViews(store, who), by_caller)

    def keeps(self, version: int) -> bool:
        """Whether nothing that the principal could see in a version was removed since."""
        try:
            with self.view(version):
                return True
        except VersionGoneError:
            return False

    @property
    def state(self) -> WorkspaceState:
        """The newest version, and what is known of the index as a whole."""
        with self.view() as view:
            return view.state

    def computes(self, *, with_vectors: bool = True) -> bool:
        """Whether a search computes, and never waits for another machine."""
        return not self._opened.is_remote and (not with_vectors or self._opened.embeds_here)

    def joins(self, *, with_vectors: bool = True) -> bool:
        """Whether a search waits for nothing but what it reads from a store on another machine."""
        return self._opened.is_remote and (not with_vectors or self._opened.embeds_here)

    @property
    def exists(self) -> bool:
        """Whether it was ever written to."""
        return self._opened.is_made and self.state.changed is not None

    @property
    def is_awaited(self) -> bool:
        """Whether programs will write the documents, and have not begun: there is nothing to find."""
        return self.root is None and not self._opened.is_made

    @property
    def is_partial(self) -> bool:
        """Whether its files are being indexed for the first time, or that was interrupted."""
        return self.root is not None and self.state.is_partial

    @property
    def is_being_made(self) -> bool | None:
        """Whether an ingest writes into its store at this moment; None where nobody can tell."""
        return is_filled_now(self.folder) if self.is_in_folder else None

    def making(self) -> AbstractContextManager[None]:
        """While an ingest writes; readers of what is not complete are told to wait for it."""
        if not self.is_in_folder:
            return nullcontext()
        self.open_store(create=True)
        return filling(self.folder)

    @property
    def allows_partial(self) -> bool:
        """Whether its author wants it searched all the same."""
        return self._opened.allows_partial

    @property
    def source(self) -> Path | None:
        """The folder whose files are in the index, or None if it is not recorded."""
        return self._source_of(self.state)

    def _source_of(self, state: WorkspaceState) -> Path | None:
        recorded = state.source
        return None if recorded is None else resolve_source(self.folder, recorded)

    @property
    def has_embedder(self) -> bool:
        """Whether there is an embedder; it is not loaded to find out."""
        return self._opened.has_embedder

    @property
    def embedder(self) -> Embedder | None:
        """What makes the vectors, or None if the corpus has no embedder."""
        return self._opened.embedder

    @property
    def quick_embedder(self) -> Embedder | None:
        """What makes the first vectors in the place of a slow embedder; None: it needs none."""
        return self._opened.quick_embedder

    @property
    def query_embedder(self) -> CachedEmbedder | None:
        """The embedder for queries, with a cache of recent ones."""
        return self._opened.query_embedder(self.principal.workspace)

    @property
    def answer_cache(self) -> SteadyCache | None:
        """Where answers are remembered that processes share; None if the corpus declares no cache."""
        return self._opened.answer_cache

    @property
    def cache_counts(self) -> Mapping[str, Mapping[str, int]] | None:
        """Hits and misses in the declared cache, by what it remembers; None without one."""
        return self._opened.cache_counts

    def query_vector(self, numbers: Sequence[float]) -> Vectors:
        """The embedding of a query that a caller has made; it is of the corpus' own model."""
        embedder = self.embedder
        if embedder is None:
            problem = f"corpus '{self.name}' has no embedder, so it compares no vectors"
            raise InputError(problem, place="vector")
        row = checks.numbers(tuple(checks.several(numbers, "numbers", "vector")), "vector")
        if len(row) != embedder.dimensions:
            problem = (
                f"{embedder.dimensions} numbers are expected, as '{embedder.model}' makes them"
            )
            raise InputError(problem, place="vector", found=len(row))
        try:
            return Vectors.of(embedder.model, [row])
        except OverflowError:
            problem = "vectors are numbers of 32 bits, and this one is too large"
            raise InputError(problem, place="vector", found=max(row, key=abs)) from None

    def pinned(self, view: View, now: datetime | None = None) -> Pin:
        """The version of a view; `now` is the moment that ages are measured from, by default this one."""
        state = view.state
        self._require_of_root(state)
        is_empty = state.changed is None and state.source is None
        if is_empty and self.root is not None and not self._opened.is_begun:
            raise NotIndexedError(self.name, self.root)  # another process makes it just now
        is_partial = self.root is not None and state.is_partial
        return Pin(state.version, state.changed, now or datetime.now(UTC), state.ages, is_partial)

    def known_pin(self, assembly: str) -> Pin | None:
        """The version that all requests of one assembly read: the one of its first request."""
        return self._pins.get(assembly)

    def pin(self, assembly: str, view: View, now: datetime | None) -> Pin:
        """The same; the version of the view if this is the first request."""
        return self._pins.get_or_compute(assembly, lambda: self.pinned(view, now))

    def forget_pin(self, assembly: str) -> None:
        """Begin again with the newest version: the one that was pinned is no longer kept."""
        self._pins.forget(assembly)

    def require_vectors_of(
        self, view: View, embedder: Embedder, ranked: Sequence[RankedBlock], pin: Pin
    ) -> None:
        """Refuse a search by an embedder that has no vectors here: it would silently find nothing."""
        comparable = embedder.model, pin.version, pin.written
        if comparable == self._checked.comparable:
            return
        # A sample of the hits first: it is in memory, and counting all vectors is not.
        some = [each.block_id for each in ranked[:_SAMPLE]]
        if not view.vectors(embedder.model, some):
            info = view.info()
            quick = self.quick_embedder
            known = {embedder.model} | ({quick.model} if quick else set())
            if info.blocks and known.isdisjoint(info.vectors):
                source = None if self._is_declared else self._source_of(view.state)
                root = source or self.root
                raise OtherEmbedderError(self.name, root, wanted=embedder.model, kept=info.vectors)
        self._checked.comparable = comparable

    @property
    def quick_vectors(self) -> QuickVectors | None:
        """What finds blocks that wait for their vectors; None where none ever waits."""
        if self._checked.quick is None and (quick := self.quick_embedder) is not None:
            self._checked.quick = QuickVectors(quick)
        return self._checked.quick

    @property
    def waiting(self) -> int:
        """Blocks that waited for their vectors in the last search."""
        quick = self._checked.quick
        return quick.waiting if quick is not None else 0

    @property
    def embedded_now(self) -> int:
        """How many of them that search embedded."""
        quick = self._checked.quick
        return quick.embedded if quick is not None else 0

    @property
    def missing_vectors(self) -> MissingVectors:
        """Blocks that the last search by meaning could not find, as they have no vector to compare."""
        return self._checked.missing

    def store_made(self) -> None:
        """Store the vectors that were made for searches; where that fails, they are made again."""
        quick, embedder = self._checked.quick, self.query_embedder
        if quick is None or embedder is None or not (documents := quick.taken()):
            return
        with suppress(ContextError):  # such as a store that may only be read
            WaitingBlocks.of(self.store, self.principal, embedder).write(documents, quick.rows.get)

    def claim(self, root: Path, *, replace: bool) -> Store:
        """Record the root as the source of the index; refuse one of another folder, unless `replace`."""
        store = self.open_store(create=True)
        hide_from_git(self.folder)
        with store.view(self.principal) as view:
            recorded, own = view.state.source, relative_source(self.folder, root)
        if recorded != own:
            other = None if recorded is None else resolve_source(self.folder, recorded)
            is_new = other is None or is_other_folder(other, root)
            if other is not None and is_new and not replace:
                raise OtherRootError(self.name, root, kept=other)
            if is_new:  # before all else, so that nobody takes what is there for all of it
                store.record_filling(self.principal, finished=False)
            store.record_source(self.principal, own)
        return store

    def open_store(self, *, create: bool) -> Store:
        """The store, opened if it is not open."""
        return self._opened.open(create=create)

    def close(self) -> None:
        """Close the store; it is opened again when it is next needed."""
        self._opened.close()
        self._checked.is_of_root = False

    def _require_of_root(self, state: WorkspaceState) -> None:
        """Refuse to search the files of another folder than the declared one.

        Only the names of the folders are compared: an index may be read far from its files.
        """
        root = self.root
        if self._checked.is_of_root or not self._is_declared or root is None:
            return
        source = self._source_of(state)
        if source is not None and source.name != resolved(root).name:
            raise OtherRootError(self.name, root, kept=source)
        self._checked.is_of_root = True
