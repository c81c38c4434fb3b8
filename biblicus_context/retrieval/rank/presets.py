"""Rankings that have a name of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PRESETS: Final[Mapping[str, Mapping[str, float]]] = {
    "similarity": {"similarity": 1.0},
    "recency": {"similarity": 0.4, "recency": 0.6},
    "confidence": {"similarity": 0.4, "confidence": 0.6},
}
"""The weights of the components; what gives a preset its name counts most, but a match still counts."""
