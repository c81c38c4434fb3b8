"""Each way of ranking finds what it is for."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from biblicus_context.corpora import Corpus

RETRIEVERS = ("hybrid", "keyword", "fuzzy", "vector", "trigram", "recent")


@pytest.mark.parametrize("retriever", ["hybrid", "keyword", "fuzzy", "vector"])
def test_the_block_that_answers_comes_first(notes: Corpus, retriever: str):
    best = notes.search("patch for a flat tyre", retriever_id=retriever)[0]
    assert best.source == "bikes/repair.md"


def test_fuzzy_forgives_a_wrong_letter_and_keyword_does_not(notes: Corpus):
    assert notes.search("rubbar", retriever_id="keyword") == []
    assert notes.search("rubbar", retriever_id="fuzzy")[0].source == "bikes/repair.md"
    assert notes.search("rubbar", retriever_id="fuzzy", similarity=1.0) == []


def test_trigram_finds_what_is_spelt_like_the_query_and_nothing_else(notes: Corpus):
    (first, *_) = notes.search("greeen tea wants watr of 80 degres", retriever_id="trigram")
    assert "80 degrees" in first.block.text
    assert 0.3 < first.score < 1
    assert notes.search("green tea", retriever_id="trigram", similarity=0.9) == []
    assert notes.search("quantum physics", retriever_id="trigram") == []


def test_trigram_finds_the_file_that_a_query_names(notes: Corpus):
    settings = {"retriever_id": "trigram", "similarity": 0.25}
    assert {each.source for each in notes.search("what is in repair.md?", **settings)} == {
        "bikes/repair.md"
    }
    only = {"filters": {"path": "*.md"}}
    assert notes.search("what is in repair.md?", **settings, **only) == []


def test_keyword_ranks_a_phrase_in_quotes_first_if_the_plan_wants_that(root: Path):
    (root / "a.md").write_text(
        "Water is boiling. Tea is black. Black water, boiling tea.\n", "utf-8"
    )
    with Corpus.open(root) as corpus:
        corpus.ingest()
        asked = '"black tea wants" boiling water tea black'
        (best, *_) = corpus.search(asked, retriever_id="keyword", phrases=True)
        assert best.source == "tea.md"
        scores = [
            next(each.score for each in corpus.search(asked, retriever_id="keyword", phrases=phrases)
                 if "Black tea wants" in each.block.text)
            for phrases in (False, True)
        ]  # fmt: skip
        assert scores[0] < scores[1]


def test_recent_answers_the_file_changed_last(root: Path):
    with Corpus.open(root) as corpus:
        corpus.ingest()
        (root / "new.md").write_text("Something else altogether.\n", "utf-8")
        corpus.ingest()
        assert corpus.search("tea", retriever_id="recent")[0].source == "new.md"


def test_a_turn_is_lent_support_by_those_around_it(notes: Corpus):
    hits = notes.search("pruning roses", filters={"kind": "conversation"})
    assert "pruning" in hits[0].block.text
    followed = next(each for each in hits if "before" in each.block.text)
    assert followed.parts["neighbours"] > 0


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_blocks_come_best_first_and_scores_are_the_sum_of_their_parts(many: Corpus, retriever: str):
    hits = many.search("lamp bulb watts", retriever_id=retriever, limit=200)
    assert hits
    assert [each.score for each in hits] == sorted((each.score for each in hits), reverse=True)
    for each in hits:
        assert math.isclose(sum(each.parts.values()), each.score, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("retriever", RETRIEVERS)
@pytest.mark.parametrize(
    "query", ["", "  \n", "?!", "the", '"AND" OR (NEAR* "', "Ada's don't", "\0"]
)
def test_no_query_is_taken_for_syntax(notes: Corpus, retriever: str, query: str):
    hits = notes.search(query, retriever_id=retriever)
    assert retriever != "recent" or hits


def test_filters_hold_for_every_block_that_is_answered(notes: Corpus):
    for retriever in RETRIEVERS:
        hits = notes.search("water", retriever_id=retriever, filters={"path": "bikes/**"})
        assert {each.source for each in hits} <= {"bikes/repair.md"}


def test_the_weights_of_the_two_searches_can_be_set(notes: Corpus):
    words = notes.search("green tea", text_weight=1, vector_weight=0)[0]
    meaning = notes.search("green tea", text_weight=0, vector_weight=1, candidates=10)[0]
    assert words.parts["vector"] == 0 < words.parts["text"]
    assert meaning.parts["text"] == 0 < meaning.parts["vector"]


def test_only_the_best_hits_are_ordered_again_where_the_window_is_small(tmp_path: Path):
    for number in range(6):
        text = f"{'tea ' * (6 - number)}{'water ' * number}note {number}"
        (tmp_path / f"{number}.md").write_text(text, "utf-8")
    with Corpus.open(tmp_path) as corpus:
        corpus.ingest()

        def order(**settings: object) -> list[str]:
            found = corpus.search("tea", retriever_id="keyword", limit=6, **settings)
            return [each.source for each in found]

        a, b, c, d, e, f = plain = order()
        rank = {"source": {"priorities": {name: 0.1 * at for at, name in enumerate(plain)}}}
        assert order(rank=rank) == [f, e, d, c, b, a]
        assert order(rank=rank, rank_window=2) == [b, a, d, c, f, e]
