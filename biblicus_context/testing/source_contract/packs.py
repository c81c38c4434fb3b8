"""What rankings are computed from: columns, occurrences and embeddings, in rows that only rise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.base.arrays import Integers
from biblicus_context.stores import NO_FILTERS, Batch
from biblicus_context.stores.ranking.postings import POSITION_BITS
from biblicus_context.stores.source import WIDTH, Reading, Scope, Source, Wanted
from biblicus_context.stores.words import stems_of
from biblicus_context.testing.store_samples import INDEXER, MODEL, day, entry, put

MakeSource: TypeAlias = Callable[[], AbstractContextManager[Source]]

ALL = Scope(INDEXER)
WORDS = ["cat", "cats", "x-ray", "Café", "don't", "dog dog dog", "running", "语言", ""]
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
histories = st.lists(
    st.tuples(st.sampled_from("abc"), st.none() | st.lists(texts, max_size=3), texts), max_size=6
)
_TOKENS = count()


def write(source: Source, batch: Batch, scope: Scope = ALL, expected: int | None = None) -> int:
    """Apply a batch with a token of its own; returns its version."""
    token = f"token {next(_TOKENS)}"
    return source.apply(scope, batch, expected, token=token, erase=True).version


def columns(reading: Reading, after: int = 0) -> Integers:
    """The short columns of blocks after a row, one row each."""
    packed = reading.read(Wanted(columns_after=after)).columns
    found = np.frombuffer(packed, dtype="<i8").reshape(-1, WIDTH).astype(np.int64)
    kept: Integers = found[found[:, 0] > after]
    return kept


def alive(reading: Reading) -> dict[int, str]:
    """The blocks that are seen, by row."""
    (documents,) = reading.read(Wanted(filters=(NO_FILTERS,))).documents
    found = columns(reading)
    rows = found[np.isin(found[:, 1], documents), 0].tolist()
    return {row: place.block_id for row, place in reading.names(rows).items()}


def told(source: Source, history: Sequence[tuple[str, list[str] | None, str]]) -> None:
    """Write and remove documents one after the other."""
    for id_, own, title in history:
        if own is None:
            write(source, Batch(remove=(id_,)))
        else:
            write(
                source,
                put(entry(id_, *own, title=title, vectors=[[1, n] for n in range(len(own))])),
            )


several = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


class PackContract:
    """Packs contain all blocks that a version shows, and may contain others."""

    def test_what_saves_trips_is_what_is_read_by_id(self, make_source: MakeSource) -> None:
        """Evidence and embeddings by row, and evidence by document, of what can be seen."""
        with make_source() as source:
            own = entry("a", "one", "two", "three", vectors=[[3, 4], [0, 2], [1, 0]])
            write(source, put(own, entry("b", "four"), entry("c", "five", superseded_by="a")))
            write(source, Batch(remove=("b",)))
            with source.reading(ALL, None) as reading:
                rows = alive(reading)
                ids = [*rows.values()]
                by_row = {each.block.id: each for each in reading.evidence_at([*rows])}
                assert by_row == {each.block.id: each for each in reading.evidence(ids)}
                assert sorted(by_row) == ["a#0", "a#1", "a#2", "c#0"]
                assert reading.vectors_at(MODEL, [*rows]) == reading.vectors(MODEL, ids)
                first = {each.block.id for each in reading.evidence_of(["c", "b", "a"], 2)}
                assert first == {"a#0", "a#1", "c#0"}

    def test_nothing_is_read_where_nothing_was_written(self, make_source: MakeSource) -> None:
        """A collection that nobody wrote to is one without blocks, in version 0."""
        with make_source() as source, source.reading(ALL, None) as reading:
            assert reading.pin.version == reading.pin.blocks == 0
            found = reading.read(Wanted(0, (NO_FILTERS,), ("cat",), ("cat",), MODEL))
            assert found.columns == b""
            assert found.matrix is None
            assert not len(found.documents[0]) + len(found.occurrences["cat"].parts)
            assert not len(found.positions["cat"])

    def test_a_question_without_wishes_is_answered_with_nothing(
        self, make_source: MakeSource
    ) -> None:
        """What is known is not asked for, and is not sent again."""
        with make_source() as source:
            write(source, put(entry("a", "cat")))
            with source.reading(ALL, None) as reading:
                found = reading.read(Wanted())
            assert (found.columns, found.matrix) == (b"", None)
            assert not [*found.documents, *found.occurrences, *found.positions]

    def test_messages_are_named_once_with_their_conversation_and_time(
        self, make_source: MakeSource
    ) -> None:
        """Those that were written after a document, whether anybody still sees them or not."""
        with make_source() as source:
            early = entry("early", "x", conversation="talk", created=day(1))
            write(source, put(early, entry("note", "x")))
            with source.reading(ALL, None) as reading:
                (first,) = reading.read(Wanted(messages_after=0)).messages
                last = reading.pin.documents
            write(source, put(entry("late", "x", conversation="talk", created=day(2))))
            with source.reading(ALL, None) as reading:
                (second,) = reading.read(Wanted(messages_after=last)).messages
                assert [*reading.read(Wanted(messages_after=0)).messages] == [first, second]
                assert not reading.read(Wanted()).messages
            assert first.conversation == second.conversation == "talk"
            assert second.when - first.when == 86_400_000_000
            assert first.document < second.document

    @several
    @given(history=histories)
    def test_every_word_is_where_it_was_written(
        self, make_source: MakeSource, history: list[Any]
    ) -> None:
        """Occurrences and positions are those of the texts and of what is above them."""
        with make_source() as source:
            told(source, history)
            stems = sorted({stem for word in WORDS for stem in stems_of(word)} | {"absent"})
            with source.reading(ALL, None) as reading:
                rows = alive(reading)
                found = reading.read(Wanted(stems=stems, phrases=stems))
                ids = [*dict.fromkeys(each.partition("#")[0] for each in rows.values())]
                shown = {each.id: each for each in reading.blocks_of(ids, None)}
                titles = {each.id: each.title for each in reading.documents(ids)}
            words = {
                2 * row + part: stems_of(text)
                for row, id_ in rows.items()
                for part, text in enumerate((shown[id_].text, titles[shown[id_].document_id]))
            }
            for stem in stems:
                parts, counts = found.occurrences[stem]
                assert np.all(np.diff(parts) >= 0)
                counted: Counter[int] = Counter()
                for part, times in zip(parts.tolist(), counts.tolist(), strict=True):
                    counted[part] += times
                expected = {part: own.count(stem) for part, own in words.items() if stem in own}
                assert {part: counted[part] for part in counted if part >> 1 in rows} == expected
                positions = found.positions[stem]
                assert np.all(np.diff(positions) > 0)
                offset = (1 << POSITION_BITS) - 1
                for each in positions.tolist():
                    if each >> POSITION_BITS + 1 in rows:
                        assert words[each >> POSITION_BITS][each & offset] == stem
                assert counted == Counter((positions >> POSITION_BITS).tolist())

    @several
    @given(history=histories, later=histories)
    def test_what_is_known_of_packs_stays_true(
        self, make_source: MakeSource, history: list[Any], later: list[Any]
    ) -> None:
        """Rows rise and are never given out twice, so that what was read before need not be read again."""
        with make_source() as source:
            told(source, history)
            with source.reading(ALL, None) as reading:
                before, last, names = columns(reading), reading.pin.blocks, alive(reading)
                owner = reading.owner
            told(source, later)
            with source.reading(ALL, None) as reading:
                whole, newer = columns(reading), columns(reading, last)
                assert np.all(np.diff(whole[:, 0]) > 0)
                assert np.all(whole[:, 0] <= reading.pin.blocks)
                assert np.all((whole[:, 1] > 0) & (whole[:, 1] <= reading.pin.documents))
                assert np.array_equal(newer, whole[whole[:, 0] > last])
                if reading.owner is owner:
                    known = {row[0]: row for row in before.tolist()}
                    again = [row for row in whole.tolist() if row[0] in known]
                    assert all(known[row[0]] == row for row in again)
                    now = alive(reading)
                    assert all(now[row] == names[row] for row in now.keys() & names.keys())

    def test_embeddings_are_of_length_one_and_grow(self, make_source: MakeSource) -> None:
        """A matrix that is passed comes back with what is newer."""
        with make_source() as source:
            write(source, put(entry("a", "one", "two", vectors=[[3, 4], [0, 2]])))
            with source.reading(ALL, None) as reading:
                first = reading.read(Wanted(model=MODEL)).matrix
                assert reading.read(Wanted(model="of nobody")).matrix is None
            write(source, put(entry("b", "three", vectors=[[5, 0]])))
            with source.reading(ALL, None) as reading:
                grown = reading.read(Wanted(model=MODEL, matrix=first)).matrix
                rows = sorted(alive(reading))
            assert first is not None
            assert grown is not None
            assert first.blocks.tolist() == rows[:2]
            assert grown.blocks.tolist() == rows
            found = grown.rows_of(grown.numbers(grown.blocks))
            assert np.allclose(found, np.array([[0.6, 0.8], [0, 1], [1, 0]]))

    @several
    @given(
        known=st.lists(st.text("abcde", min_size=5, max_size=9), min_size=1, max_size=12),
        place=st.integers(0, 4),
        letter=st.sampled_from("abcde"),
    )
    def test_a_stem_with_one_wrong_letter_is_proposed(
        self, make_source: MakeSource, known: list[str], place: int, letter: str
    ) -> None:
        """A source may propose too many stems, and none too few: the engine compares them."""
        with make_source() as source:
            write(source, put(entry("a", " ".join(known))))
            stem = stems_of(known[0])[0]
            wrong = stem[:place] + letter + stem[place + 1 :]
            with source.reading(ALL, None) as reading:
                assert stem in {*reading.spelt_like([wrong])[wrong], wrong} or len(stem) < 5

    def test_the_error_of_damage_names_the_problem(self, make_source: MakeSource) -> None:
        """The engine finds what contradicts itself, and the source says where."""
        with make_source() as source, source.reading(ALL, None) as reading:
            assert "rows are missing" in str(reading.damaged("rows are missing"))
