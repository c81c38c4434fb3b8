"""The names of a package, each imported when it is first used.

Importing one of our rooms loads no engine: a linter needs the settings of retrievers, and no store.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections.abc` take longer than all of this
    from collections.abc import Callable, Mapping


def exports(
    package: str, modules: Mapping[str, str], moved: Mapping[str, str] | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package.

    `modules` has the names of each of its modules, separated by spaces; `moved` those that used to be
    here of each package that has them now, as `old=new` where the name is another one.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}
    moved_to = {
        old: f"{new or old} from {package}.{place}"
        for place, names in (moved or {}).items()
        for old, _, new in (name.partition("=") for name in names.split())
    }
    names = sorted(module_of)

    def attribute(name: str) -> object:
        if name in moved_to:
            # `from ... import` hides the text of an AttributeError.
            raise ImportError(f"'{name}' has moved: import {moved_to[name]}")
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute, lambda: names, names
