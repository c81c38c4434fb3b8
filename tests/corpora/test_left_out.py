"""What a search leaves out is in the receipt with its cause, whichever kind of retriever was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.assembly.result.receipt import ReceiptBlock
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.corpora import Corpus
from tests.corpora.conftest import write_notes

LARGE = {"input_budget": {"max_tokens": 4000}, "pack_budget": {"default_ratio": 1.0}}
QUESTION = "water for green tea, a rubber patch and the roses"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_notes(tmp_path_factory.mktemp("left_out") / "notes")
    (root / "again.md").write_text((root / "bread.md").read_text("utf-8"), "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
    return root


def asked(
    folder: Path, config: dict[str, Any], policy: dict[str, Any] | None = None
) -> ContextAssemblyResult:
    own = {} if config.get("retriever_id") == "combined" else {"corpus": "notes"}
    usual = {"retriever_id": "hybrid", "query": "{input.question}"}
    ask = ContextAssembler(
        {"ask": {"policy": policy or LARGE, "messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {**own, "config": {**usual, **config}}},
        {"notes": {"config": {"root": str(folder)}}},
    )
    return ask.assemble("ask", inputs={"question": QUESTION})


def combined(config: dict[str, Any]) -> dict[str, Any]:
    """The same settings above a source that leaves nothing out."""
    source = {"retriever_id": "hybrid", "corpus": "notes", "dedupe": False, "limit": 20}
    return {"retriever_id": "combined", "of": [source], **config}


def rows(result: ContextAssemblyResult) -> dict[str, ReceiptBlock]:
    found = {each.id: each for each in result.receipt.parts[0].blocks}
    assert len(found) == len(result.receipt.parts[0].blocks), "each block once"
    return found


@pytest.mark.parametrize(
    ("config", "policy", "cause", "figure"),
    [
        ({"min_score": 0.9}, LARGE, "min_score", None),
        ({"min_score": {"best": 1.0}}, LARGE, "min_score", None),
        ({"maximum_items_per_source": 1}, LARGE, "limit", 1),
        ({}, LARGE, "duplicate", None),
        ({"maximum_total_characters": 90}, LARGE, "maximum_total_characters", 90),
        ({}, {**LARGE, "input_budget": {"max_tokens": 40}}, "input_budget", 40),
        (
            {"select": {"type": "diverse_kinds", "share": 0.01, "strict": True}},
            LARGE,
            "select",
            None,
        ),
    ],
)
def test_each_setting_that_leaves_a_block_out_is_its_cause(
    folder: Path,
    config: dict[str, Any],
    policy: dict[str, Any],
    cause: str,
    figure: int | None,
) -> None:
    result = asked(folder, config, policy)
    found = [each for each in rows(result).values() if each.cause == cause and not each.given]
    assert found, [(each.id, each.cause) for each in rows(result).values()]
    assert all(each.figure == figure for each in found if figure is not None)
    assert all(each.reason for each in found)


@pytest.mark.parametrize("kind", ["one", "combined"])
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    config=st.fixed_dictionaries(
        {},
        optional={
            "rank": st.sampled_from([{"similarity": 1}, {"position": 1, "keyword": 2}]),
            "dedupe": st.sampled_from([True, False]),
            "maximum_items_per_source": st.sampled_from([1, 2]),
            "select": st.sampled_from(["knapsack", "value_per_token", "marginal_relevance"]),
            "item_cap": st.sampled_from([0.2, 0.5]),
            "maximum_total_characters": st.sampled_from([50, 200]),
        },
    ),
    tokens=st.sampled_from([30, 80, 4000]),
)
def test_whatever_is_found_is_placed_or_has_a_cause(
    folder: Path, kind: str, config: dict[str, Any], tokens: int
) -> None:
    policy = {**LARGE, "input_budget": {"max_tokens": tokens}}
    result = asked(folder, config if kind == "one" else combined(config), policy)
    everything = {*rows(asked(folder, {"dedupe": False}))}
    found = rows(result)
    assert everything == {*found}
    assert all(each.given or each.cause for each in found.values())


def test_a_pack_of_which_all_is_below_the_floor_names_the_floor(folder: Path) -> None:
    part = asked(folder, {"min_score": {"best": 1.0}}).receipt.parts[0]
    assert (part.given, part.cause) == (0, "min_score")
    assert {each.cause for each in part.blocks} == {"min_score"}


def test_of_many_hits_below_the_floor_the_first_hundred_are_named(tmp_path: Path) -> None:
    lines = [f"# Note {n}\n\nThe lamp number {n} burns.\n" for n in range(150)]
    root = tmp_path / "notes"
    root.mkdir()
    for number, text in enumerate(lines):
        (root / f"{number}.md").write_text(text, "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
    config = {"retriever_id": "keyword", "min_score": 1.0}
    assert len(rows(asked(root, {**config, "query": "lamp and oil"}))) == 100
