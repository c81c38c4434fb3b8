"""The small BERT is what its definition says, whatever texts are read together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings, strategies as st

from biblicus_context.embedders.bert import Bert, batches
from biblicus_context.embedders.wheel_files import Tensor

WORDS, PLACES, SIZE, WIDE, LAYERS, HEADS = 30, 40, 12, 24, 2, 3
DICE = np.random.default_rng(7)
PARTS = {
    "attention.self.query": (SIZE, SIZE),
    "attention.self.key": (SIZE, SIZE),
    "attention.self.value": (SIZE, SIZE),
    "attention.output.dense": (SIZE, SIZE),
    "intermediate.dense": (WIDE, SIZE),
    "output.dense": (SIZE, WIDE),
}


def numbers(*shape: int) -> Tensor:
    return DICE.normal(size=shape).astype(np.float32)


def weights() -> dict[str, Tensor]:
    """A model of the same build as MiniLM, in which every number counts."""
    found = {
        "embeddings.word_embeddings.weight": numbers(WORDS, SIZE),
        "embeddings.position_embeddings.weight": numbers(PLACES, SIZE),
        "embeddings.token_type_embeddings.weight": numbers(2, SIZE),
    }
    norms = ["embeddings"]
    for layer in (f"encoder.layer.{n}" for n in range(LAYERS)):
        norms += [f"{layer}.attention.output", f"{layer}.output"]
        for part, shape in PARTS.items():
            found[f"{layer}.{part}.weight"] = numbers(*shape)
            found[f"{layer}.{part}.bias"] = numbers(shape[0])
    for norm in norms:
        found[f"{norm}.LayerNorm.weight"] = numbers(SIZE)
        found[f"{norm}.LayerNorm.bias"] = numbers(SIZE)
    return found


MODEL = weights()
BERT = Bert.of(MODEL, layers=LAYERS, heads=HEADS)
TEXTS = st.lists(
    st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=9), min_size=1, max_size=5
)


def read_slowly(text: Sequence[int]) -> Tensor:
    """Each token's vector by its definition, for one text, in numbers of double length."""
    model = {name: tensor.astype(np.float64) for name, tensor in MODEL.items()}

    def dense(name: str, rows):
        return rows @ model[f"{name}.weight"].T + model[f"{name}.bias"]

    def norm(name: str, rows):
        centred = rows - rows.mean(axis=1, keepdims=True)
        unit = centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-12)
        return unit * model[f"{name}.LayerNorm.weight"] + model[f"{name}.LayerNorm.bias"]

    rows = np.array([model["embeddings.word_embeddings.weight"][token] for token in text])
    rows = rows + model["embeddings.position_embeddings.weight"][: len(text)]
    rows = norm("embeddings", rows + model["embeddings.token_type_embeddings.weight"][0])
    for layer in (f"encoder.layer.{n}" for n in range(LAYERS)):
        asked, offered, taken = (
            np.split(dense(f"{layer}.attention.self.{part}", rows), HEADS, axis=1)
            for part in ("query", "key", "value")
        )
        heads = []
        for head in range(HEADS):
            likeness = np.exp(asked[head] @ offered[head].T / math.sqrt(SIZE / HEADS))
            heads.append(likeness / likeness.sum(axis=1, keepdims=True) @ taken[head])
        mixed = dense(f"{layer}.attention.output.dense", np.concatenate(heads, axis=1))
        rows = norm(f"{layer}.attention.output", mixed + rows)
        wide = dense(f"{layer}.intermediate.dense", rows)
        bent = wide * (1 + np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3))) / 2
        rows = norm(f"{layer}.output", dense(f"{layer}.output.dense", bent) + rows)
    return rows


@settings(max_examples=60, deadline=None)
@given(texts=TEXTS)
def test_each_text_is_read_as_the_definition_says(texts: list[list[int]]):
    found = BERT.means(texts)
    assert found.dtype == np.float32
    assert np.allclose(found, [read_slowly(text).mean(axis=0) for text in texts], atol=2e-4)


@settings(max_examples=60, deadline=None)
@given(texts=TEXTS)
def test_the_first_token_of_each_text_is_read_as_the_definition_says(texts: list[list[int]]):
    assert np.allclose(BERT.firsts(texts), [read_slowly(text)[0] for text in texts], atol=2e-4)


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS)
def test_company_does_not_change_a_text(texts: list[list[int]]):
    together = BERT.means(texts)
    for text, row in zip(texts, together, strict=True):
        assert np.allclose(BERT.means([text])[0], row, atol=1e-4)


def test_the_weights_stay_as_they_are():
    before = {name: tensor.copy() for name, tensor in MODEL.items()}
    BERT.means([[1, 2, 3] * 12] * 20)
    assert all(np.array_equal(before[name], tensor) for name, tensor in MODEL.items())


@given(lengths=st.lists(st.integers(1, 300)), most=st.integers(1, 2000))
def test_every_text_is_in_one_batch_and_no_batch_is_too_large(lengths: list[int], most: int):
    found = [*batches(lengths, most)]
    assert sorted(number for batch in found for number in batch) == [*range(len(lengths))]
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[n] for n in batch) <= most
