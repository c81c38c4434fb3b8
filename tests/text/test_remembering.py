"""What is remembered, and for how long."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from biblicus_context.text.counters import Counter, Counters, RememberingCounter, default_counter
from biblicus_context.text.counters.count_memory import CountMemory

if TYPE_CHECKING:
    from collections.abc import Sequence


class Counting:
    """Counts words, and how often it was asked."""

    name = "counting"
    estimated = False

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        """Words of one text."""
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Words of each text."""
        self.asked.extend(texts)
        return [len(text.split()) for text in texts]


@pytest.fixture
def counting() -> Counting:
    return Counting()


def test_a_text_is_counted_once(counting: Counting) -> None:
    """The second time, and within one batch, its figure is remembered."""
    counter = RememberingCounter(counting)
    assert counter.count_many(["a b", "c", "a b"]) == [2, 1, 2]
    assert counter.count("a b") == 2
    assert counting.asked == ["a b", "c"]


def test_a_joined_text_costs_look_ups_only(counting: Counting) -> None:
    """Paragraphs that were counted with the break behind them are not counted again."""
    counter = RememberingCounter(counting, splits_at_paragraphs=True)
    parts = [f"Paragraph number {number} has a few words." for number in range(100)]
    counter.count_followed(parts, "\n\n")
    asked = len(counting.asked)
    in_parts = [one for part in parts for one in (part, "\n\n")]
    assert counter.count_joined([[*in_parts, "The end."]]) == [100 * 7 + 2]
    assert counter.count("\n\n".join([*parts, "The end."])) == 100 * 7 + 2
    assert counting.asked[asked:] == ["The end."]


def test_only_so_many_entries_are_remembered(counting: Counting) -> None:
    """What is used stays, what is not used is forgotten."""
    counter = RememberingCounter(counting, entries=10)
    for number in range(200):
        counter.count_many(["always", f"once {number}"])
    assert counting.asked.count("always") == 1
    counter.count("once 0")
    assert counting.asked.count("once 0") == 2


def test_only_so_many_characters_are_remembered() -> None:
    """A memory holds two generations of its size in characters, and nothing larger than one."""
    memory = CountMemory(entries=1_000, characters=100)
    memory.put([str(number) * 10 for number in range(1, 8)], range(1, 8))
    memory.put(["x" * 101], [1])
    for number in range(100):
        memory.put([f"{number:030}"], [number])
    assert len(memory) <= 6
    assert memory.get("x" * 101) is None


def test_what_is_remembered_is_right_under_threads() -> None:
    """Threads that count at once load a vocabulary once and agree."""
    expected = default_counter().count_many([f"text {number} " * 5 for number in range(500)])
    counter = RememberingCounter(default_counter(), entries=50)
    results: list[list[int]] = []

    def work() -> None:
        for _ in range(5):
            results.append(counter.count_many([f"text {number} " * 5 for number in range(500)]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 20


def test_a_remembered_text_costs_a_look_up() -> None:
    """Twelve hundred remembered texts are counted at least ten times as fast as again."""
    texts = [
        f"{number} " + "some words of a message that somebody wrote " * 9 for number in range(1_200)
    ]
    counter: Counter = RememberingCounter(Counters().get("o200k_base"))
    cold = _fastest(
        lambda: RememberingCounter(Counters().get("tiktoken:o200k_base")).count_many(texts), 1
    )
    counter.count_many(texts)
    assert _fastest(lambda: counter.count_many(texts), 5) < cold / 10


def _fastest(work: object, times: int) -> float:
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()  # type: ignore[operator]
        best = min(best, time.perf_counter() - begin)
    return best
