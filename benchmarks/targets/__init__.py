"""The engine's own targets: each a measured figure next to the bound it has to keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """One figure; without a bound it is only reported."""

    name: str
    measured: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    design: str = ""
    """What the published design of a system asks for."""

    @property
    def holds(self) -> bool:
        over = self.at_most is not None and self.measured > self.at_most
        under = self.at_least is not None and self.measured < self.at_least
        return not (over or under)
