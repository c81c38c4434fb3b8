"""Documentation strings that are installed, and their sentences: the same in every process.

They are collected in a process of their own. Modules that no user of this package imports would stay
in the memory of a benchmark, and make every full collection of garbage in a measured call longer.
"""

from __future__ import annotations

import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final
from warnings import catch_warnings, simplefilter

_PACKAGES: Final = [
    "asyncio",
    "email",
    "unittest",
    "json",
    "xml",
    "logging",
    "http",
    "numpy",
    "pydantic",
]
_ROOT: Final = Path(__file__).parents[1]


@cache
def docstrings() -> tuple[str, ...]:
    """As they are written, sorted."""
    command = [sys.executable, "-m", "benchmarks.sentences"]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))


@cache
def sentences() -> tuple[str, ...]:
    """Those of 20 to 400 characters, sorted."""
    found = (each for text in docstrings() for each in re.split(r"(?<=[.!?])\s+", text))
    return tuple(sorted({" ".join(each.split()) for each in found if 20 < len(each) < 400}))


def _collected() -> Iterator[str]:
    for name in _PACKAGES:
        for module in [name, *(f"{name}.{each}" for each in _submodules(import_module(name)))]:
            try:
                members = vars(import_module(module)).values()
            except Exception:  # an installed module may fail in any way when it is imported
                continue
            texts = (getattr(each, "__doc__", None) for each in members)
            yield from (each for each in texts if isinstance(each, str))


def _submodules(package: object) -> Iterator[str]:
    """The names of the modules of a package that are not its tests."""
    for each in pkgutil.iter_modules(getattr(package, "__path__", [])):
        if "test" not in each.name and each.name != "__main__":
            yield each.name


if __name__ == "__main__":
    with catch_warnings():
        simplefilter("ignore")
        print(json.dumps(sorted({*_collected()})))
