"""Checking vectors and scaling them to unit length; the only file that loads numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

from biblicus_context.base.surrogates import replaced
from biblicus_context.embedders.embedder import Vectors
from biblicus_context.errors import EmbedderError, MissingExtraError

_EXTRA = "corpus"


def numpy() -> ModuleType:
    """The library; where it is missing, an error with the line that installs it."""
    try:
        import numpy as np  # optional, and slow to load
    except ImportError:
        raise MissingExtraError("numpy", _EXTRA) from None
    return np


def unit_rows(rows: object, *, count: int, dimensions: int, model: str) -> Vectors:
    """An embedder's answer for `count` texts as rows of unit length."""
    np = numpy()
    vectors = sound_rows(rows, count=count, dimensions=dimensions, model=model)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # Zeros, or numbers whose squares are too large or too small, would be found by no search.
    useless = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if useless.size:
        raise EmbedderError(
            f"embedder '{model}' returned a vector without a direction for text {useless[0] + 1} "
            f"of {count}: all its numbers are 0, or they are too large or too small"
        )
    unit: Vectors = vectors / lengths
    return unit


def sound_rows(rows: object, *, count: int, dimensions: int, model: str) -> Vectors:
    """An embedder's answer for `count` texts as rows of finite numbers; its error, if it is not."""
    np = numpy()
    try:
        with np.errstate(over="ignore"):  # too large for float32 is infinite, which is refused
            vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise EmbedderError(
            f"embedder '{model}' returned something other than vectors of numbers",
            found=type(rows).__name__,
        ) from None
    if vectors.shape != (count, dimensions) and not (count == 0 and vectors.size == 0):
        raise EmbedderError(
            f"embedder '{model}' must return {count} vectors of {dimensions} numbers",
            found=" x ".join(map(str, vectors.shape)),
        )
    if not np.isfinite(vectors).all():
        raise EmbedderError(f"embedder '{model}' returned a number that is not finite")
    found: Vectors = vectors.reshape(count, dimensions)
    return found


def filled_in(texts: Sequence[str], rows: Vectors, dimensions: int) -> Vectors:
    """Rows for all texts, from `rows` for the texts that are not blank; others get zeros."""
    np = numpy()
    vectors: Vectors = np.zeros((len(texts), dimensions), dtype=np.float32)
    spoken = [index for index, text in enumerate(texts) if text.strip()]
    vectors[spoken] = rows
    return vectors


def spoken_rows(
    texts: Sequence[str],
    read: Callable[[Sequence[str]], object],
    *,
    longest: int,
    dimensions: int,
    model: str,
) -> Vectors:
    """What `read` returns for the texts that are not blank, cut to `characters`."""
    spoken = [replaced(text[:longest]) for text in texts if text.strip()]
    rows = unit_rows(read(spoken), count=len(spoken), dimensions=dimensions, model=model)
    return filled_in(texts, rows, dimensions)


def from_bytes(data: Sequence[bytes], dimensions: int) -> Vectors:
    """Rows from the bytes of `row_bytes`."""
    np = numpy()
    rows: Vectors = np.frombuffer(b"".join(data), dtype="<f4").reshape(len(data), dimensions)
    return rows


def is_sound(row: object, dimensions: int) -> bool:
    """Whether this is a stored row of that many finite numbers: others may write to a store."""
    np = numpy()
    if not isinstance(row, bytes) or len(row) != 4 * dimensions:
        return False
    return bool(np.isfinite(np.frombuffer(row, dtype="<f4")).all())


def row_bytes(rows: Vectors) -> list[bytes]:
    """Each row as bytes, to store it."""
    np = numpy()
    return [row.tobytes() for row in np.ascontiguousarray(rows, dtype="<f4")]
