"""How much of its score a block lends to those around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Kernel:
    """`weight * decay ** (distance - 1)` of a score, up to `reach` places away, on both sides.

    >>> Kernel(0.6, 0.5, 4).lent(2)
    0.3
    """

    weight: float
    decay: float
    reach: int

    def lent(self, distance: int) -> float:
        """The share of its score that a block lends to one so far away."""
        return self.weight * self.decay ** (distance - 1) if 1 <= distance <= self.reach else 0.0


TURNS: Final = Kernel(weight=0.6, decay=0.88, reach=12)
"""For turns: they are short, and a subject goes on for many of them."""
BLOCKS: Final = Kernel(weight=0.3, decay=0.5, reach=2)
"""For the blocks of a document, each of which can be read alone."""
