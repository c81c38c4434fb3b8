"""What starting costs: the import, and the way to a first result."""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.child import ROOT
from benchmarks.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

BARE = ("-c", "")
PYDANTIC = ("-c", "import pydantic")
ENGINE = ("-c", "import biblicus_context")
USED = ("-c", "from biblicus_context import ContextAssembler, ContextDeclaration")
FIRST_RESULT = ("-m", "benchmarks.first_result")
PROGRAMS = (BARE, PYDANTIC, ENGINE, USED, FIRST_RESULT)


def start_up(*, rounds: int, import_at_most: float, seconds_at_most: float) -> Iterator[Target]:
    """Medians over fresh processes, the programs taken in turn."""
    bare, pydantic, engine, used, first_result = _medians(rounds)
    yield Target(
        "import / import pydantic, interpreter included",
        engine / pydantic,
        "x",
        at_most=import_at_most,
    )
    yield Target(
        "import / import pydantic, interpreter start-up subtracted",
        (engine - bare) / (pydantic - bare),
        "x",
        at_most=import_at_most,
    )
    yield Target(
        "importing assembler and declaration / import pydantic, start-up subtracted",
        (used - bare) / (pydantic - bare),
        "x",
    )
    yield Target("process start to first result", first_result, "s", at_most=seconds_at_most)


def _medians(rounds: int) -> list[float]:
    for program in PROGRAMS:
        _seconds(program)
    taken = [[_seconds(program) for program in PROGRAMS] for _ in range(rounds)]
    return [median(column) for column in zip(*taken, strict=True)]


def _seconds(program: tuple[str, ...]) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *program], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start
