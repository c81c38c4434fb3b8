"""What every embedder does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

STATIC: Final = 0.7
"""The weight of vectors that are the mean of a text's words."""
CONTEXTUAL: Final = 1.5
"""The weight of vectors of a model that reads a text as a whole."""

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

    @property
    def vector_weight(self) -> float:
        """What its vectors count in a hybrid search where words count 1, unless a plan says it."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order."""

    def embed_query(self, text: str) -> Vectors:
        """One vector, for a question rather than a passage."""
