"""A combined retriever asks its sources side by side, and places the best of all their blocks."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context import ContextAssembler, ContextAssemblyResult, PlanError, RetrieverError
from biblicus_context.errors import UnknownNameError
from tests.assembly.fakes import Shelf, part_named, plan, words
from tests.assembly.strategies import FakeRetriever, filled_texts, formats

POOL = {"type": "context", "name": "pool"}
ASK = {"type": "user", "content": "{input.question}"}


def pool(*of: Any, **settings: Any) -> dict[str, Any]:
    return {"config": {"retriever_id": "combined", "of": [*of], **settings}}


def asked(
    retrievers: dict[str, Any],
    *,
    budget: int = 200,
    **policy: Any,
) -> ContextAssemblyResult:
    policy = {"pack_budget": {"default_max_tokens": budget}, **policy}
    context = plan(POOL, ASK, input_budget={"max_tokens": budget + 9}, **policy)
    assembler = ContextAssembler({"main": context}, retrievers)
    return assembler.assemble("main", inputs={"question": "What?"})


def placed(result: ContextAssemblyResult) -> list[str]:
    return result.system_prompt.split("\n\n")


def scored(*blocks: tuple[str, float], **more: Any) -> Shelf:
    return Shelf(
        [{"evidence_item_id": text, "text": text, "score": score, **more} for text, score in blocks]
    )


def test_blocks_of_all_sources_are_placed_best_first():
    """By default the first of each source come first, whatever the scale of its scores."""
    near, far = scored(("a1", 0.9), ("a2", 0.8)), scored(("b1", 310.0), ("b2", 14.0))
    result = asked({"pool": pool("near", "far"), "near": near, "far": far})
    assert placed(result) == ["a1", "b1", "a2", "b2"]


def test_a_source_with_more_weight_comes_first():
    sources = {"near": scored(("a1", 0.9)), "far": scored(("b1", 0.1))}
    result = asked({"pool": pool("near", {"name": "far", "weight": 2}), **sources})
    assert placed(result) == ["b1", "a1"]


def test_evidence_that_two_sources_found_is_placed_once_and_counts_twice():
    one, two = scored(("a", 0.9), ("both", 0.5)), scored(("b", 0.9), ("both", 0.5))
    result = asked({"pool": pool("one", "two"), "one": one, "two": two})
    assert placed(result)[0] == "both"
    blocks = {block.id: block for block in part_named(result, "pool").blocks}
    assert blocks["both"].sources == ("one", "two")
    assert set(blocks["both"].parts) == {"one", "two"}
    assert blocks["a"].sources == ("one",)


def test_the_same_id_in_two_sources_may_be_two_blocks():
    one, two = Shelf(["From the first."]), Shelf(["From the second."])
    result = asked({"pool": pool("one", "two"), "one": one, "two": two})
    assert [block.id for block in part_named(result, "pool").blocks] == ["e0", "two/e0"]


def test_a_source_may_be_declared_in_place_and_be_combined_itself():
    sources = {"a": Shelf(["a"]), "b": Shelf(["b"]), "c": Shelf(["c"])}
    inner = {"name": "inner", "retriever_id": "combined", "of": ["b", "c"]}
    result = asked({"pool": pool("a", inner), **sources})
    assert sorted(placed(result)) == ["a", "b", "c"]
    (a, both) = part_named(result, "pool").sources
    assert (a.name, both.name) == ("a", "inner")
    assert [source.name for source in both.sources] == ["b", "c"]
    assert part_named(result, "pool").requests == 3


def test_each_source_is_asked_its_own_query_and_its_own_limit():
    one, two = Shelf(["a"] * 9), Shelf(["b"] * 9)
    retrievers = {
        "pool": pool("one", {"name": "two", "limit": 2}, query="pool: {input.question}"),
        "one": {"config": {"query": "one: {input.question}", "limit": 5}},
        "two": {"config": {"custom": "kept"}},
    }
    context = plan(POOL, ASK, input_budget={"max_tokens": 200})
    assembler = ContextAssembler(
        {"main": context}, retrievers, retriever_functions={"one": one, "two": two}
    )
    assembler.assemble("main", inputs={"question": "Why?"})
    assert [(each.query, each.limit) for each in (*one.requests, *two.requests)] == [
        ("one: Why?", 5),
        ("pool: Why?", 2),
    ]
    assert two.requests[0].metadata["custom"] == "kept"
    assert two.requests[0].metadata["retriever"] == "two"


def test_sources_are_asked_side_by_side():
    waiting: list[str] = []

    async def met(request: Any) -> list[str]:
        waiting.append(request.metadata["retriever"])
        async with asyncio.timeout(20):
            while len(waiting) < 3:
                await asyncio.sleep(0.001)
        return ["late"]

    asked({"pool": pool("a", "b", "c"), "a": met, "b": met, "c": met})
    assert sorted(waiting) == ["a", "b", "c"]


def test_a_source_that_fails_may_be_skipped_and_the_receipt_says_so():
    sources = {"a": Shelf(["from a"]), "b": broken}
    result = asked({"pool": pool("a", {"name": "b", "on_error": "skip"}), **sources})
    assert placed(result) == ["from a"]
    failed = part_named(result, "pool").sources[1]
    assert failed.failure == "failed: ConnectionError"
    assert "source failed: failed: Conn" in result.explain(width=120)
    with pytest.raises(RetrieverError, match="'b' failed: ConnectionError"):
        asked({"pool": pool("a", "b"), **sources})


def test_a_pack_that_is_skipped_names_the_source_that_failed():
    context = plan({**POOL, "on_error": "skip"}, ASK, input_budget={"max_tokens": 50})
    retrievers = {"pool": pool("a", "b"), "a": Shelf(["from a"]), "b": broken}
    result = ContextAssembler({"main": context}, retrievers).assemble(
        "main", inputs={"question": "What?"}
    )
    part = part_named(result, "pool")
    assert (part.action, part.given) == ("failed", 0)
    assert part.reason == "source 'b' failed: ConnectionError"


def broken(_request: Any) -> list[str]:
    """A retriever that cannot be reached."""
    raise ConnectionError("no network")


def left_out(result: ContextAssemblyResult) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Why each block of the pool is not placed, and the sources that offered it."""
    blocks = part_named(result, "pool").blocks
    return {block.id: (block.cause, block.sources) for block in blocks if not block.given}


