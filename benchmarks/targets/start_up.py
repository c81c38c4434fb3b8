"""What starting costs: the import, and the way to a first result."""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.child import ROOT
from benchmarks.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    yield Target("the same with byte code cached", _with_byte_code(rounds), "s")


def _medians(rounds: int) -> list[float]:
    for program in PROGRAMS:
        _seconds(program)
    taken = [[_seconds(program) for program in PROGRAMS] for _ in range(rounds)]
    return [median(column) for column in zip(*taken, strict=True)]


def _with_byte_code(rounds: int) -> float:
    """To a first result where the environment does not forbid Python to cache what it compiles."""
    with TemporaryDirectory() as folder:
        cached = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        _, *taken = [_seconds(FIRST_RESULT, cached) for _ in range(1 + rounds)]
        return median(taken)


def _seconds(program: tuple[str, ...], environment: Mapping[str, str] | None = None) -> float:
    start = perf_counter()
    command = [sys.executable, *program]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, env=environment)
    return perf_counter() - start
