"""Retrievers are measured by what really stands in a context within its budget."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from biblicus_context.errors import ContextError, InputError, PlanError, UnknownNameError
from biblicus_context.evaluation import Collection, evaluate, load_collection
from biblicus_context.evaluation.run import DEFAULT
from biblicus_context.stores.ranking.matrix import Matrix
from tests.evaluation.conftest import write


def test_the_default_finds_all_there_is_where_everything_fits(folder: Path):
    (found,) = evaluate(load_collection(folder), {"hybrid": DEFAULT}, budgets=(512,))
    assert (found.collection, found.retriever, found.queries) == ("sample", "hybrid", 3)
    assert found.recall == {512: 1.0}
    assert found.all_evidence == {512: 1.0}
    assert found.ndcg_at_10 > 0.9
    assert 0 < found.p50_ms <= found.p95_ms


@pytest.fixture
def talk(folder: Path) -> Collection:
    """A query whose second gold turn has none of its words, and a far turn with the same text."""
    turns = ["What is the code?", "Forty two.", "Good.", "Tea?", "Yes.", "Forty two."]
    records = [
        {"id": f"t{order}", "text": text, "metadata": {"session": "s", "order": order}}
        for order, text in enumerate(turns)
    ]
    query = {"id": "1", "text": "which code is it?", "gold": ["t0", "t1"]}
    return load_collection(write(folder.parent / "talk", records, [query]))


def test_what_is_read_with_a_hit_counts_as_well(talk: Collection):
    hit = {"retriever_id": "keyword", "limit": 1}
    alone, around = evaluate(talk, {"alone": hit, "around": {**hit, "neighbours": 1}})
    assert set(alone.recall.values()) == {0.5}
    assert set(around.recall.values()) == set(around.all_evidence.values()) == {1.0}
    assert around.ndcg_at_10 == 1.0 > alone.ndcg_at_10


def test_the_same_words_said_elsewhere_are_no_evidence(talk: Collection):
    words = talk.queries[0].model_copy(update={"text": "forty"})
    for gold, recall in (("t1", 1.0), ("t5", 0.0)):
        query = words.model_copy(update={"gold": (gold,)})
        (found,) = evaluate(
            replace(talk, queries=(query,)), {"one": {"retriever_id": "keyword", "limit": 1}}
        )
        assert set(found.recall.values()) == {recall}


def test_a_record_that_is_left_out_for_its_twin_counts(tmp_path: Path):
    records = [{"id": name, "text": "Green tea wants water."} for name in ("one", "two")]
    queries = [{"id": "1", "text": "green tea", "gold": ["one", "two"]}]
    collection = load_collection(write(tmp_path / "twins", records, queries))
    (found,) = evaluate(collection, {"hybrid": DEFAULT}, budgets=(512,))
    assert found.recall == {512: 1.0}


def test_the_ranking_begins_where_the_retriever_does(folder: Path):
    first = {"retriever_id": "keyword", "limit": 1}
    collection = replace(load_collection(folder), queries=load_collection(folder).queries[:1])
    one, behind = evaluate(collection, {"one": first, "behind": {**first, "offset": 1}})
    assert (one.ndcg_at_10, behind.ndcg_at_10) == (1.0, 0.0)
    assert behind.mean_recall == 0.0


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"retriever_id": "hybird"}, "unknown retriever_id"),
        ({"retriever_id": "explicit", "documents": ["tee"]}, "no such document: found 'tee'"),
        ({"select": "knapsak"}, "Selection 'knapsak' not defined"),
        ({"filters": {"metadata": None}}, "filters.metadata: a mapping"),
        ({"filters": {"path": "{input.folder}/**"}}, "placeholders are filled where"),
        ({"filters": {"metadata": "{input.about}"}}, "placeholders are filled where"),
    ],
)
def test_a_mistake_is_of_the_retriever_that_has_it(
    folder: Path, settings: dict[str, object], problem: str
):
    loaded = load_collection(folder)
    collection = replace(loaded, queries=loaded.queries[::-1])  # the first one has a scope
    with pytest.raises(ContextError, match=rf"^retriever 'mine'.*{problem}"):
        evaluate(collection, {"hybrid": DEFAULT, "mine": settings}, budgets=(512,))
    with pytest.raises(ContextError, match=rf"^mine.yaml:3: retriever 'x'.*{problem}"):
        evaluate(collection, {"mine": settings}, places={"mine": "mine.yaml:3: retriever 'x'"})


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


def test_sessions_of_two_collections_may_have_the_same_name(tmp_path: Path):
    records = [
        {
            "id": f"{who} {order}",
            "text": text,
            "metadata": {"collection": who, "session": "1", "order": order},
        }
        for who, pet in (("ann", "dog"), ("bob", "cat"))
        for order, text in enumerate(("Hello.", f"My {pet} is called Rex.", "Good."))
    ]
    queries = [
        {"id": who, "text": "What is it called?", "gold": [f"{who} 1"], "collection": who}
        for who in ("ann", "bob")
    ]
    collection = load_collection(write(tmp_path / "pets", records, queries))
    (found,) = evaluate(collection, {"hybrid": DEFAULT}, budgets=(512,))
    assert found.recall == {512: 1.0}


def test_a_record_may_be_called_like_a_session(tmp_path: Path):
    records = [
        {"id": "session 1", "text": "Green tea wants water."},
        {"id": "2", "text": "Roses want pruning.", "metadata": {"session": "1"}},
    ]
    queries = [{"id": "1", "text": "green tea, roses", "gold": ["session 1", "2"]}]
    collection = load_collection(write(tmp_path / "names", records, queries))
    (found,) = evaluate(collection, {"hybrid": DEFAULT}, budgets=(512,))
    assert found.recall == {512: 1.0}


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


def test_the_times_of_a_retriever_owe_nothing_to_the_one_before_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    compared = []
    cosines = Matrix.cosines
    monkeypatch.setattr(
        Matrix,
        "cosines",
        lambda self, query: compared.append(query.tobytes()) or cosines(self, query),
    )
    by_meaning = {"retriever_id": "vector"}
    evaluate(load_collection(folder), {"one": by_meaning, "two": by_meaning}, budgets=(512,))
    assert len(compared) >= 6
    assert compared[-6:-3] == compared[-3:]


def test_an_evaluation_without_queries_is_refused(folder: Path):
    collection = replace(load_collection(folder), queries=())
    with pytest.raises(InputError, match="collection 'sample': it has no queries"):
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


def test_foreign_queries_count_when_nothing_is_placed(folder: Path):
    """A floor keeps silent where the collection has no evidence."""
    collection = load_collection(folder)
    foreign = ("Which team won the ice hockey final in overtime?", "How old is the moon?")
    floors = {
        "none": {"retriever_id": "hybrid"},
        "all": {"retriever_id": "hybrid", "min_score": 1.0},
    }
    none, everything = evaluate(replace(collection, foreign=foreign), floors, budgets=[500])
    assert (none.silent, everything.silent) == (0.0, 1.0)
    (unasked,) = evaluate(collection, {"none": floors["none"]}, budgets=[500])
    assert unasked.silent is None
