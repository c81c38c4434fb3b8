"""`min_score` leaves out what is not similar enough to the query, on one scale for all queries."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, PlanError
from biblicus_context.corpora import Corpus

TEA = "How hot is the water for green tea?"
ELSEWHERE = "Which team won the ice hockey final in overtime?"


def found(corpus: Corpus, query: str, **settings: Any) -> list[str]:
    config = {"retriever_id": "hybrid", "limit": 50, **settings}
    return [each.block.id for each in corpus.retriever(config).evidence(query, offset=0, limit=50)]


def similarity(corpus: Corpus, query: str, name: str, **settings: Any) -> dict[str, float]:
    config = {"retriever_id": "hybrid", "min_score": 0.0, **settings}
    hits = corpus.retriever(config).evidence(query, offset=0, limit=50)
    return {each.block.id: each.parts[name] for each in hits}


@pytest.mark.parametrize("retriever_id", ["hybrid", "vector", "keyword", "fuzzy"])
def test_a_higher_minimum_finds_less_in_the_same_order(notes: Corpus, retriever_id: str):
    rows = [
        found(notes, TEA, retriever_id=retriever_id, min_score=each)
        for each in (0.0, 0.2, 0.4, 0.6, 1.0)
    ]
    assert rows[0] == found(notes, TEA, retriever_id=retriever_id)
    for more, fewer in pairwise(rows):
        assert [each for each in more if each in fewer] == fewer
    assert len(rows[-1]) < len(rows[0])


def test_a_query_about_something_else_finds_nothing(notes: Corpus):
    """The most similar block decides, so that what belongs to a good answer stays."""
    floor = {"best": 0.4}
    assert found(notes, TEA, min_score=floor) == found(notes, TEA)
    assert found(notes, ELSEWHERE)
    assert found(notes, ELSEWHERE, min_score=floor) == []


@pytest.mark.parametrize("retriever_id", ["hybrid", "vector"])
def test_vectors_are_compared_by_their_cosine(notes: Corpus, retriever_id: str):
    by_block = similarity(notes, TEA, "vectors", retriever_id=retriever_id)
    raw = notes.retriever({"retriever_id": "vector"}).evidence(TEA, offset=0, limit=50)
    for each in raw:
        if each.block.id in by_block:
            assert by_block[each.block.id] == pytest.approx(max(0.0, each.score), abs=1e-5)


def test_words_count_by_their_rarity(notes: Corpus):
    by_block = similarity(notes, "green tea and black tea", "words", retriever_id="keyword")
    assert all(0 < each <= 1 for each in by_block.values())
    whole = similarity(notes, "rye bread", "words", retriever_id="keyword")
    assert max(whole.values()) == 1.0


def test_what_is_named_or_recent_has_the_score_that_it_has(notes: Corpus):
    config = {"retriever_id": "explicit", "documents": ["tea.md"], "min_score": 1.0}
    assert notes.retriever(config).evidence("", offset=0, limit=9)


@given(floor=st.floats(0, 1), query=st.text(max_size=30))
def test_any_query_and_any_minimum_are_answered(notes: Corpus, floor: float, query: str):
    best = {"best": floor, "each": floor / 2}
    assert {*found(notes, query, min_score=best)} <= {*found(notes, query)}


@pytest.mark.parametrize("wrong", [-0.1, 1.1, "high", {"least": 0.3}])
def test_a_wrong_minimum_is_an_error(notes: Corpus, wrong: Any):
    with pytest.raises(PlanError, match="min_score"):
        notes.retriever({"retriever_id": "hybrid", "min_score": wrong})


def test_a_combination_gives_its_minimum_to_sources_without_one(notes: Corpus):
    def placed(**settings: Any) -> str:
        assembler = ContextAssembler(
            {"main": {"messages": [{"type": "context", "name": "pool"}]}},
            {
                "pool": {
                    "config": {
                        "retriever_id": "combined",
                        "of": [
                            {"retriever_id": "hybrid", "corpus": "notes"},
                            {"retriever_id": "vector", "corpus": "notes", "min_score": 0.0},
                        ][: settings.pop("sources", 2)],
                        **settings,
                    }
                }
            },
            corpora={"notes": notes},
        )
        return assembler.assemble("main", inputs={"query": ELSEWHERE}).system_prompt

    assert placed(sources=1)
    assert placed(sources=1, min_score={"best": 0.4}) == ""
    assert placed(min_score={"best": 0.4}) != ""


@pytest.mark.parametrize("floor", [0.99, {"best": 0.99}])
def test_the_receipt_says_how_similar_the_best_was_and_what_was_wanted(notes: Corpus, floor: Any):
    config = {"retriever_id": "hybrid", "min_score": floor}
    assembler = ContextAssembler(
        {"ask": {"messages": [{"type": "context", "name": "notes"}]}},
        {"notes": {"config": config}},
    )
    result = assembler.assemble(
        "ask", inputs={"query": TEA}, retriever_override=notes.retriever(config), budget=500
    )
    part = next(each for each in result.receipt.parts if each.name == "notes")
    best = max(similarity(notes, TEA, "vectors").values())
    assert part.reason == f"nothing is similar enough: best {best:.2f}, min_score 0.99"
    assert part.cause == "min_score"
    shown = {block.reason for block in part.blocks}
    assert f"its similarity {best:.2f} is below min_score of 0.99" in shown
