"""The protocol of embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

STATIC: Final = 0.7
"""The weight of models that average the words of a text."""
CONTEXTUAL: Final = 1.5
"""The weight of models that read a text as a whole."""
STRONG: Final = 2.5
"""The weight of those that find more alone than words do."""

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
else:
    Vectors: TypeAlias = object

ENGLISH: Final = frozenset({"en"})
"""The languages of a model that was trained on English texts."""


def languages_of(embedder: object) -> frozenset[str] | None:
    """The codes of the languages that an embedder names as `languages`; None: nobody says, so all of them."""
    named = getattr(embedder, "languages", None)
    return None if named is None else frozenset(named)


@runtime_checkable
class Embedder(Protocol):
    """Returns a vector of unit length for each text, and zeros for a blank text."""

    @property
    def model(self) -> str:
        """The name of the model; vectors of different models are never compared."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def vector_weight(self) -> float:
        """The weight of its vectors in a hybrid search, against 1 for words, unless a plan sets it."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in order."""

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, as opposed to a passage."""
