"""A model that reads each text as a whole: its tokens, in batches, through a small BERT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.bert import Tokens, batches
from biblicus_context.embedders.embedder import Vectors
from biblicus_context.embedders.wheel_files import Tensor

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_AT_ONCE: Final = 1024
"""Tokens of one batch; more do not fit the processor's cache."""


class ContextualModel(NamedTuple):
    """A tokenizer, and what turns a batch of tokenized texts into one row each."""

    tokenizer: AnyTokenizer
    read: Callable[[Sequence[Tokens]], Tensor]
    dimensions: int
    most_tokens: int
    """Tokens that the model can read; only the beginning of a longer text counts."""

    def rows(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text."""
        tokens = self._tokens(texts) if texts else []
        rows: Vectors = numpy().empty((len(texts), self.dimensions), dtype="float32")
        for batch in batches([len(each) for each in tokens], _AT_ONCE):
            rows[batch] = self.read([tokens[number] for number in batch])
        return rows

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text, with the marks of beginning and end."""
        ids, offsets = self.tokenizer.encode_batch_flat(list(texts))
        np = numpy()
        every, borders = np.frombuffer(ids, "<u4").tolist(), np.frombuffer(offsets, "<u8").tolist()
        return [self._cut(every[start:end]) for start, end in pairwise(borders)]

    def _cut(self, tokens: list[int]) -> list[int]:
        if len(tokens) <= self.most_tokens:
            return tokens
        return [*tokens[: self.most_tokens - 1], tokens[-1]]
