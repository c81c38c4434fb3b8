"""What is written is durable as a whole, once, on top of the version that was expected."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from biblicus_context.errors import InputError
from biblicus_context.stores import Batch, Store, VersionConflictError
from biblicus_context.stores.errors import AnswerLostError
from biblicus_context.stores.source import Applied, Scope, Source
from biblicus_context.testing.source_contract.packs import ALL, MakeSource, alive, write
from biblicus_context.testing.store_samples import INDEXER, entry, put

FIRST, SECOND = "first", "second"


class Unreliable:
    """A source whose connection breaks, before a write was done or after it."""

    def __init__(self, source: Source, breaks: list[str]) -> None:
        self._source = source
        self._breaks = breaks

    def __getattr__(self, name: str) -> Any:
        """Whatever else it does, it does."""
        return getattr(self._source, name)

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Write it, or do not, and lose the answer."""
        when = self._breaks.pop(0) if self._breaks else "never"
        if when == "before":
            raise AnswerLostError("the connection broke")
        done = self._source.apply(scope, batch, expected, token=token, erase=erase)
        if when == "after":
            raise AnswerLostError("the connection broke")
        return done


def newest(source: Source) -> dict[int, str]:
    """The blocks of the newest version by row."""
    with source.reading(ALL, None) as reading:
        return alive(reading)


class WriteContract:
    """Writes of a source."""

    def test_a_write_that_is_made_again_is_done_once(self, make_source: MakeSource) -> None:
        """By its token, also after others wrote, and whatever it expected."""
        with make_source() as source:
            batch = put(entry("a", "one"))
            done = source.apply(ALL, batch, 0, token=FIRST, erase=True)
            write(source, Batch(remove=("a",)))
            assert source.apply(ALL, batch, 0, token=FIRST, erase=True) == done
            assert newest(source) == {}
            assert source.apply(ALL, batch, None, token=SECOND, erase=True).version == 3
            assert len(newest(source)) == 1

    def test_a_token_is_of_one_collection(self, make_source: MakeSource) -> None:
        """Else a write to one would be taken for a write to the other."""
        with make_source() as source:
            for scope in (ALL, Scope(INDEXER, "notes")):
                batch = put(entry("a", "one"))
                assert source.apply(scope, batch, None, token=FIRST, erase=True).version == 1

    def test_a_refused_write_has_not_happened(self, make_source: MakeSource) -> None:
        """Neither its rows nor its token are there."""
        with make_source() as source:
            write(source, put(entry("a", "one")))
            before = newest(source)
            with pytest.raises(VersionConflictError):
                source.apply(ALL, put(entry("b", "two")), 0, token=FIRST, erase=True)
            bad = put(entry("b", "two"), entry("c", "three", vectors=[[float("nan")]]))
            with pytest.raises(InputError):
                source.apply(ALL, bad, None, token=FIRST, erase=True)
            assert newest(source) == before
            assert (
                source.apply(ALL, put(entry("b", "two")), 1, token=FIRST, erase=True).version == 2
            )

    @pytest.mark.parametrize(
        "breaks", [["before"], ["after"], ["after", "before"], ["before", "after", "after"]]
    )
    def test_a_store_makes_a_write_again_whose_answer_was_lost(
        self, make_source: MakeSource, breaks: list[str]
    ) -> None:
        """Whether or not it was done, it is done once when the call returns."""
        with make_source() as source:
            store = Store(Unreliable(source, breaks))
            assert store.write(INDEXER, put(entry("a", "one")), expected_version=0) == 1
            assert len(newest(source)) == 1
            assert breaks == []

    def test_of_writers_that_expect_one_version_one_wins(self, make_source: MakeSource) -> None:
        """Each of many threads reads, writes on top of it, and begins again where another was faster."""
        with make_source() as source:

            def added(number: int) -> int:
                while True:
                    with source.reading(ALL, None) as reading:
                        version = reading.pin.version
                    try:
                        return write(source, put(entry(f"d{number}", "text")), expected=version)
                    except VersionConflictError:
                        continue

            with ThreadPoolExecutor(4) as threads:
                versions = [*threads.map(added, range(12))]
            assert sorted(versions) == [*range(1, 13)]
            assert len(newest(source)) == 12

    def test_what_is_forgotten_does_not_come_back(self, make_source: MakeSource) -> None:
        """Versions go on; what is known of rows is either still true, or of another owner."""
        with make_source() as source:
            write(source, put(entry("a", "one")))
            with source.reading(ALL, None) as reading:
                owner, last = reading.owner, reading.pin.blocks
            version = source.forget(ALL)
            assert newest(source) == {}
            assert write(source, put(entry("b", "two"))) == version + 1
            with source.reading(ALL, None) as reading:
                assert reading.owner is not owner or min(alive(reading)) > last

    def test_tidying_and_purging_keep_the_newest_version(self, make_source: MakeSource) -> None:
        """Older ones may end."""
        with make_source() as source:
            write(source, put(entry("a", "one"), entry("b", "two")))
            write(source, Batch(remove=("a",)))
            before = {*newest(source).values()}
            source.purge(ALL, 5.0, all_versions=True)
            assert {*newest(source).values()} == before
            source.tidy()
            assert {*newest(source).values()} == before == {"b#0"}
            assert source.check() == ()
