"""A search returns as many hits as fill a number of tokens, and says how similar each is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from biblicus_context import Corpus, CorpusDeclaration, Record
from biblicus_context.errors import ContextError
from biblicus_context.testing.memory_store import InMemoryStore

QUERY = "How hot is green tea?"


@pytest.fixture(scope="module")
def notes() -> Iterator[Corpus]:
    with Corpus.open_records(InMemoryStore()) as corpus:
        corpus.put(
            Record(id=f"n{n:03}", text=f"Note {n} says how hot green tea number {n} is.")
            for n in range(300)
        )
        yield corpus


def tokens(notes: Corpus, most: int) -> list[int]:
    return [each.block.tokens for each in notes.search(QUERY, max_tokens=most)]


@pytest.mark.parametrize("most", [40, 400, 2000])
def test_the_hits_fill_the_tokens_and_one_more_shows_that_there_is_more(notes: Corpus, most: int):
    *filling, _ = counts = tokens(notes, most)
    assert 0.9 * most - 16 <= sum(filling) <= most < sum(counts) + len(counts)


def test_what_fits_whole_comes_without_more(notes: Corpus):
    assert len(tokens(notes, 100_000)) == 300


def test_a_limit_counts_as_well(notes: Corpus):
    assert len(notes.search(QUERY, max_tokens=400, limit=5)) == 5
    assert len(notes.search(QUERY)) == 10


@pytest.mark.parametrize("most", [0, -1, 2.5, True])
def test_a_number_of_tokens_is_a_number_above_0(notes: Corpus, most: int):
    with pytest.raises(ContextError, match="max_tokens"):
        notes.search(QUERY, max_tokens=most)


def test_similarities_are_cosines_whatever_ranked(notes: Corpus):
    hits = notes.search(QUERY, retriever_id="vector", limit=20)
    alike = notes.likeness(QUERY, hits)
    assert alike == pytest.approx([each.score for each in hits], abs=1e-6)
    assert all(one >= other - 1e-6 for one, other in pairwise(alike))
    assert notes.embedder is not None
    vector = notes.embedder.embed_query(QUERY).tolist()
    assert notes.likeness("", hits, vector=vector) == pytest.approx(alike, abs=1e-6)
    assert notes.likeness(QUERY, []) == []


def test_by_the_absolute_scale_vectors_are_ranked_by_their_cosines(notes: Corpus):
    hits = notes.search(
        QUERY, retriever_id="vector", limit=20, rank={"similarity": {"scale": "absolute"}}
    )
    assert [each.score for each in hits] == pytest.approx(notes.likeness(QUERY, hits), abs=1e-6)


def test_without_an_embedder_similarities_are_shares_of_the_words():
    declared = CorpusDeclaration(name="words", config={"embedder": None, "store": "words"})
    with Corpus.open(declared, store=InMemoryStore()) as words:
        words.put([Record(id="a", text="Green tea is hot."), Record(id="b", text="Tea.")])
        hits = words.search("green tea")
        assert words.likeness("green tea", hits)[0] == 1.0
