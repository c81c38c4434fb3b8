"""What was used last is kept, and no more than that."""

from __future__ import annotations

from biblicus_context.corpora.search.remembered import Remembered


def test_the_value_not_used_for_longest_goes_first():
    last = Remembered[str, int](most=2)
    last.put("a", 1)
    last.put("b", 2)
    assert last.get("a") == 1
    last.put("c", 3)
    assert (last.get("a"), last.get("b"), last.get("c")) == (1, None, 3)


def test_a_new_value_takes_the_place_of_the_old_one():
    last = Remembered[str, int]()
    last.put("a", 1)
    last.put("a", 2)
    assert last.get("a") == 2
