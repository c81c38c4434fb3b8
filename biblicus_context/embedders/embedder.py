"""What every embedder does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
else:
    Vectors: TypeAlias = object


@runtime_checkable
class Embedder(Protocol):
    """Gives each text a vector of unit length; a text that says nothing has a vector of zeros."""

    @property
    def model(self) -> str:
        """Names what made a vector; vectors of different models are never compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order."""

    def embed_query(self, text: str) -> Vectors:
        """One vector, for a question rather than a passage."""
