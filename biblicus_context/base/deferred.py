"""Objects that are named as `module:name`, and imported when they are first used.

A linter needs the names and the settings of retrievers, compactors and embedders, and a call needs
few of them; loading all of them took most of the time of a short command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
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


def exports(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that imports each of its names when it is used.

    `modules` has the names of each module, separated by spaces.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def attribute(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute, lambda: sorted(module_of)
