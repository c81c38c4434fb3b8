"""Work in a process of its own, as a user's program is one.

A server does not hold what was once written, what other benchmarks did, nor their modules: a collection of
garbage goes through all of them, and is part of what a call takes.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def apart(work: Callable[P, T], *arguments: P.args, **settings: P.kwargs) -> T:
    """The result of a function of a module in a new process, which has imported this module alone."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(work, *arguments, **settings).result()
