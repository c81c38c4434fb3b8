"""Columns of numbers, as types: numpy is optional, and loaded where columns are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Integers: TypeAlias = "NDArray[np.int64]"
Numbers: TypeAlias = "NDArray[np.float64]"
Flags: TypeAlias = "NDArray[np.bool_]"
Rows: TypeAlias = "NDArray[np.float32]"
"""Embeddings, one below the other."""