@pytest.mark.parametrize("rank", [None, "recency"])
def test_what_other_sources_offered_is_accounted_for_although_one_failed(rank: str | None):
    """The pack is left out, not what was offered for it."""
    settings = {"rank": rank} if rank else {}
    retrievers = {"pool": pool("a", "b", "c", **settings), "b": broken}
    retrievers |= {"a": scored(("from a", 1.0)), "c": scored(("from c", 1.0), ("more of c", 0.5))}
    context = plan({**POOL, "on_error": "skip"}, ASK, input_budget={"max_tokens": 50})
    result = ContextAssembler({"main": context}, retrievers).assemble(
        "main", inputs={"question": "What?"}
    )
    part = part_named(result, "pool")
    assert (part.action, part.given, part.requests) == ("failed", 0, 3)
    assert left_out(result) == {
        "from a": ("failed", ("a",)),
        "from c": ("failed", ("c",)),
        "more of c": ("failed", ("c",)),
    }
    assert [(each.offered, each.failure) for each in part.sources] == [
        (1, ""),
        (0, "failed: ConnectionError"),
        (2, ""),
    ]


def test_a_source_that_is_combined_and_fails_accounts_for_what_it_was_offered():
    inner = {"name": "inner", "retriever_id": "combined", "of": ["b", "c"], "on_error": "skip"}
    retrievers = {"pool": pool("a", inner), "c": broken}
    retrievers |= {"a": scored(("from a", 1.0)), "b": scored(("from b", 1.0))}
    result = asked(retrievers)
    assert placed(result) == ["from a"]
    assert left_out(result) == {"from b": ("failed", ("inner",))}
    (_, both) = part_named(result, "pool").sources
    assert both.failure == "source 'c' failed: ConnectionError"


def test_a_later_page_that_fails_keeps_the_first_one_and_accounts_for_the_rest():
    class Failing(Shelf):
        def __call__(self, request: Any) -> Any:
            if request.offset:
                raise ConnectionError("gone")
            return super().__call__(request)

    retrievers = {"pool": pool("a", "b", limit=2)}
    retrievers |= {"a": Shelf(["a0", "a1", "a2"]), "b": Failing(["b0", "b1", "b2"])}
    context = plan(
        {**POOL, "on_error": "skip"},
        pack_budget={"default_max_tokens": 90},
        expansion={"max_pages": 3, "min_fill_ratio": 1.0},
    )
    result = ContextAssembler({"main": context}, retrievers).assemble(
        "main", inputs={"question": "What?"}
    )
    part = part_named(result, "pool")
    assert (part.action, part.reason) == ("failed", "source 'b' failed: ConnectionError")
    ids = [block.id for block in part.blocks]
    assert len(ids) == len({*ids}) == 5
    assert len(placed(result)) == sum(block.given > 0 for block in part.blocks) == 2


