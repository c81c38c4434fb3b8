"""A retriever over a corpus fills the share of its pack unless the plan limits it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context import ContextAssembler, ContextPack, ContextPackBlock
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.retrieval.requests.abilities import FillsShare
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.stores import View

QUERY = "lamp bulb watts"
PLAN = {
    "policy": {"pack_budget": {"default_ratio": 1.0}, "input_budget": {"max_tokens": 1000}},
    "messages": [{"type": "context", "name": "kb"}],
}


class Counted(FillsShare):
    """The same retriever, with the requests it got."""

    def __init__(self, retriever: CorpusRetriever) -> None:
        self._retriever = retriever
        self.requests: list[ContextRetrieverRequest] = []

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        self.requests.append(request)
        return self._retriever(request)


def assembled(retriever: Any, config: dict[str, Any], budget: int | None = None) -> Any:
    plan = PLAN if budget is not None else {"messages": PLAN["messages"]}
    assembler = ContextAssembler({"ask": plan}, {"kb": {"config": config}})
    return assembler.assemble(
        "ask", inputs={"query": QUERY}, retriever_override=retriever, budget=budget
    )


@pytest.mark.parametrize("retriever_id", ["hybrid", "keyword", "fuzzy", "vector", "recent"])
@pytest.mark.parametrize("budget", [1000, 2500, 6000])
def test_a_pack_alone_fills_its_share_and_is_asked_for_once(
    many: Corpus, retriever_id: str, budget: int
):
    counted = Counted(many.retriever({"retriever_id": retriever_id}))
    result = assembled(counted, {}, budget)
    assert len(counted.requests) == 1
    assert result.token_count <= budget
    whole = sum(block.tokens for block in many.search(QUERY, limit=90) for block in [block.block])
    assert result.token_count >= 0.95 * min(budget, whole)


def test_it_places_what_a_limit_that_never_binds_places(many: Corpus):
    free = assembled(many.retriever(), {}, 1500)
    limited = assembled(many.retriever(), {"limit": 400}, 1500)
    assert free.system_prompt == limited.system_prompt


def test_a_limit_is_a_cap(many: Corpus):
    part = assembled(many.retriever(), {"limit": 2}, 4000).receipt.parts[0]
    assert len(part.blocks) == 2


def test_without_a_budget_three_blocks_are_asked_for(many: Corpus):
    part = assembled(many.retriever(), {}).receipt.parts[0]
    assert len(part.blocks) == 3


def test_any_other_callable_is_asked_for_three_blocks():
    asked: list[int] = []

    def shelf(request: ContextRetrieverRequest) -> ContextPack:
        asked.append(request.limit)
        block = ContextPackBlock(evidence_item_id="1", text="A lamp.")
        return ContextPack(text="", evidence_count=1, blocks=[block])

    assembled(shelf, {}, 1000)
    assert asked == [3]


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.integers(1, 20_000),
    limit=st.integers(1, 200),
    offset=st.integers(0, 100),
    select=st.sampled_from(["rank_order", "knapsack", "diverse_kinds"]),
)
def test_more_says_whether_blocks_are_left(
    many: Corpus, tokens: int, limit: int, offset: int, select: str
):
    retriever = many.retriever({"select": select})
    for most in (limit, tokens):
        pack = retriever(
            ContextRetrieverRequest(query=QUERY, offset=offset, limit=most, max_tokens=tokens)
        )
        assert pack.more == (len(pack.blocks) < max(0, 90 - offset))
        assert "more" not in pack.model_dump()


def test_it_reads_little_more_than_the_share_holds(many: Corpus, monkeypatch: pytest.MonkeyPatch):
    read: list[int] = []
    whole = View.evidence

    def evidence(self: View, ids: Any) -> Any:
        read.append(len(ids))
        return whole(self, ids)

    monkeypatch.setattr(View, "evidence", evidence)
    many.retriever()(ContextRetrieverRequest(query=QUERY, limit=1000, max_tokens=1000))
    assert sum(read) < 90


def test_a_share_beyond_the_candidates_gets_further_blocks(root: Any):
    lines = (f'{{"text": "Lamp {number} is on. {"More. " * 9}"}}\n' for number in range(900))
    (root / "lamps.jsonl").write_text("".join(lines), "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        pack = corpus.retriever()(
            ContextRetrieverRequest(query="lamp", limit=12_000, max_tokens=12_000)
        )
        ids = [block.evidence_item_id for block in pack.blocks]
        assert len(ids) == len({*ids})
        assert sum(each.block.tokens for each in corpus.search("lamp", limit=len(ids))) > 11_000
        less = corpus.retriever()(ContextRetrieverRequest(query="lamp", limit=450))
        assert ids[:450] == [block.evidence_item_id for block in less.blocks]
