"""A combined retriever over corpora ranks as one corpus does, and nothing crosses from another user."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context import (
    ContextAssembler,
    ContextAssemblyResult,
    Corpus,
    Principal,
    Readers,
    Record,
    RetrieverError,
)
from tests.assembly.fakes import part_named

NOW = datetime.now(UTC)
ANN = Principal("acme", user="ann")
CONTEXT = {
    "policy": {"input_budget": {"max_tokens": 400}, "pack_budget": {"default_ratio": 0.9}},
    "messages": [
        {"type": "context", "name": "pool"},
        {"type": "user", "content": "{input.query}"},
    ],
}
QUESTION = {"query": "When do we ship the lamps?"}
RECORDS = (
    Record(id="root", title="Plans", text="All plans of the team."),
    Record(
        id="ship",
        parent="root",
        text="We ship the lamps on Friday.",
        created=NOW - timedelta(hours=10),
        metadata={"tier": "gold", "year": 2026},
    ),
    Record(
        id="lamps",
        parent="root",
        text="Lamps are made in Turin; we ship them by train.",
        created=NOW - timedelta(days=40),
        importance=0.9,
        metadata={"tier": "silver", "year": 2020},
    ),
    Record(id="tea", text="Green tea wants water of 80 degrees.", kind="note"),
)


def declared(of: list[Any], **more: Any) -> dict[str, Any]:
    return {"pool": {"config": {"retriever_id": "combined", "of": of, **more}}}


def asked(
    retrievers: dict[str, Any], principal: Principal = ANN, now: datetime = NOW, **corpora: Corpus
) -> ContextAssemblyResult:
    """At one moment, unless a test is about time: scores of recency change within seconds."""
    assembler = ContextAssembler({"main": CONTEXT}, retrievers, corpora=corpora)
    inputs = {**QUESTION, "window": "72h", "seen": ["ship", "root", "tea"]}
    return assembler.for_principal(principal).assemble("main", inputs=inputs, now=now)


def ids(result: ContextAssemblyResult) -> list[str]:
    return [block.source for block in part_named(result, "pool").blocks if block.given]


@pytest.fixture
def memories(tmp_path: Path) -> Any:
    with Corpus.open_records(tmp_path / "memories", principal=ANN) as corpus:
        corpus.put(RECORDS)
        store = corpus.store
        store.record_activity(ANN, "lamps", "edit", NOW)
        yield corpus


def test_sources_over_corpora_are_ranked_together(memories: Corpus, tmp_path: Path):
    with Corpus.open_records(tmp_path / "tickets", principal=ANN) as tickets:
        tickets.put([Record(id="t1", text="A customer asks when the lamps ship.")])
        of = [
            {"retriever_id": "hybrid", "corpus": "memories"},
            {"retriever_id": "keyword", "corpus": "tickets", "name": "tickets"},
            {"retriever_id": "recent", "corpus": "memories", "limit": 1},
        ]
        result = asked(declared(of), memories=memories, tickets=tickets)
    part = part_named(result, "pool")
    assert {"ship", "lamps", "t1"} <= {*ids(result)}
    assert [source.name for source in part.sources] == ["hybrid", "tickets", "recent"]
    (ship,) = (block for block in part.blocks if block.source == "ship")
    assert ship.sources == ("hybrid",) or ship.sources == ("hybrid", "recent")
    assert len({block.id for block in part.blocks}) == len(part.blocks)


RANKS = [
    {"tfidf": 1},
    {"affinity": 1, "recency": {"weight": 2, "per": "hour"}},
    {"structure": {"weight": 2, "near": ["ship"]}, "importance": 1},
    {"field": {"weight": 1, "field": "tier", "values": {"gold": 1.0, "silver": 0.4}}},
    {"usage": 1, "keyword": 1},
]


def test_a_receipt_says_what_searching_ranking_and_selecting_took(memories: Corpus):
    of = [{"retriever_id": "keyword", "corpus": "memories"}]
    receipt = asked(declared(of, rank="recency"), memories=memories).receipt
    took = {each.name: each.seconds for each in receipt.steps}
    parts = [took[f"pool: {name}"] for name in ("search", "rank", "select")]
    assert 0 < sum(parts) <= took["gather"]
    assert receipt.without_timings().steps == ()


@pytest.mark.parametrize("rank", RANKS, ids="+".join)
def test_a_combination_of_one_ranks_as_the_source_itself(memories: Corpus, rank: dict[str, Any]):
    """What a component asks of the store is asked of the corpus of each block."""
    own = {"retriever_id": "hybrid", "corpus": "memories", "limit": 10}
    alone = asked({"pool": {"config": {**own, "rank": rank}}}, memories=memories)
    combined = asked(declared([own], rank=rank), memories=memories)
    assert ids(combined) == ids(alone)
    for one, other in zip(
        part_named(combined, "pool").blocks, part_named(alone, "pool").blocks, strict=True
    ):
        assert {name: one.parts[name] for name in rank} == pytest.approx(
            {name: other.parts[name] for name in rank}, abs=2e-4
        )


def test_a_document_that_ranks_by_structure_is_in_one_of_several_corpora(
    memories: Corpus, tmp_path: Path
):
    of = [
        {"retriever_id": "keyword", "corpus": "tickets", "name": "tickets"},
        {"retriever_id": "hybrid", "corpus": "memories"},
    ]
    rank = {"structure": {"near": ["lamps"]}}
    with Corpus.open_records(tmp_path / "tickets", principal=ANN) as tickets:
        tickets.put([Record(id="t1", text="A customer asks when the lamps ship.")])
        result = asked(declared(of, rank=rank), memories=memories, tickets=tickets)
        assert ids(result)[0] == "lamps"
        assert "t1" in ids(result)
        nowhere = declared(of, rank={"structure": {"near": ["lost"]}})
        with pytest.raises(RetrieverError, match="no such document: found 'lost'"):
            asked(nowhere, memories=memories, tickets=tickets)


def test_a_source_has_a_priority_by_its_name(memories: Corpus):
    of = [
        {"retriever_id": "hybrid", "corpus": "memories"},
        {"retriever_id": "explicit", "corpus": "memories", "documents": ["tea"], "name": "named"},
    ]
    rank = {"found_by": {"priorities": {"named": 1.0, "hybrid": 0.2}}}
    assert ids(asked(declared(of, rank=rank), memories=memories))[0] == "tea"


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"metadata": {"tier": "gold"}}, {"ship"}),
        ({"metadata": {"tier": {"in": ["gold", "silver"]}}}, {"ship", "lamps"}),
        ({"metadata": {"year": {"from": 2021}}}, {"ship"}),
        ({"created": {"within": "72h"}}, {"ship"}),
        ({"created": {"within": "{input.window}"}}, {"ship"}),
        ({"exclude_documents": ["ship", "root", "tea"]}, {"lamps"}),
        ({"exclude_documents": "{input.seen}"}, {"lamps"}),
    ],
)
def test_filters_of_a_plan(memories: Corpus, filters: dict[str, Any], found: set[str]):
    """Values in lists and ranges of any metadata, time before now, and documents to leave out."""
    of = [{"retriever_id": "hybrid", "corpus": "memories", "filters": filters, "limit": 3}]
    for retrievers in (declared(of), {"pool": {"config": of[0]}}):
        assert {*ids(asked(retrievers, memories=memories))} == found


def test_an_assembly_can_be_repeated_at_its_moment(memories: Corpus, tmp_path: Path):
    """Recency and times before now are measured from one moment, in every corpus; the receipt has it."""
    with Corpus.open_records(tmp_path / "tickets", principal=ANN) as tickets:
        day = {"created": {"within": "24h"}}
        of = [
            {"retriever_id": "hybrid", "corpus": "memories"},
            {"retriever_id": "recent", "corpus": "tickets", "name": "tickets", "filters": day},
        ]
        pool = declared(of, rank={"recency": {"weight": 1, "per": "hour"}})
        tickets.put([Record(id="t1", text="The lamps ship.", created=NOW - timedelta(hours=1))])
        both = {"memories": memories, "tickets": tickets}
        first, later = asked(pool, **both), asked(pool, now=NOW + timedelta(hours=30), **both)
        assert asked(pool, now=first.receipt.now, **both).fingerprint == first.fingerprint
    assert later.receipt.now == NOW + timedelta(hours=30)
    assert "t1" in ids(first)
    assert "t1" not in ids(later)
    (ship, aged) = (
        next(block for block in part_named(each, "pool").blocks if block.source == "ship")
        for each in (first, later)
    )
    assert (ship.parts["recency"], aged.parts["recency"]) == (
        pytest.approx(1 / 11, abs=1e-4),
        pytest.approx(1 / 41, abs=1e-4),
    )


Rows = list[tuple[str, tuple[str, ...]]]


def written(corpus: Corpus, rows: Rows) -> Corpus:
    """The corpus with a document for each row: its workspace and its readers."""
    for number, (workspace, names) in enumerate(rows):
        view = corpus.for_principal(Principal(workspace, sees_all=True))
        record = Record(
            id=f"{workspace}-{'-'.join(names)}-{number}",
            text=f"We ship the lamps number {number}.",
            readers=Readers(users=frozenset(names)),
            created=NOW - timedelta(days=number),
        )
        view.put([record])
        for name in names or ("ann", "bob"):
            view.store.record_activity(Principal(workspace, user=name), record.id, "view", NOW)
    return corpus


def scores(result: ContextAssemblyResult) -> dict[str, float]:
    return {
        str(block.source): round(block.score or 0, 3)
        for block in part_named(result, "pool").blocks
        if block.given
    }


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings().max_examples // 5,
)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["acme", "globex"]), st.sampled_from([(), ("ann",), ("bob",)])),
        max_size=8,
    ),
    rank=st.sampled_from([None, "recency", *(each for each in RANKS if "structure" not in each)]),
    fusion=st.sampled_from(["reciprocal_rank", "standard_scores", "given_scores"]),
)
def test_nothing_crosses_from_another_tenant_or_user(
    tmp_path_factory: pytest.TempPathFactory, rows: Rows, rank: Any, fusion: str
):
    """Neither what is placed, nor the receipt, nor a score shows that others have written anything."""
    of = [
        {"retriever_id": "hybrid", "corpus": "memories"},
        {"retriever_id": "recent", "corpus": "memories", "limit": 3},
        {"retriever_id": "activity", "corpus": "memories", "guarantee": 1},
    ]
    pool = declared(of, fusion=fusion, **({"rank": rank} if rank else {}))
    rows = [("acme", ()), ("globex", ()), *rows]
    with Corpus.open_records(tmp_path_factory.mktemp("two")) as corpus:
        written(corpus, rows)
        for workspace, other in (("acme", "globex"), ("globex", "acme")):
            result = asked(pool, Principal(workspace, user="ann"), memories=corpus)
            said = result.receipt.model_dump_json() + result.system_prompt
            assert other not in said
            assert f"{workspace}-bob" not in said
            # Documents of others leave their places free, so that numbers and ids stay the same.
            alone = [
                row if row in ((workspace, ()), (workspace, ("ann",))) else None for row in rows
            ]
            with Corpus.open_records(tmp_path_factory.mktemp("one")) as own:
                for number, row in enumerate(alone):
                    if row is not None:
                        written(own, [("nobody", ())] * number + [row])
                expected = asked(pool, Principal(workspace, user="ann"), memories=own)
            assert scores(result) == scores(expected)