def test_what_an_inner_combination_leaves_out_is_in_the_receipt_once():
    """Also if another source offers the same, or other evidence has the same id."""
    inner = {"name": "inner", "retriever_id": "combined", "of": ["b", "c"], "select": "knapsack"}
    retrievers = {
        "pool": pool("a", inner),
        "a": scored(("e0", 0.5), ("same", 1.0)),
        "b": Shelf(["one of b", "same"]),
        "c": Shelf([" same", "c two"]),
    }
    result = asked(retrievers)
    part = part_named(result, "pool")
    ids = [block.id for block in part.blocks]
    assert len(ids) == len({*ids})
    texts = [text.strip() for text in placed(result)]
    assert sorted(texts) == ["c two", "e0", "one of b", "same"]
    assert sum(block.cause == "duplicate" for block in part.blocks) == len(ids) - 4
    (_, both) = part.sources
    assert [each.offered for each in both.sources] == [2, 2]
    assert sum(each.placed for each in both.sources) >= 2


def test_a_source_that_returns_far_too_much_is_read_in_part_and_reported():
    result = asked({"pool": pool("a"), "a": lambda _: [f"{n}" for n in range(1_100)]}, budget=9)
    (warning,) = result.receipt.warnings
    assert warning.startswith("source 'a' returned more than 1,000 blocks above its limit of 3")
    assert len(part_named(result, "pool").blocks) <= 1_003


def test_a_source_has_a_time_limit_of_its_own():
    def slow(_request: Any) -> list[str]:
        time.sleep(1)
        return ["late"]

    late = {"name": "slow", "on_error": "skip", "timeout_seconds": 0.05}
    result = asked({"pool": pool("a", late), "a": Shelf(["a"]), "slow": slow})
    assert placed(result) == ["a"]
    assert part_named(result, "pool").sources[1].failure == "did not answer within 0.05 s"


def test_guaranteed_blocks_stay_before_all_others():
    strong = scored(("s1", 9.0), ("s2", 8.0), ("s3", 7.0))
    weak = scored(("w1", 0.2), ("w2", 0.1))
    of = [{"name": "strong", "weight": 9}, {"name": "weak", "guarantee": 1}]
    result = asked({"pool": pool(*of, limit=3), "strong": strong, "weak": weak})
    assert placed(result) == ["w1", "s1", "s2"]
    small = asked({"pool": pool(*of), "strong": strong, "weak": weak}, budget=1)
    assert placed(small) == ["w1"]


def test_duplicates_of_sources_are_dropped_and_named():
    text = "Parcels take three days to arrive."
    sources = {"a": scored((text, 2.0)), "b": Shelf([text + " ", "More."])}
    result = asked({"pool": pool("a", "b"), **sources})
    (dropped,) = (one for one in part_named(result, "pool").blocks if one.action == "dropped")
    assert (dropped.cause, dropped.sources) == ("duplicate", ("b",))


def test_a_rank_ranks_the_blocks_of_all_sources():
    old = scored(("old", 9.0), metadata={"updated": "2020-01-01"})
    new = scored(("new", 0.1), metadata={"updated": "2030-01-01"})
    sources = {"old": old, "new": new}
    of = [{"name": "old", "weight": 5}, "new"]
    result = asked({"pool": pool(*of, rank={"similarity": 0.4, "recency": 0.6}), **sources})
    assert placed(result) == ["new", "old"]
    first = part_named(result, "pool").blocks[0]
    assert {"similarity", "recency", "new"} <= first.parts.keys()


def test_given_scores_keep_the_scale_of_the_sources():
    sources = {"tree": scored(("t1", 0.9), ("t2", 0.5)), "found": scored(("f1", 0.7), ("f2", 0.2))}
    result = asked({"pool": pool("tree", "found", fusion="given_scores"), **sources})
    assert placed(result) == ["t1", "f1", "t2", "f2"]


