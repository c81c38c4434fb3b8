"""The most recently used values are kept, up to the limit."""

from __future__ import annotations

from biblicus_context.base.bounded_memory import BoundedMemory


def test_the_least_recently_used_value_is_forgotten_first():
    memory = BoundedMemory[str, int](2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c")) == (1, None, 3)


def test_a_new_value_replaces_the_old_one():
    memory = BoundedMemory[str, str](2, lambda _, value: len(value))
    memory.put("a", "1")
    memory.put("a", "2")
    memory.put("b", "3")
    assert (memory.get("a"), memory.get("b")) == ("2", "3")


def test_the_limit_holds_for_the_sum_of_sizes():
    memory = BoundedMemory[str, str](5, lambda _, value: len(value))
    computed: list[str] = []

    def value(key: str) -> str:
        def compute() -> str:
            computed.append(key)
            return key * 2

        return memory.get_or_compute(key, compute)

    assert [value(key) for key in "abaca"] == [key * 2 for key in "abaca"]
    assert computed == ["a", "b", "c"]
    value("b")
    assert computed == ["a", "b", "c", "b"]


def test_a_value_that_two_threads_compute_is_kept_once():
    memory = BoundedMemory[str, str](10)
    assert memory.get_or_compute("a", lambda: memory.get_or_compute("a", lambda: "1st")) == "1st"
    assert memory.get_or_compute("a", lambda: "2nd") == "1st"


def test_a_value_above_the_limit_is_not_kept_and_drops_no_other():
    memory = BoundedMemory[str, str](2, lambda _, value: len(value))
    memory.put("b", "12")
    assert memory.get_or_compute("a", lambda: "123") == "123"
    assert (memory.get("a"), memory.get("b")) == (None, "12")


def test_a_forgotten_value_is_gone():
    memory = BoundedMemory[str, int](2)
    memory.put("a", 1)
    memory.forget("a")
    memory.forget("b")
    assert memory.get("a") is None
