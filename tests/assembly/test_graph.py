"""What is inside a context is counted before anything runs: packs and sources, by paths and not by names."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import ContextAssembler, PlanError
from biblicus_context.assembly.graph import DEEPEST, MOST_PACKS, extents
from tests.assembly.fakes import Shelf


def levels(count: int, width: int) -> dict[str, Any]:
    """Combined retrievers, each of which names all of the next level; and what answers in the end."""
    names = [[f"level{level}-{at}" for at in range(width)] for level in range(count + 1)]
    return {
        name: {"config": {"retriever_id": "combined", "of": names[level + 1]}}
        for level in range(count)
        for name in names[level]
    } | {name: Shelf(["Evidence."]) for name in names[count]}


def assemble(retrievers: dict[str, Any], packs: int = 1) -> str:
    plan = {"messages": [{"type": "context", "name": "level0-0"}] * packs}
    return ContextAssembler({"main": plan}, retrievers).assemble("main").system_prompt


def asked(retrievers: dict[str, Any]) -> int:
    return sum(len(each.requests) for each in retrievers.values() if isinstance(each, Shelf))


def test_sources_of_combined_retrievers_are_counted_by_paths_before_anything_runs():
    retrievers = levels(count=15, width=2)
    with pytest.raises(PlanError) as caught:
        assemble(retrievers)
    assert f"asks for {2**16 - 1:,} packs and sources" in str(caught.value)
    assert f"{MOST_PACKS:,}" in str(caught.value)
    assert asked(retrievers) == 0


def test_what_is_within_the_limit_is_asked_once_for_each_path():
    retrievers = levels(count=5, width=2)
    assert assemble(retrievers) == "Evidence."
    assert asked(retrievers) == 2**5


def test_packs_and_what_they_combine_are_counted_together():
    retrievers = levels(count=8, width=2)
    assert assemble(retrievers)
    with pytest.raises(PlanError, match="packs and sources"):
        assemble(retrievers, packs=MOST_PACKS // 2**9 + 1)


@pytest.mark.parametrize("count", [DEEPEST + 2, 200, 3_000])
def test_combined_retrievers_inside_each_other_have_a_limit(count: int):
    with pytest.raises(PlanError, match=f"more than {DEEPEST} deep") as caught:
        assemble(levels(count, width=1))
    assert "context 'main'" in str(caught.value)


def test_sixty_four_levels_can_be_asked():
    assert assemble(levels(DEEPEST, width=1)) == "Evidence."


def test_a_combined_retriever_that_is_asked_without_a_context_has_the_same_limits():
    with pytest.raises(PlanError, match="packs and sources"):
        ContextAssembler({}, levels(15, width=2)).retrieve("level0-0", "What?")


def test_a_number_of_paths_is_counted_without_walking_them():
    uses = {f"l{n}": [f"l{n + 1}"] * 10 for n in range(60)}
    found = extents(uses)
    assert found["l0"].packs == sum(10**n for n in range(1, 61))
    assert found["l0"].depth == 59
