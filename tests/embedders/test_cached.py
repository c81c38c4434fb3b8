"""What has been embedded is remembered."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biblicus_context import EmbedderError
from biblicus_context.embedders import CachedEmbedder, FunctionEmbedder
from biblicus_context.embedders.cached import CacheStatistics


class Counting:
    """An embedder of two numbers that keeps what it was asked for."""

    def __init__(self, model: str = "m", angle: float = 0.0) -> None:
        self.asked: list[str] = []
        self.embedder = FunctionEmbedder(self._rows, model=model, dimensions=2, query=self._queries)
        self._angle = angle

    def _rows(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [[np.cos(len(t) + self._angle), np.sin(len(t) + self._angle)] for t in texts]

    def _queries(self, texts: list[str]) -> list[list[float]]:
        self.asked += [f"? {text}" for text in texts]
        return [[0.0, 1.0] for _ in texts]


class Memory:
    """Vectors in a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, bytes], bytes] = {}

    def remembered(self, model: str, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        return {key: self.rows[model, key] for key in keys if (model, key) in self.rows}

    def remember(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        self.rows.update({(model, key): row for key, row in vectors.items()})


def test_a_text_is_embedded_once() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner.embedder)
    first = cached.embed(["a", "bb", "a"])
    second = cached.embed(["bb", "ccc"])
    assert inner.asked == ["a", "bb", "ccc"]
    assert np.array_equal(first[1], second[0])
    assert (cached.statistics.hits, cached.statistics.misses) == (2, 3)
    assert cached.statistics.hit_rate == pytest.approx(0.4)


def test_a_question_is_not_answered_with_the_vector_of_a_passage() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner.embedder)
    cached.embed(["a"])
    assert cached.embed_query("a") == pytest.approx([0, 1])
    cached.embed_query("a")
    assert inner.asked == ["a", "? a"]


def test_memory_is_bounded_and_the_oldest_goes_first() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner.embedder, max_bytes=2 * 2 * 4)
    cached.embed(["a", "b"])
    cached.embed(["a"])
    cached.embed(["c"])
    cached.embed(["a"])
    cached.embed(["b"])
    assert inner.asked == ["a", "b", "c", "b"]


def test_what_is_too_old_is_embedded_again() -> None:
    now = [0.0]
    inner = Counting()
    cached = CachedEmbedder(inner.embedder, max_seconds=10, clock=lambda: now[0])
    cached.embed(["a"])
    now[0] = 9
    cached.embed(["a"])
    now[0] = 11
    cached.embed(["a"])
    assert inner.asked == ["a", "a"]


def test_what_a_corpus_keeps_outlives_the_process() -> None:
    memory, first, second = Memory(), Counting(), Counting()
    before = CachedEmbedder(first.embedder, memory=memory).embed(["a", "bb"])
    after = CachedEmbedder(second.embedder, memory=memory).embed(["bb", "a"])
    assert np.array_equal(before, after[::-1])
    assert second.asked == []


@given(st.lists(st.text(max_size=3), max_size=5))
def test_models_never_see_each_others_vectors(texts: list[str]) -> None:
    memory = Memory()
    one = Counting("one")
    other = Counting("other", angle=1.0)
    CachedEmbedder(one.embedder, memory=memory).embed(texts)
    mixed = CachedEmbedder(other.embedder, memory=memory).embed(texts)
    assert np.allclose(mixed, other.embedder.embed(texts))


def test_threads_may_share_a_cache() -> None:
    cached = CachedEmbedder(Counting().embedder, max_bytes=64)
    texts = ["x" * length for length in range(1, 40)]
    expected = cached.embed(texts)
    wrong: list[object] = []

    def ask() -> None:
        for _ in range(50):
            if not np.allclose(cached.embed(texts), expected):
                wrong.append(1)

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


class Raw:
    """An embedder of a caller's that checks nothing."""

    model, dimensions, vector_weight = "raw", 2, 1.0

    def __init__(self, *answers: object) -> None:
        self.answers = [*answers]

    def embed(self, texts: Sequence[str]) -> object:
        return np.array([self.answers.pop(0)] * len(texts), dtype=np.float32)

    def embed_query(self, text: str) -> object:
        return np.array(self.answers.pop(0), dtype=np.float32)


@pytest.mark.parametrize("wrong", [[np.nan, 1.0], [np.inf, 0.0], [1.0], [1.0, 0.0, 0.0]])
def test_a_wrong_vector_is_an_error_that_names_the_embedder_and_is_never_remembered(
    wrong: list[float],
) -> None:
    memory = Memory()
    for ask in ("embed", "embed_query"):
        cached = CachedEmbedder(Raw(wrong, [0.0, 1.0]), memory=memory)  # type: ignore[arg-type]
        call = (
            cached.embed_query
            if ask == "embed_query"
            else lambda text, c=cached: c.embed([text])[0]
        )
        with pytest.raises(EmbedderError, match="embedder 'raw'"):
            call("tea")
        assert not memory.rows
        assert [*call("tea")] == [0.0, 1.0]
        memory.rows.clear()


def test_a_stored_vector_that_is_damaged_is_embedded_again() -> None:
    memory, inner = Memory(), Counting()
    CachedEmbedder(inner.embedder, memory=memory).embed(["a"])
    for row in (b"short", np.array([np.nan, 1], dtype="<f4").tobytes()):
        memory.rows = dict.fromkeys(memory.rows, row)
        CachedEmbedder(inner.embedder, memory=memory).embed(["a"])
    assert inner.asked == ["a", "a", "a"]


def test_a_memory_that_is_down_is_skipped_with_one_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Down(Memory):
        def remembered(self, model: str, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
            raise ConnectionError("secret")

        def remember(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
            raise ConnectionError("secret")

    cached = CachedEmbedder(Counting().embedder, memory=Down())
    assert [len(cached.embed([text])) for text in ("a", "b", "c")] == [1, 1, 1]
    (warning,) = caplog.records
    assert "Down failed: ConnectionError (" in warning.getMessage()


def test_threads_with_the_same_question_embed_it_once() -> None:
    asked: list[str] = []

    def slow(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        time.sleep(0.1)
        return [[0.0, 1.0] for _ in texts]

    cached = CachedEmbedder(FunctionEmbedder(slow, model="m", dimensions=2))
    threads = [Thread(target=cached.embed_query, args=("tea",)) for _ in range(20)]
    threads += [Thread(target=cached.embed, args=(["tea", "milk"],)) for _ in range(5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(asked) == ["milk", "tea", "tea"]  # a question and a passage differ
    assert cached.statistics == CacheStatistics(hits=27, misses=3)
