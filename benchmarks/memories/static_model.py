"""The embedding model that every library gets: the static model inside the wheel of wordllama."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wordllama

if TYPE_CHECKING:
    from collections.abc import Sequence

DIMENSIONS = 256


@cache
def _model() -> Any:
    place = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=place, disable_download=True)


def embedded(texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text, of length 1."""
    return _model().embed(list(texts), norm=True).tolist()
