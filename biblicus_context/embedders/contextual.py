"""A model that reads each text as a whole: its tokens, in batches, through a small BERT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.bert import Tokens, batches
from biblicus_context.embedders.embedder import Vectors
from biblicus_context.embedders.wheel_files import Tensor
from biblicus_context.text.counters.splintr_library import encoded

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_AT_ONCE: Final = 1024
"""Tokens of one batch, after padding; more do not fit the processor's cache."""


class ContextualModel(NamedTuple):
    """A tokenizer, and what turns a batch of tokenized texts into one row each."""

    tokenizer: AnyTokenizer
    read: Callable[[Sequence[Tokens]], Tensor]
    dimensions: int
    workers: int = 1
    """How many batches it can read at once."""

    def rows(self, texts: Sequence[str], most_tokens: int) -> Vectors:
        """One row for each text; only the first tokens of a longer text count."""
        tokens = self._tokens(texts, most_tokens)
        rows: Vectors = numpy().empty((len(texts), self.dimensions), dtype="float32")

        def fill(batch: list[int]) -> None:
            rows[batch] = self.read([tokens[number] for number in batch])

        found = [*batches([len(each) for each in tokens], _AT_ONCE)]
        if self.workers == 1 or len(found) < 2:
            for batch in found:
                fill(batch)
            return rows
        with ThreadPoolExecutor(min(self.workers, len(found))) as pool:
            for _ in pool.map(fill, found):  # after an interrupt it begins no other batch
                pass
        return rows

    def _tokens(self, texts: Sequence[str], most: int) -> list[Tokens]:
        """The tokens of each text, with the marks of its beginning and end."""
        ids, borders = encoded(self.tokenizer, texts)
        every = numpy().frombuffer(ids, "<u4").tolist()
        read = (every[start:end] for start, end in pairwise(borders))
        return [own if len(own) <= most else [*own[: most - 1], own[-1]] for own in read]
