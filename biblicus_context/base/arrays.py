"""Types of numpy arrays; numpy is optional, so it is loaded only where arrays are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Integers: TypeAlias = "NDArray[np.int64]"
Numbers: TypeAlias = "NDArray[np.float64]"
Flags: TypeAlias = "NDArray[np.bool_]"
Rows: TypeAlias = "NDArray[np.float32]"
"""Embeddings, one in each row."""