def test_blocks_of_other_libraries_below_the_minimum_are_left_out():
    sources = {"a": scored(("near", 0.8), ("far", 0.2)), "b": scored(("any", 17.0))}
    result = asked({"pool": pool("a", "b", min_score=0.5), **sources})
    assert sorted(placed(result)) == ["any", "near"]
    (far,) = (one for one in part_named(result, "pool").blocks if one.id == "far")
    assert far.reason == "its similarity 0.20 is below min_score of 0.5"


@given(
    scores=st.lists(st.floats() | st.none(), min_size=1, max_size=5),
    others=st.lists(st.floats(), max_size=5),
    fusion=st.sampled_from(
        ["reciprocal_rank", "given_scores", "standard_scores", "weighted_scores"]
    ),
    rank=st.sampled_from([None, "similarity"]),
    weight=st.floats(1e-6, 1e6),
)
def test_any_scores_are_ranked_and_reported(
    scores: list[Any], others: list[float], fusion: str, rank: str | None, weight: float
):
    """Infinities and other numbers that JSON does not have never reach the receipt."""
    one = Shelf([{"text": f"a{at}", "score": score} for at, score in enumerate(scores)])
    two = Shelf([{"text": f"b{at}", "score": score} for at, score in enumerate(others)])
    of = [{"name": "one", "weight": weight}, "two"]
    settings = {"fusion": fusion, "limit": 3, **({"rank": rank} if rank else {})}
    result = asked({"pool": pool(*of, **settings), "one": one, "two": two})
    said = result.receipt.model_dump_json()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(said, parse_constant=refuse)
    assert len(placed(result)) == min(3, len(scores) + min(3, len(others)))


def test_settings_of_the_ranking_are_filled_for_each_call():
    note = scored(("a note", 1.0), metadata={"kind": "note"})
    task = scored(("a task", 1.0), metadata={"kind": "task"})
    rank = {"kinds": {"priorities": {}, "preferred": ["{input.kind}"]}}
    context = plan(POOL, input_budget={"max_tokens": 50}, pack_budget={"default_ratio": 1.0})
    retrievers = {"pool": pool("note", "task", rank=rank), "note": note, "task": task}
    assembler = ContextAssembler({"main": context}, retrievers)
    for kind in ("note", "task"):
        result = assembler.assemble("main", inputs={"kind": kind, "query": "What?"})
        assert placed(result)[0] == f"a {kind}"


def test_a_long_block_is_shortened_and_says_where_the_rest_is():
    long = scored((words(90, "long"), 1.0), source="guide.md")
    cap = {"share": 0.25, "cut_note": "(see {source})"}
    result = asked(
        {
            "pool": pool({"name": "a", "weight": 2}, "b", item_cap=cap),
            "a": long,
            "b": Shelf(["short"]),
        },
        budget=80,
    )
    first, second = placed(result)
    assert first.endswith("(see guide.md)")
    assert (len(first.split()) <= 20, second) == (True, "short")


def test_the_order_of_answers_never_matters():
    def late(seconds: float, name: str) -> Any:
        async def answer(_request: Any) -> list[str]:
            await asyncio.sleep(seconds)
            return [f"{name}{number}" for number in range(3)]

        return answer

    fingerprints = set()
    for delays in ((0.0, 0.02, 0.04), (0.04, 0.02, 0.0)):
        sources = {name: late(each, name) for name, each in zip("abc", delays, strict=True)}
        fingerprints.add(asked({"pool": pool(*"abc"), **sources}).fingerprint)
    assert len(fingerprints) == 1


def test_pages_continue_where_the_last_one_ended():
    sources = {"a": Shelf([f"a{n}" for n in range(5)]), "b": Shelf([f"b{n}" for n in range(5)])}
    result = asked(
        {"pool": pool("a", "b", limit=2), **sources},
        expansion={"max_pages": 10, "min_fill_ratio": 1.0},
        pack_budget={"default_max_tokens": 100},
    )
    assert sorted(placed(result)) == sorted(f"{name}{n}" for name in "ab" for n in range(5))
    blocks = part_named(result, "pool").blocks
    assert len({block.id for block in blocks}) == len(blocks) == 10


