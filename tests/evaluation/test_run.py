"""Retrievers are measured by what really stands in a context within its budget."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from biblicus_context.errors import InputError, PlanError, UnknownNameError
from biblicus_context.evaluation import evaluate, load_collection
from biblicus_context.evaluation.run import DEFAULT


def test_the_default_finds_all_there_is_where_everything_fits(folder: Path):
    (found,) = evaluate(load_collection(folder), {"hybrid": DEFAULT}, budgets=(512,))
    assert (found.collection, found.retriever, found.queries) == ("sample", "hybrid", 3)
    assert found.recall == {512: 1.0}
    assert found.all_evidence == {512: 1.0}
    assert found.ndcg_at_10 > 0.9
    assert 0 < found.p50_ms <= found.p95_ms


def test_evidence_that_does_not_fit_whole_does_not_count(folder: Path):
    (found,) = evaluate(load_collection(folder), {"hybrid": DEFAULT}, budgets=(1, 512))
    assert found.recall[1] == 0 < found.recall[512]


def test_a_query_sees_only_its_own_part_of_the_collection(folder: Path):
    collection = load_collection(folder)
    mine = collection.queries[2]
    elsewhere = mine.model_copy(update={"collection": "monday"})
    for query, recall in ((mine, 1.0), (elsewhere, 0.0)):
        (found,) = evaluate(
            replace(collection, queries=(query,)), {"hybrid": DEFAULT}, budgets=(512,)
        )
        assert found.recall[512] == recall


def test_retrievers_are_compared_side_by_side_with_their_own_settings(folder: Path):
    said: list[tuple[int, int]] = []
    one, two = evaluate(
        load_collection(folder),
        {
            "best": {"retriever_id": "keyword", "limit": 1, "query": "not used"},
            "none": {"retriever_id": "keyword", "filters": {"kind": "nothing"}},
        },
        budgets=(512,),
        most=2,
        on_progress=lambda done, every: said.append((done, every)),
    )
    assert (one.recall[512], two.recall[512]) == (1.0, 0.0)
    assert said == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_an_evaluation_without_queries_is_refused(folder: Path):
    collection = replace(load_collection(folder), queries=())
    with pytest.raises(InputError, match="collection 'sample': there are no queries"):
        evaluate(collection, {"hybrid": DEFAULT})


def test_a_retriever_of_another_library_is_refused(folder: Path):
    with pytest.raises(PlanError, match="unknown retriever_id: found 'scan'"):
        evaluate(load_collection(folder), {"scan": {"retriever_id": "scan"}})


def test_vectors_are_made_by_the_embedder_that_is_named(folder: Path):
    collection = load_collection(folder)
    by_meaning = {"vector": {"retriever_id": "vector", "limit": 9}}
    for embedder in ("wordllama", "minilm"):
        (found,) = evaluate(collection, by_meaning, budgets=(512,), embedder=embedder)
        assert found.recall == {512: 1.0}
    with pytest.raises(UnknownNameError, match="Did you mean 'minilm'"):
        evaluate(collection, by_meaning, embedder="minlm")
