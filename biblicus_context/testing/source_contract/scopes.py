"""Nothing of another workspace, of another collection, or of what is hidden, is in any answer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biblicus_context.stores import (
    NO_FILTERS,
    Batch,
    Filters,
    Principal,
    Readers,
    StoreError,
    VersionGoneError,
)
from biblicus_context.stores.arguments import ActivityQuery
from biblicus_context.stores.source import Reading, Scope, Source, Wanted
from biblicus_context.testing.source_contract.packs import (
    MakeSource,
    alive,
    columns,
    several,
    write,
)
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    MODEL,
    ONLY_BOB,
    entry,
    put,
    relate,
)

OTHERS = {
    "another workspace": Scope(Principal("other", sees_all=True)),
    "another collection": Scope(INDEXER, "notes"),
    "a name that begins alike": Scope(Principal("acme2", sees_all=True)),
    "a collection of another workspace": Scope(Principal("other", sees_all=True), "notes"),
}
LOOKUPS: dict[str, Callable[[Reading], Any]] = {
    "state": lambda reading: (reading.state().version, reading.state().source),
    "info": lambda reading: reading.info(),
    "evidence": lambda reading: reading.evidence(["a#0", "b#0"]),
    "documents": lambda reading: reading.documents(["a", "b"]),
    "list_documents": lambda reading: reading.list_documents(NO_FILTERS, None, 9),
    "fingerprints": lambda reading: reading.fingerprints(),
    "blocks_of": lambda reading: reading.blocks_of(["a", "b"], None),
    "places_of": lambda reading: reading.places_of(["a", "b"], None),
    "nearby": lambda reading: reading.nearby(["a#0", "b#0"], 4),
    "recent": lambda reading: reading.recent(NO_FILTERS, 0, 9),
    "lineage": lambda reading: reading.lineage(["a"], 4),
    "children": lambda reading: reading.children(["b", "a"], 9),
    "siblings": lambda reading: reading.siblings(["a", "b"], 2),
    "relations": lambda reading: reading.relations(["a", "b"], (), "both"),
    "usage": lambda reading: reading.usage(["a#0", "b#0"]),
    "activity": lambda reading: reading.activity(ActivityQuery((), None, None, 9)),
    "vectors": lambda reading: reading.vectors(MODEL, ["a#0", "b#0"]),
    "evidence_of": lambda reading: sorted(
        reading.evidence_of(["a", "b"], 9), key=lambda each: each.block.id
    ),
    "known_vectors": lambda reading: reading.known_vectors(MODEL, ["key"]),
}


def answers(source: Source, scope: Scope) -> list[object]:
    """All that is read in a scope."""
    with source.reading(scope, None) as reading:
        found = reading.read(Wanted(0, (NO_FILTERS,), ("secret",), ("secret",), MODEL))
        occurrences = found.occurrences["secret"]
        return [
            reading.pin,
            found.columns,
            found.documents[0].tolist(),
            occurrences.parts.tolist(),
            occurrences.counts.tolist(),
            found.positions["secret"].tolist(),
            None if found.matrix is None else found.matrix.blocks.tolist(),
            *(lookup(reading) for lookup in LOOKUPS.values()),
        ]


class ScopeContract:
    """Whom a reading is for decides what is in it."""

    @pytest.mark.parametrize("other", OTHERS)
    def test_another_collection_is_another_world(self, make_source: MakeSource, other: str) -> None:
        """Equal ids in two collections have nothing to do with each other."""
        theirs = put(
            entry("a", "secret secret", parent="b", vectors=[[1, 0]], title="secret"),
            entry("b", "secret", vectors=[[0, 1]]),
        )
        with make_source() as source:
            write(source, put(entry("a", "own", vectors=[[1, 1]])), Scope(INDEXER))
            before = answers(source, Scope(INDEXER))
            write(source, theirs, OTHERS[other])
            write(source, relate(("a", "cites", "b")), OTHERS[other])
            source.note_source(OTHERS[other], "elsewhere")
            assert answers(source, Scope(INDEXER)) == before
            source.forget(OTHERS[other])
            assert answers(source, Scope(INDEXER)) == before

    @pytest.mark.parametrize("lookup", LOOKUPS)
    def test_what_is_hidden_is_not_there(self, make_source: MakeSource, lookup: str) -> None:
        """A look-up answers as if hidden documents had never been written."""
        with make_source() as hidden, make_source() as absent:
            for source in (hidden, absent):
                write(source, put(entry("a", "own")), Scope(INDEXER))
            secret = entry(
                "b", "secret", parent="a", readers=ONLY_BOB, vectors=[[0, 1]], title="secret"
            )
            write(hidden, put(secret), Scope(INDEXER))
            write(hidden, relate(("a", "cites", "b")), Scope(INDEXER))
            write(absent, put(entry("c", "gone")), Scope(INDEXER))
            write(absent, Batch(remove=("c",)), Scope(INDEXER))
            with (
                hidden.reading(Scope(ANN), None) as one,
                absent.reading(Scope(ANN), None) as other,
            ):
                assert LOOKUPS[lookup](one) == LOOKUPS[lookup](other)

    @several
    @given(
        readers=st.lists(
            st.sampled_from(
                [
                    Readers(),
                    ONLY_BOB,
                    Readers(groups=frozenset({"hr"})),
                    Readers(users=frozenset({"ann", "bob"})),
                    Readers(closed=True),
                ]
            ),
            max_size=6,
        ),
        kinds=st.lists(st.sampled_from(["note", "file"]), min_size=6, max_size=6),
    )
    def test_rows_that_meet_filters_are_those_of_documents_that_are_seen(
        self, make_source: MakeSource, readers: list[Readers], kinds: list[str]
    ) -> None:
        """For every principal, also where the filter lets others through; what is hidden has no name."""
        with make_source() as source:
            batch = [
                entry(f"d{n}", "text", readers=own, kind=kinds[n]) for n, own in enumerate(readers)
            ]
            write(source, put(*batch))
            filters = Filters(kinds=frozenset({"note"}))
            for who in (ANN, BOB, INDEXER, Principal("acme")):
                with source.reading(Scope(who), None) as reading:
                    seen = {each.id for each in reading.list_documents(NO_FILTERS, None, 99)}
                    assert {each.partition("#")[0] for each in alive(reading).values()} == seen
                    every, names = columns(reading), alive(reading)
                    (rows,) = reading.read(Wanted(filters=(filters,))).documents
                    met = every[np.isin(every[:, 1], rows), 0].tolist()
                    notes = {each for each in seen if kinds[int(each[1:])] == "note"}
                    assert {names[row].partition("#")[0] for row in met} == notes
                    for row in {*every[:, 0].tolist()} - names.keys():
                        with suppress(StoreError):  # nobody who is honest asks for it
                            assert not reading.names([row])

    def test_a_version_shows_what_it_showed(self, make_source: MakeSource) -> None:
        """Also while others write, and in a transaction that began before."""
        with make_source() as source:
            first = write(source, put(entry("a", "one"), entry("b", "two")))
            with source.reading(Scope(INDEXER), None) as reading:
                before = alive(reading)
                write(source, put(entry("c", "three")))
                assert reading.pin.version == first
                assert alive(reading) == before
            with source.reading(Scope(INDEXER), first) as reading:
                assert alive(reading) == before
            for at in (first + 2, 99):
                opening = source.reading(Scope(INDEXER), at)
                with pytest.raises(VersionGoneError), opening as reading:
                    _ = reading.pin  # a transaction may begin with its first read

    def test_what_is_hidden_since_is_told_by_the_pin(self, make_source: MakeSource) -> None:
        """Rights are those of now: what was derived from a version is derived again."""
        with make_source() as source:
            first = write(source, put(entry("a", "one"), entry("b", "two")))
            with source.reading(Scope(ANN), first) as reading:
                assert reading.pin.hidden == first
            third = write(source, put(entry("b", "two", readers=ONLY_BOB)))
            with source.reading(Scope(ANN), first) as reading:
                assert reading.pin.hidden == third
                assert [*alive(reading).values()] == ["a#0"]
