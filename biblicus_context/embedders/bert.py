"""A small BERT in numpy: the vectors of torch, in the same time on a CPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any, Self, TypeAlias

from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.wheel_files import Tensor

Tokens: TypeAlias = Sequence[int]

_TOO_SMALL = 1e-12
_FAR_BELOW = -1e9
_ROWS_AT_ONCE = 128
"""Rows per step: few enough for the processor's cache during a function of many steps."""
_CUBIC = 0.044715
_SLOPE = (2 / pi) ** 0.5


@dataclass(frozen=True, slots=True)
class Dense:
    """Return every row times a matrix, plus a row."""

    matrix: Tensor
    row: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        found: Tensor = rows @ self.matrix
        found += self.row
        return found


@dataclass(frozen=True, slots=True)
class Norm:
    """Bring every row to mean 0 and variance 1, then scale and shift it, in place."""

    scale: Tensor
    move: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        np = numpy()
        rows -= rows.mean(axis=-1, keepdims=True)
        rows /= np.sqrt((rows * rows).mean(axis=-1, keepdims=True) + _TOO_SMALL)
        rows *= self.scale
        rows += self.move
        return rows


@dataclass(frozen=True, slots=True)
class BertLayer:
    """One layer: attention to the other tokens, then a step for each token alone."""

    heads: int
    attention: Dense
    """Queries, keys and values next to each other, so that one product computes all."""
    gathered: Dense
    first_norm: Norm
    wide: Dense
    narrow: Dense
    second_norm: Norm

    def __call__(self, rows: Tensor, mask: Tensor) -> Tensor:
        attended = self.gathered(self._attended(rows, mask))
        attended += rows
        rows = self.first_norm(attended)
        found = self.narrow(_gelu(self.wide(rows)))
        found += rows
        return self.second_norm(found)

    def _attended(self, rows: Tensor, mask: Tensor) -> Tensor:
        np = numpy()
        texts, length = mask.shape[0], mask.shape[-1]
        size = rows.shape[-1] // self.heads
        every = self.attention(rows).reshape(texts, length, 3, self.heads, size)
        queries, keys, values = every.transpose(2, 0, 3, 1, 4)
        weights = np.matmul(queries, keys.swapaxes(-1, -2))
        weights *= size**-0.5
        weights += mask
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed: Tensor = np.matmul(weights, values).transpose(0, 2, 1, 3)
        return mixed.reshape(rows.shape)


@dataclass(frozen=True, slots=True)
class Bert:
    """Vectors of texts from the last layer's vectors of their tokens."""

    words: Tensor
    places: Tensor
    norm: Norm
    layers: tuple[BertLayer, ...]

    @classmethod
    def of(cls, tensors: Mapping[str, Tensor], *, layers: int, heads: int) -> Self:
        """The model of these tensors, which have the names of the training library."""
        places = tensors["embeddings.position_embeddings.weight"]
        return cls(
            words=tensors["embeddings.word_embeddings.weight"],
            places=places + tensors["embeddings.token_type_embeddings.weight"][0],
            norm=_norm(tensors, "embeddings"),
            layers=tuple(_layer(tensors, f"encoder.layer.{n}", heads) for n in range(layers)),
        )

    def means(self, texts: Sequence[Tokens]) -> Tensor:
        """The mean of each text's tokens."""
        np = numpy()
        rows, there = self._read(texts)
        rows *= there[:, :, None]
        means: Tensor = rows.sum(axis=1) / there.sum(axis=1, dtype=np.float32)[:, None]
        return means

    def firsts(self, texts: Sequence[Tokens]) -> Tensor:
        """The first token of each text, which some models train to hold the whole."""
        rows, _ = self._read(texts)
        return rows[:, 0]

    def _read(self, texts: Sequence[Tokens]) -> tuple[Tensor, Any]:
        """The vectors of each text's tokens, padded to the longest, and which are there."""
        np = numpy()
        lengths = np.array([len(tokens) for tokens in texts])
        longest = int(lengths.max())
        ids = np.zeros((len(texts), longest), dtype=np.intp)
        for row, tokens in zip(ids, texts, strict=True):
            row[: len(tokens)] = tokens
        there = np.arange(longest) < lengths[:, None]
        mask = np.where(there, 0.0, _FAR_BELOW).astype(np.float32)[:, None, None, :]
        rows = (self.words[ids] + self.places[:longest]).reshape(ids.size, -1)
        rows = self.norm(rows)
        for layer in self.layers:
            rows = layer(rows, mask)
        return rows.reshape(*ids.shape, -1), there


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the indexes of texts of similar length, at most `most` tokens after padding."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[number] > most:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _gelu(rows: Tensor) -> Tensor:
    """Apply GELU in place, in its form with tanh: vectors differ in the fourth digit, in a tenth of the time."""
    np = numpy()
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = rows[start : start + _ROWS_AT_ONCE]
        inner = part * part
        inner *= np.float32(_CUBIC)
        inner += 1
        inner *= part
        inner *= np.float32(_SLOPE)
        np.tanh(inner, out=inner)
        inner += 1
        inner *= np.float32(0.5)
        part *= inner
    return rows


def _layer(tensors: Mapping[str, Tensor], name: str, heads: int) -> BertLayer:
    np = numpy()
    parts = [_dense(tensors, f"{name}.attention.self.{each}") for each in ("query", "key", "value")]
    return BertLayer(
        heads,
        Dense(
            np.concatenate([part.matrix for part in parts], axis=1),
            np.concatenate([part.row for part in parts]),
        ),
        _dense(tensors, f"{name}.attention.output.dense"),
        _norm(tensors, f"{name}.attention.output"),
        _dense(tensors, f"{name}.intermediate.dense"),
        _dense(tensors, f"{name}.output.dense"),
        _norm(tensors, f"{name}.output"),
    )


def _dense(tensors: Mapping[str, Tensor], name: str) -> Dense:
    matrix = numpy().ascontiguousarray(tensors[f"{name}.weight"].T)
    return Dense(matrix, tensors[f"{name}.bias"])


def _norm(tensors: Mapping[str, Tensor], name: str) -> Norm:
    return Norm(tensors[f"{name}.LayerNorm.weight"], tensors[f"{name}.LayerNorm.bias"])
