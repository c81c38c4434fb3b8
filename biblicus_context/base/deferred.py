"""Objects that are named as `module:name`, and imported when they are first used.

A linter needs the names and the settings of retrievers, compactors and embedders, and a call needs
few of them; loading all of them took most of the time of a short command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any


class Imported(Mapping[str, Any]):
    """Objects by name; each is imported when it is first read.

    >>> shapes = Imported({"part": "fractions:Fraction", "exact": "decimal:Decimal"})
    >>> list(shapes), shapes["part"](1, 2)
    (['part', 'exact'], Fraction(1, 2))
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def __getitem__(self, name: str) -> Any:
        return resolve_name(self._names[name])

    def __contains__(self, name: object) -> bool:
        return name in self._names  # that of a Mapping would import it

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function that is imported when it is first called.

    >>> Deferred("math:sqrt")(9)
    3.0
    """

    name: str

    def __call__(self, *args: Any, **options: Any) -> Any:
        return resolve_name(self.name)(*args, **options)
