"""A BERT in CTranslate2, with weights of 8 bits: three times as fast as numpy, for almost the same vectors.

The model is built in memory from the weights that numpy would use: no converter is needed and no file
is written. The layout of its bytes is private to the library, so one known vector is compared by a test.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final, TypeAlias

from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.bert import Bert, Dense, Norm, Tokens
from biblicus_context.embedders.wheel_files import Tensor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Array: TypeAlias = NDArray[np.generic]

Firsts: TypeAlias = Callable[[Sequence[Tokens]], Tensor]
"""Returns the vector of the first token of each text."""

_VERSION: Final = 6
"""Of the library's files."""
_SPEC: Final = b"TransformerEncoderSpec"
_REVISION: Final = 1
_KINDS: Final = {"float32": 0, "int8": 1, "int16": 2}
_GELU: Final = 3
_ADDED: Final = 1
_LARGEST: Final = 127
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


def compiled(bert: Bert) -> Firsts | None:
    """The model in CTranslate2; None where that is not installed or cannot be loaded.

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
            "model.bin": _file(bert),
            "config.json": BytesIO(_CONFIG),
            "vocabulary.json": BytesIO(_VOCABULARY),
        },
    )

    def firsts(texts: Sequence[Tokens]) -> Tensor:
        found = encoder.forward_batch([list(each) for each in texts])
        rows: Tensor = np.asarray(found.last_hidden_state)[:, 0]
        return rows

    return firsts


def _file(bert: Bert) -> BytesIO:
    """The model as the library's own converter writes it."""
    values = dict(_values(bert))
    out = BytesIO()
    out.write(struct.pack("<I", _VERSION) + _text(_SPEC))
    out.write(struct.pack("<II", _REVISION, len(values)))
    for name, value in sorted(values.items()):
        out.write(_text(name.encode()) + struct.pack("<B", value.ndim))
        out.write(struct.pack(f"<{value.ndim}I", *value.shape))
        out.write(struct.pack("<BI", _KINDS[value.dtype.name], value.nbytes))
        out.write(value.tobytes())
    out.write(struct.pack("<I", 0))  # no other names for any of them
    out.seek(0)
    return out


def _values(bert: Bert) -> Iterator[tuple[str, _Array]]:
    np = numpy()
    yield from _rounded("encoder/embeddings_0/weight", bert.words)
    yield "encoder/position_encodings/encodings", bert.places
    yield from _norm("encoder/layernorm_embedding", bert.norm)
    for number, layer in enumerate(bert.layers):
        at = f"encoder/layer_{number}"
        yield from _dense(f"{at}/self_attention/linear_0", layer.attention)
        yield from _dense(f"{at}/self_attention/linear_1", layer.gathered)
        yield from _norm(f"{at}/self_attention/layer_norm", layer.first_norm)
        yield from _dense(f"{at}/ffn/linear_0", layer.wide)
        yield from _dense(f"{at}/ffn/linear_1", layer.narrow)
        yield from _norm(f"{at}/ffn/layer_norm", layer.second_norm)
    yield "encoder/num_heads", np.asarray(np.int16(bert.layers[0].heads))
    flags = {"pre_norm": 0, "activation": _GELU, "scale_embeddings": 0, "embeddings_merge": _ADDED}
    for name, value in flags.items():
        yield f"encoder/{name}", np.asarray(np.int8(value))


def _dense(name: str, dense: Dense) -> Iterator[tuple[str, _Array]]:
    yield from _rounded(f"{name}/weight", dense.matrix.T)
    yield f"{name}/bias", dense.row


def _norm(name: str, norm: Norm) -> Iterator[tuple[str, _Array]]:
    yield f"{name}/gamma", norm.scale
    yield f"{name}/beta", norm.move


def _rounded(name: str, rows: Tensor) -> Iterator[tuple[str, _Array]]:
    """Numbers of 8 bits with one scale for each row: tokens get theirs when they are read."""
    np = numpy()
    scale = _LARGEST / np.maximum(np.abs(rows).max(axis=1), 1e-9)
    scaled = rows * scale[:, None]
    yield name, np.rint(scaled, out=scaled).astype(np.int8)
    yield f"{name}_scale", scale.astype(np.float32)


def _text(value: bytes) -> bytes:
    return struct.pack("<H", len(value) + 1) + value + b"\0"
