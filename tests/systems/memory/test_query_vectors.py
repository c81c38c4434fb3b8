"""Vectors of queries are made once, whoever makes them and wherever they are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from biblicus_context import EmbedderError, InputError
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.systems.memory import CacheConfig, EmbedderProvider, QueryVectors


class Provider:
    """Counts what it is asked."""

    dimensions = 1

    def __init__(self, model: str = "sizes") -> None:
        self.model = model
        self.asked: list[list[str]] = []

    async def embed(self, text: str) -> list[float]:
        self.asked.append([text])
        return [len(text)]

    async def embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append([*texts])
        return [[len(text)] for text in texts]


def of(vectors: QueryVectors, *texts: str) -> list[float]:
    return [vector[0] for vector in asyncio.run(vectors.of(texts))]


def test_only_unknown_texts_are_embedded_and_together():
    provider = Provider()
    vectors = QueryVectors(provider)
    assert of(vectors, "tea") == [3.0]
    assert of(vectors, "tea", "bread", "", "bread") == [3.0, 5.0, 0.0, 5.0]
    assert of(vectors, "bread", "tea") == [5.0, 3.0]
    assert provider.asked == [["tea"], ["bread", ""]]
    assert of(vectors) == []


def test_the_number_and_the_age_of_vectors_are_limited():
    provider = Provider()
    vectors = QueryVectors(provider, CacheConfig(max_size=2))
    for text in ("a", "b", "c", "a"):
        of(vectors, text)
    assert len(provider.asked) == 4
    old = QueryVectors(provider, CacheConfig(ttl=0.0))
    of(old, "a")
    of(old, "a")
    assert len(provider.asked) == 6


class Shared(dict[str, bytes]):
    """A cache that several processes could share."""

    def put(self, key: str, value: bytes, seconds: float) -> None:
        self[key] = value


def test_a_shared_cache_keeps_models_apart_and_half_characters_are_texts():
    cache = Shared()
    for model in ("one", "other"):
        of(QueryVectors(Provider(model), CacheConfig(cache=cache)), "tea", "\ud800")
    assert sorted(key.partition(":")[0] for key in cache) == ["one", "one", "other", "other"]


def test_an_embedder_is_a_provider():
    embedder = FunctionEmbedder(
        lambda texts: [[len(t), 1.0] for t in texts], model="m", dimensions=2
    )
    provider = EmbedderProvider(embedder)
    assert (provider.model, provider.dimensions) == ("m", 2)
    assert of(QueryVectors(provider), "tea") == [float(embedder.embed_query("tea")[0])]


class Broken(Provider):
    """Fails, or answers with what it was made with."""

    def __init__(self, answer: object = None) -> None:
        super().__init__()
        self._answer = answer

    async def embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        if self._answer is None:
            raise ConnectionError("no route to 10.0.0.1")
        return self._answer  # type: ignore[return-value] # a provider may return anything


@pytest.mark.parametrize("answer", [None, [[1.0]], [[1.0], [1.0, 2.0]], [1.0, 2.0], "ab"])
def test_a_provider_that_fails_or_returns_something_else_is_an_error(answer: object):
    vectors = QueryVectors(Broken(answer))
    with pytest.raises(EmbedderError, match="'sizes'"):
        of(vectors, "tea", "bread")
    asyncio.run(vectors.prepare(["tea", "bread"]))  # whoever needs one is told
    assert of(vectors, "tea") == [3.0]


def test_vectors_match_those_that_are_searched():
    own = FunctionEmbedder(
        lambda texts: [[len(each)] for each in texts], model="sizes", dimensions=1
    )
    assert QueryVectors.matching(None) is None
    for provider in (None, Provider()):
        found = QueryVectors.matching(own, provider, dimensions=1)
        assert found is not None
        assert len(asyncio.run(found.of(["tea"]))[0]) == 1
    with pytest.raises(InputError, match="was embedded by 'sizes': found 'other'"):
        QueryVectors.matching(own, Provider("other"))
    for searched, provider in ((own, None), (None, Provider()), (None, None)):
        with pytest.raises(InputError, match="embedding_provider: vectors of 7 dimensions"):
            QueryVectors.matching(searched, provider, dimensions=7)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_size": 0}, "max_size"),
        ({"max_size": -1}, "max_size"),
        ({"ttl": "soon"}, "ttl"),
        ({"ttl": -1}, "ttl"),
        ({"cache": 5}, "cache"),
        ({"size": 5}, "Valid: max_size, ttl, cache"),
    ],
)
def test_a_cache_that_cannot_be_meant_is_refused_where_it_is_configured(wrong, said):
    with pytest.raises(InputError, match=said):
        CacheConfig(**wrong)
    with pytest.raises(InputError, match=said):
        QueryVectors(Provider(), wrong)
    with pytest.raises(InputError, match="these are not options"):
        QueryVectors(Provider(), 5)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -float("inf"), 1e39])
def test_a_number_that_is_not_finite_is_an_error_that_names_the_provider_and_is_never_remembered(
    wrong: float,
):
    class Sick(Provider):
        async def embed(self, text: str) -> list[float]:
            await super().embed(text)
            return [wrong if len(self.asked) == 1 else 3.0]

    provider, cache = Sick(), Shared()
    vectors = QueryVectors(provider, CacheConfig(cache=cache))
    with pytest.raises(EmbedderError, match="'sizes': a number of a vector is not finite"):
        of(vectors, "tea")
    assert not cache
    assert of(vectors, "tea") == [3.0]
    assert len(provider.asked) == 2


@pytest.mark.parametrize("value", [b"", b"short", bytes(16), b"\x00" * 6 + b"\xf8\x7f", "text", 7])
def test_a_remembered_value_that_is_no_vector_of_the_model_is_embedded_again(value: object):
    cache, provider = Shared(), Provider()
    of(QueryVectors(provider, CacheConfig(cache=cache)), "tea")
    (key,) = cache
    cache[key] = value  # type: ignore[assignment] # another program wrote it
    assert of(QueryVectors(provider, CacheConfig(cache=cache)), "tea") == [3.0]
    assert len(provider.asked) == 2
    assert len(cache[key]) == 8


class Down:
    """A cache whose server is down."""

    def get(self, key: str) -> bytes | None:
        raise ConnectionError("redis://user:hunter2@cache.example")

    def put(self, key: str, value: bytes, seconds: float) -> None:
        raise ConnectionError("redis://user:hunter2@cache.example")


def test_a_cache_that_is_down_is_skipped_with_one_warning(caplog: pytest.LogCaptureFixture):
    vectors = QueryVectors(Provider(), CacheConfig(cache=Down()))
    assert [of(vectors, "tea") for _ in range(5)] == [[3.0]] * 5
    (warning,) = caplog.records
    assert "the cache of vectors Down failed: ConnectionError (" in warning.getMessage()
    assert "hunter2" not in caplog.text


def test_equal_queries_at_once_are_embedded_once():
    class Slow(Provider):
        async def embed(self, text: str) -> list[float]:
            await asyncio.sleep(0.05)
            return await super().embed(text)

    provider = Slow()
    vectors = QueryVectors(provider)

    async def main() -> list[object]:
        return [*await asyncio.gather(*(vectors.of(["tea"]) for _ in range(20)))]

    assert asyncio.run(main()) == [[(3.0,)]] * 20
    assert provider.asked == [["tea"]]
