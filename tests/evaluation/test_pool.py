"""Collections in one corpus are measured each by its own queries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from biblicus_context.errors import InputError
from biblicus_context.evaluation import Collection, evaluate, evaluate_pool, load_collection
from biblicus_context.evaluation.run import DEFAULT, INDEXED_AS
from tests.evaluation.conftest import write

HYBRID = {"hybrid": DEFAULT}


@pytest.fixture
def talks(tmp_path: Path) -> list[Collection]:
    """Two collections with the same ids, scopes and sessions, and a record that both could answer."""
    collections = []
    for owner, pet in (("ann", "dog"), ("bob", "cat")):
        turns = [
            {
                "id": str(order),
                "text": text,
                "metadata": {"collection": "home", "session": "1", "order": order},
            }
            for order, text in enumerate(("Hello.", f"My {pet} is called Rex.", "Good."))
        ]
        records = [*turns, {"id": "note", "text": f"{owner} writes about a {pet}."}]
        queries = [
            {"id": "1", "text": "What is it called?", "gold": ["1"], "collection": "home"},
            {"id": "2", "text": f"Who writes about a {pet}?", "gold": ["note"]},
        ]
        collections.append(load_collection(write(tmp_path / owner, records, queries)))
    return collections


@pytest.mark.parametrize("indexed_as", INDEXED_AS)
def test_each_query_finds_the_evidence_of_its_own_collection(
    talks: list[Collection], indexed_as: str
):
    ann, bob = evaluate_pool(talks, HYBRID, budgets=(512,), indexed_as=indexed_as)
    assert (ann.collection, ann.pooled_with) == ("ann", ("bob",))
    assert (bob.collection, bob.pooled_with) == ("bob", ("ann",))
    assert ann.recall == bob.recall == {512: 1.0}
    assert (ann.queries, bob.queries) == (2, 2)


def test_the_records_of_the_others_compete_for_the_budget(talks: list[Collection]):
    """Where one block fits, a query that both could answer finds the evidence of one of them."""
    called = [
        replace(
            each,
            queries=tuple(
                query.model_copy(update={"text": "Who writes about something?"})
                for query in each.queries[1:]
            ),
        )
        for each in talks
    ]
    alone = [figures for each in called for figures in evaluate(each, HYBRID, budgets=(7,))]
    together = evaluate_pool(called, HYBRID, budgets=(7,))
    assert [each.recall[7] for each in alone] == [1.0, 1.0]
    assert sorted(each.recall[7] for each in together) == [0.0, 1.0]


def test_a_pool_of_one_is_the_collection_itself(folder: Path):
    collection = load_collection(folder)
    (alone,) = evaluate(collection, HYBRID, budgets=(64, 512))
    (pool,) = evaluate_pool([collection], HYBRID, budgets=(64, 512))
    assert (pool.recall, pool.ndcg_at_10, pool.pooled_with) == (alone.recall, alone.ndcg_at_10, ())


def test_a_collection_without_queries_is_refused_before_anything_is_indexed(
    talks: list[Collection],
):
    ann, bob = talks
    with pytest.raises(InputError, match="collection 'bob': it has no queries"):
        evaluate_pool([ann, replace(bob, queries=())], HYBRID)
