"""Relations are followed step by step, and each thing is reached once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from biblicus_context.systems.memory import breadth_first

NEAR = {
    "a": ["b", "c"],
    "b": ["a", "d"],
    "c": ["d"],
    "d": ["a", "e"],
    "hub": [f"n{n}" for n in range(500)],
}


def walked(*starts: str, depth: int) -> list[list[tuple[str, int]]]:
    async def ask(names: Sequence[str]) -> list[list[str]]:
        assert names
        return [NEAR.get(name, []) for name in names]

    return asyncio.run(breadth_first(starts, ask, lambda each: each, depth))


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (0, []),
        (1, [("b", 1), ("c", 1)]),
        (2, [("b", 1), ("c", 1), ("d", 2)]),
        (9, [("b", 1), ("c", 1), ("d", 2), ("e", 3)]),
    ],
)
def test_what_is_reached_has_its_number_of_steps(depth: int, expected: list[tuple[str, int]]):
    assert walked("a", depth=depth) == [expected]


def test_starts_are_not_reached_from_each_other():
    assert walked("a", "d", depth=1) == [[("b", 1), ("c", 1)], [("e", 1)]]
    assert walked(depth=3) == []


def test_what_is_reached_in_all_is_limited():
    assert len(walked("hub", depth=2)[0]) == 100
