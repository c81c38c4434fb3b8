"""Models in a wheel: only the files are used, never the wheel's code."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from biblicus_context.embedders.arrays import numpy
from biblicus_context.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Tensor: TypeAlias = "NDArray[np.float32]"


class Rounded(NamedTuple):
    """Rows of small integers, each with its scale: what a row was, times that."""

    rows: NDArray[np.int8]
    scales: Tensor


def folder_of(module: str) -> Path | None:
    """The folder of a package without importing it; None if it is not installed."""
    found = find_spec(module)
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent


def tensors(file: Path, *, extra: str) -> Mapping[str, Tensor]:
    """The tensors of a `.safetensors` file by name, without those of integers."""
    np = numpy()
    try:
        from safetensors import safe_open  # optional, and slow to load
    except ImportError:
        raise MissingExtraError("safetensors", extra) from None
    with safe_open(str(file), framework="np") as opened:
        found = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - it is not a mapping
    return {
        name: tensor.astype(np.float32)
        for name, tensor in found.items()
        if np.issubdtype(tensor.dtype, np.floating)
    }