def test_a_combined_retriever_fills_its_share():
    """Sources that fill shares are asked for the share; what others leave is asked for again."""
    sources = {name: Shelf([f"{name}{n} {words(8)}" for n in range(3)]) for name in "abc"}
    result = asked({"pool": pool("a", "b", "c"), **sources}, pack_budget={"default_max_tokens": 60})
    part = part_named(result, "pool")
    assert part.given <= 60
    assert sum(block.action == "kept" for block in part.blocks) == 6
    causes = {block.cause for block in part.blocks if block.action == "dropped"}
    assert causes == {"pack_budget"}  # of equals the widest


@pytest.mark.parametrize(
    ("of", "error", "said"),
    [
        (["nobody"], UnknownNameError, "nobody"),
        (["main"], PlanError, "'main' is a context"),
        (["a", "a"], PlanError, "the source 'a' is named twice"),
        (["pool"], PlanError, "sources of each other: pool -> pool"),
        ([{"name": "a", "wieght": 2}], PlanError, "'wieght' is not an option of a source"),
        ([{"name": "a", "weight": 0}], PlanError, "greater than 0"),
        ([], PlanError, "at least 1"),
    ],
)
def test_what_cannot_be_asked_is_an_error(of: list[Any], error: type[Exception], said: str):
    with pytest.raises(error, match=said):
        asked({"pool": pool(*of), "a": Shelf(["a"])})


def test_what_cannot_be_asked_is_an_error_in_a_nested_context_too():
    inner = plan(POOL, ASK)
    contexts = {"main": plan({"type": "context", "name": "inner"}), "inner": inner}
    assembler = ContextAssembler(contexts, {"pool": pool("pool")})
    with pytest.raises(PlanError, match="sources of each other: pool -> pool"):
        assembler.assemble("main", inputs={"question": "What?"})


def test_an_override_answers_for_the_sources():
    context = plan(POOL, ASK, input_budget={"max_tokens": 200})
    assembler = ContextAssembler(
        {"main": context}, {"pool": pool("a", "b"), "a": {"config": {}}, "b": {"config": {}}}
    )
    result = assembler.assemble(
        "main",
        inputs={"question": "Why?"},
        retriever_override=lambda request: [str(request.metadata["retriever"])],
    )
    assert sorted(placed(result)) == ["a", "b"]


def test_a_retriever_can_be_asked_without_a_context():
    """Combined or not, with its settings and templates, in sync and in async code."""

    async def live(request: Any) -> list[str]:
        return [f"live: {request.query}"]

    notes = Shelf(["one", "two", "three"])
    retrievers = {
        "pool": pool("notes", {"name": "live", "guarantee": 1}, query="{input.query} now"),
        "notes": {"config": {"query": "{input.topic}"}},
        "live": live,
    }
    assembler = ContextAssembler({}, retrievers, retriever_functions={"notes": notes})
    found = assembler.retrieve("pool", "What?", inputs={"topic": "tea"})
    assert [block.text for block in found.blocks] == ["live: What? now", "one", "two"]
    assert notes.requests[0].query == "tea"
    again = asyncio.run(assembler.aretrieve("pool", "What?", inputs={"topic": "tea"}, limit=2))
    assert [block.text for block in again.blocks] == ["live: What? now", "one"]
    alone = assembler.retrieve("notes", "What?", inputs={"topic": "tea"}, limit=1)
    assert [block.text for block in alone.blocks] == ["one"]
    with pytest.raises(UnknownNameError, match="pol"):
        assembler.retrieve("pol", "What?")


@dataclass
class Source(FakeRetriever):
    """A fake that may have the ids of another one, and may fail."""

    name: str = "e"
    pairs: set[tuple[str, str]] = field(default_factory=set)
    """The ids and texts of all blocks that it returned."""

    def __call__(self, request: Any) -> Any:
        if self.manner == "failing":
            raise ConnectionError("no network")
        answer = super().__call__(request)
        return self._awaited(answer) if self.is_async else self._named(answer)

    async def _awaited(self, answer: Any) -> Any:
        return self._named(await answer)

    def _named(self, pack: Any) -> Any:
        for block in pack.blocks if pack else ():
            block.evidence_item_id = f"{self.name}-{block.evidence_item_id}"
            self.pairs.add((block.evidence_item_id, block.text))
        return pack


