"""A source that is used as one on another machine, so that its trips can be counted: for tests and measurements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime
from typing import Any

from biblicus_context.base.effects import Outcome
from biblicus_context.stores.arguments import RecordedUsage
from biblicus_context.stores.model import Batch
from biblicus_context.stores.results import Action
from biblicus_context.stores.source import Applied, Ask, Reading, Scope, Source


class CountedTrips:
    """A `RemoteSource` over any other: what is asked at once is one trip, of which the names are kept.

    >>> from biblicus_context.stores import Principal, Store
    >>> from biblicus_context.testing.memory_store import MemorySource
    >>> source = CountedTrips(MemorySource())
    >>> with Store(source).view(Principal("acme")) as view:
    ...     view.documents(["tea"]), view.usage(["tea#0"]), source.trips
    ((), {}, [('documents',), ('usage',)])
    """

    def __init__(self, source: Source, server: CountedTrips | None = None) -> None:
        """With a `server`, it is another source of the same server: they share their trips."""
        self._own = source
        self.trips: list[tuple[str, ...]] = [] if server is None else server.trips
        """What each trip asked for, by the names of the methods, as often as each."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CountedTrips) and other.trips is self.trips

    def __hash__(self) -> int:
        return id(self.trips)

    @contextmanager
    def reading(self, scope: Scope, at: int | None) -> Iterator[Reading]:
        """Opens nothing yet."""
        with ExitStack() as opened:
            yield _LateReading(self._own.reading(scope, at), opened)

    def answer(self, asks: Sequence[Ask]) -> Sequence[Outcome]:
        """One trip."""
        names = Counter(each.name for each in asks)
        self.trips.append(tuple(f"{n} x {name}" if n > 1 else name for name, n in names.items()))
        return [each.answered() for each in asks]

    def is_made(self, scope: Scope) -> bool:
        """Whether anything was ever written to the collection."""
        return self._own.is_made(scope)

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Write a batch."""
        return self._own.apply(scope, batch, expected, token=token, erase=erase)

    def purge(self, scope: Scope, seconds: float, *, all_versions: bool) -> bool:
        """Erase what was removed."""
        return self._own.purge(scope, seconds, all_versions=all_versions)

    def count(self, scope: Scope, usage_: RecordedUsage) -> None:
        """Count uses and feedback."""
        self._own.count(scope, usage_)

    def note_activity(self, scope: Scope, document: str, action: Action, when: datetime) -> None:
        """Record what a user did."""
        self._own.note_activity(scope, document, action, when)

    def note_source(self, scope: Scope, source: str) -> None:
        """Record where the documents come from."""
        self._own.note_source(scope, source)

    def note_filling(self, scope: Scope, *, finished: bool) -> None:
        """Record an ingest."""
        self._own.note_filling(scope, finished=finished)

    def forget(self, scope: Scope) -> int:
        """Forget the collection."""
        return self._own.forget(scope)

    def prepare(self, scope: Scope) -> None:
        """Prepare the first reads."""
        self._own.prepare(scope)

    def check(self) -> tuple[str, ...]:
        """What is wrong."""
        return self._own.check()

    def tidy(self) -> None:
        """Free the space."""
        self._own.tidy()

    def close(self) -> None:
        """Close the source below."""
        self._own.close()


class _LateReading:
    """A reading that begins when it is first asked."""

    def __init__(self, opening: AbstractContextManager[Reading], opened: ExitStack) -> None:
        self._opening, self._opened = opening, opened
        self._begun: Reading | None = None

    def __getattr__(self, name: str) -> Any:
        if self._begun is None:
            self._begun = self._opened.enter_context(self._opening)
        return getattr(self._begun, name)
