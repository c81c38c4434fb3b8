"""A BERT in CTranslate2, with weights of 8 bits: three times as fast as numpy, for almost the same vectors.

The model is built in memory from the weights that numpy would use: no converter is needed and no file
is written. The layout of its bytes is private to the library, so one known vector is compared by a test.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final, TypeAlias

from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.bert import Norm, Tokens
from biblicus_context.embedders.wheel_files import Rounded, Tensor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values: TypeAlias = Iterable[tuple[str, NDArray[np.generic]]]
    """What a model file of the library has, by the library's names."""

Firsts: TypeAlias = Callable[[Sequence[Tokens]], Tensor]
"""Returns the vector of the first token of each text."""

_VERSION: Final = 6
"""Of the library's files."""
_SPEC: Final = b"TransformerEncoderSpec"
_REVISION: Final = 1
_KINDS: Final = {"float32": 0, "int8": 1, "int16": 2}
_GELU: Final = 3
_ADDED: Final = 1
_MOST_WORKERS: Final = 8
_CONFIG: Final = (
    b'{"layer_norm_epsilon": 1e-12, "unk_token": "u", "bos_token": "u", "eos_token": "u"}'
)
_VOCABULARY: Final = b'["u"]'
"""The library wants one, and ids of tokens need none."""


def workers() -> int:
    """How many batches are read at once: one for each core that this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(usable or 1, _MOST_WORKERS)


def compiled(values: Values) -> Firsts | None:
    """A model in CTranslate2; None where that is not installed or cannot be loaded.

    It hangs in a child of the process that made it, and an empty text or a token outside of the
    vocabulary would end the process: the caller makes one for each process, and its tokenizer marks
    the beginning and end of every text.
    """
    np = numpy()  # before the library: on some machines it fails if it is loaded first
    try:
        import ctranslate2  # optional
    except (ImportError, OSError):  # not installed, or without a library of the system
        return None
    encoder = ctranslate2.Encoder(
        "granite",
        device="cpu",
        compute_type="int8_float32",
        inter_threads=workers(),
        intra_threads=1,  # of two threads for one text, each would mostly wait for the other
        files={
            "model.bin": _file(values),
            "config.json": BytesIO(_CONFIG),
            "vocabulary.json": BytesIO(_VOCABULARY),
        },
    )

    def firsts(texts: Sequence[Tokens]) -> Tensor:
        found = encoder.forward_batch([list(each) for each in texts])
        rows: Tensor = np.asarray(found.last_hidden_state)[:, 0]
        return rows

    return firsts


def _file(values: Values) -> BytesIO:
    """The model as the library's own converter writes it."""
    known = dict(values)
    out = BytesIO()
    out.write(struct.pack("<I", _VERSION) + _text(_SPEC))
    out.write(struct.pack("<II", _REVISION, len(known)))
    for name, value in sorted(known.items()):
        out.write(_text(name.encode()) + struct.pack("<B", value.ndim))
        out.write(struct.pack(f"<{value.ndim}I", *value.shape))
        out.write(struct.pack("<BI", _KINDS[value.dtype.name], value.nbytes))
        out.write(numpy().ascontiguousarray(value))
    out.write(struct.pack("<I", 0))  # no other names for any of them
    out.seek(0)
    return out


def encoder(*, words: Rounded, places: Tensor, norm: Norm, heads: int) -> Values:
    """What comes before the layers, and the settings of all."""
    np = numpy()
    yield from _rounded("encoder/embeddings_0/weight", words)
    yield "encoder/position_encodings/encodings", places
    yield from _norm("encoder/layernorm_embedding", norm)
    yield "encoder/num_heads", np.asarray(np.int16(heads))
    flags = {"pre_norm": 0, "activation": _GELU, "scale_embeddings": 0, "embeddings_merge": _ADDED}
    for name, value in flags.items():
        yield f"encoder/{name}", np.asarray(np.int8(value))


def layer(
    number: int, dense: Mapping[str, tuple[Rounded, Tensor]], norms: Mapping[str, Norm]
) -> Values:
    """One layer; products and norms have the names of the library."""
    at = f"encoder/layer_{number}"
    for name, (weights, bias) in dense.items():
        yield from _rounded(f"{at}/{name}/weight", weights)
        yield f"{at}/{name}/bias", bias
    for name, norm in norms.items():
        yield from _norm(f"{at}/{name}", norm)


def _norm(name: str, norm: Norm) -> Values:
    yield f"{name}/gamma", norm.scale
    yield f"{name}/beta", norm.move


def _rounded(name: str, weights: Rounded) -> Values:
    yield name, weights.rows
    yield f"{name}_scale", weights.scales


def _text(value: bytes) -> bytes:
    return struct.pack("<H", len(value) + 1) + value + b"\0"
