"""What every embedder promises."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.embedders import (
    CachedEmbedder,
    Embedder,
    FunctionEmbedder,
    GraniteEmbedder,
    MiniLmEmbedder,
    OpenAICompatibleEmbedder,
    WordLlamaEmbedder,
)
from tests.embedders.fake_server import fake_server

pytestmark = pytest.mark.enable_socket

TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("a e\n\ud800🙂é漢")), max_size=40)


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0, -1.0] for text in texts]


KINDS = ["wordllama", "granite", "minilm", "openai", "function", "cached"]


@pytest.fixture(scope="module", params=KINDS)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "wordllama":
        yield WordLlamaEmbedder()
    elif request.param == "granite":
        yield GraniteEmbedder()
    elif request.param == "minilm":
        yield MiniLmEmbedder()
    elif request.param == "function":
        yield FunctionEmbedder(lengths, model="lengths", dimensions=3)
    elif request.param == "cached":
        yield CachedEmbedder(WordLlamaEmbedder())
    else:
        with (
            fake_server() as server,
            OpenAICompatibleEmbedder("m", dimensions=4, base_url=server.url) as client,
        ):
            yield client


def test_it_is_an_embedder(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.model
    assert embedder.vector_weight > 0


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30
)
@given(texts=st.lists(TEXTS, max_size=6))
def test_each_text_gets_one_row_of_unit_length_or_of_zeros(
    embedder: Embedder, texts: list[str]
) -> None:
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), embedder.dimensions)
    assert rows.dtype == np.float32
    for text, length in zip(texts, np.linalg.norm(rows, axis=1), strict=True):
        assert length == pytest.approx(1 if text.strip() else 0, abs=1e-5)


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20
)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6))
def test_a_text_has_the_same_vector_alone_and_in_company(
    embedder: Embedder, texts: list[str]
) -> None:
    together = embedder.embed(texts)
    # Whole numbers of 8 bits are rounded differently in company.
    most = 2e-2 if isinstance(embedder, GraniteEmbedder) else 1e-5
    for text, row in zip(texts, together, strict=True):
        assert np.allclose(embedder.embed([text])[0], row, atol=most)


def test_a_question_has_one_vector(embedder: Embedder) -> None:
    assert embedder.embed_query("Where is my parcel?").shape == (embedder.dimensions,)
    assert not embedder.embed_query("  ").any()


def test_a_very_long_text_is_embedded_in_bounded_time(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed(["a" * 1_000_000])).all()