MANNERS = ["good", "good", "short", "none", "repeating", "too much", "raising", "failing"]
sources_of_fakes = st.lists(
    st.builds(
        Source,
        texts=st.lists(filled_texts, max_size=6),
        manner=st.sampled_from(MANNERS),
        is_async=st.booleans(),
        name=st.sampled_from("xy"),
    ),
    min_size=1,
    max_size=5,
)
settings_of_pools = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.integers(1, 5),
        "select": st.sampled_from(["knapsack", "value_per_token", "diverse_kinds"]),
        "rank": st.sampled_from(["recency", {"similarity": 1, "keyword": 2}]),
        "item_cap": st.sampled_from([0.2, 0.7]),
        "dedupe": st.booleans(),
        "min_score": st.sampled_from([0.4, 0.9]),
        "fusion": st.sampled_from(["given_scores", "standard_scores", "weighted_scores"]),
        "maximum_items_per_source": st.integers(1, 2),
        "maximum_total_characters": st.integers(1, 400),
    },
)


@st.composite
def pools(draw: st.DrawFn, names: tuple[str, ...]) -> dict[str, Any]:
    """A combination of these sources, some of them inside another one."""
    inner = draw(st.integers(0, len(names)))

    def source(name: str) -> dict[str, Any]:
        skip = draw(st.sampled_from(["skip", "skip", "fail"]))
        return {"name": name, "guarantee": draw(st.integers(0, 2)), "on_error": skip}

    of = [source(name) for name in names[inner:]]
    if inner:
        own = draw(settings_of_pools)
        below = {"retriever_id": "combined", "of": [*map(source, names[:inner])], **own}
        of.append({**source("inner"), **below})
    return pool(*of, **draw(settings_of_pools))


@settings(max_examples=5 * settings().max_examples)
@given(
    data=st.data(),
    fakes=sources_of_fakes,
    budget=st.integers(20, 300),
    pages=st.integers(1, 4),
    form=st.none() | formats(),
)
def test_the_promises_hold_of_any_combination(
    data: st.DataObject,
    fakes: list[Source],
    budget: int,
    pages: int,
    form: dict[str, Any] | None,
):
    """The budget is kept, every block offered is in the receipt once, and sync equals async."""
    retrievers: dict[str, Any] = {f"r{at}": fake for at, fake in enumerate(fakes)}
    declared = {"pool": data.draw(pools(tuple(retrievers))), **retrievers}
    directive = {**POOL, "on_error": "skip", **({"format": form} if form else {})}
    context = plan(
        directive,
        ASK,
        input_budget={"max_tokens": budget},
        expansion={"max_pages": pages},
        pack_budget={"default_ratio": 0.9},
    )
    assembler = ContextAssembler({"main": context}, declared)
    call = {"inputs": {"question": "What?", "q": "Why?"}, "now": datetime(2026, 1, 1, tzinfo=UTC)}
    result = assembler.assemble("main", **call)
    assert result.token_count <= budget
    part = part_named(result, "pool")
    ids = [block.id for block in part.blocks]
    assert len(ids) == len({*ids})
    assert part.given <= (part.share or budget)
    offered = {pair for fake in fakes for pair in fake.pairs}
    assert len(ids) >= len(offered)
    if all(source.name != "inner" for source in part.sources):
        assert len(ids) == len(offered)
        names = {source.name for source in part.sources if source.offered}
        assert {name for block in part.blocks for name in block.sources} == names
    given = {name for block in part.blocks if block.given for name in block.sources}
    assert {source.name for source in part.sources if source.placed} == given
    again = asyncio.run(assembler.aassemble("main", **call))
    assert again.fingerprint == result.fingerprint


def test_a_selection_counts_what_the_format_adds_to_each_block():
    """With its fence, a word takes four tokens: eight of them leave too little for the long block."""
    short, long = scored(*((f"short{n}", 0.5) for n in range(8))), scored((words(30), 0.9))
    settings = {"fusion": "given_scores", "select": "value_per_token", "limit": 9}
    declared = pool({"name": "short", "limit": 8}, "long", **settings)
    retrievers = {"pool": declared, "short": short, "long": long}
    context = plan({**POOL, "format": {"fence": True}}, pack_budget={"default_max_tokens": 40})
    result = ContextAssembler({"main": context}, retrievers).assemble(
        "main", inputs={"question": "?"}
    )
    blocks = part_named(result, "pool").blocks
    assert [each.score for each in blocks if each.given] == [0.5] * 8
    (left_out,) = (each for each in blocks if not each.given)
    assert left_out.reason == "pack budget of 40 tokens is spent"
