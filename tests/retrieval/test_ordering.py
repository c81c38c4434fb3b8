"""A caller orders results by a function of its own."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import InputError
from biblicus_context.retrieval import ordered_by


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (sorted, [1, 2, 3]),
        (reversed, [2, 1, 3]),
        (lambda found: found[:1], [3]),
        (lambda found: (10 * each for each in found), [30, 10, 20]),
        (lambda _: [], []),
    ],
)
def test_the_order_is_that_of_the_function(function: Any, expected: list[int]):
    found = [3, 1, 2]
    assert ordered_by(function, found) == expected
    assert found == [3, 1, 2]


@pytest.mark.parametrize("function", [lambda found: found.sort(), lambda _: 7.5, lambda _: "abc"])
def test_what_returns_something_else_is_refused(function: Any):
    with pytest.raises(InputError, match="a ranker returns the results it gets"):
        ordered_by(function, [3, 1, 2])
