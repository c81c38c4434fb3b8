"""What linting costs: from a cold start, on top of reading the files, and next to a check of the schema alone."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from benchmarks.child import ROOT
from benchmarks.lint_plans import write_plans
from benchmarks.targets import Target
from biblicus_context.lint.engine.runner import lint as lint_files
from biblicus_context.reading import read_documents
from biblicus_context.reading.files import read_plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SCHEMA = ROOT / "schemas" / "project.schema.json"
MODULES_AT_MOST = 230
_LINT_AND_COUNT = """
from biblicus_context.cli.main import main
main(["lint", {!r}])
print(sum(name.startswith("biblicus_context") for name in sys.modules))
"""
PER = 1_000
"""Files that a figure in seconds is told for."""


def lint(
    files: int,
    *,
    rounds: int,
    cold_at_most: float,
    rules_at_most: float,
    schema_check_at_most: float,
) -> Iterator[Target]:
    """Medians of rounds in which the sides take turns, on the same files.

    `cold_at_most` is in milliseconds: an editor starts a linter for each file that is saved.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plans = write_plans(folder, files)
        yield from _cold(plans[0], rounds, cold_at_most)
        yield from _in_process(plans, folder, rounds, rules_at_most)
        yield from _as_programs(plans, folder, rounds, schema_check_at_most)


def _cold(plan: Path, rounds: int, at_most: float) -> Iterator[Target]:
    """One file as a program, whose modules are compiled; the least of the rounds, as others only add."""
    lint_one = [sys.executable, "-m", "biblicus_context", "lint", str(plan)]
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        _processor_seconds(lint_one, environment)  # compiles
        least = min(_processor_seconds(lint_one, environment) for _ in range(rounds + 2))
    yield Target("lint: one small file, cold, processor", least * 1_000, "ms", at_most=at_most)
    modules = f"import sys\n{_LINT_AND_COUNT.format(str(plan))}"
    counted = subprocess.run(
        [sys.executable, "-c", modules], cwd=ROOT, check=True, capture_output=True, text=True
    )
    loaded = int(counted.stdout.split()[-1])
    yield Target("lint: our modules loaded for it", loaded, "", at_most=MODULES_AT_MOST)


def _processor_seconds(program: Sequence[str], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(program, cwd=ROOT, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _in_process(
    plans: Sequence[Path], folder: Path, rounds: int, at_most: float
) -> Iterator[Target]:
    reading, linting = [], []
    for _ in range(rounds + 1):  # the first one loads what stays loaded
        reading.append(_reading(plans))
        linting.append(_linting(folder))
    del reading[0], linting[0]
    on_top = median(all_ - read for all_, read in zip(linting, reading, strict=True))
    scale = PER / len(plans)
    yield Target(f"lint: reading {PER:,} files of 50 lines", median(reading) * scale, "s")
    yield Target(
        f"lint: all rules on top, {PER:,} files, one core", on_top * scale, "s", at_most=at_most
    )


def _reading(plans: Sequence[Path]) -> float:
    start = process_time()
    for file in plans:
        read_documents(read_plan(file), str(file))
    return process_time() - start


def _linting(folder: Path) -> float:
    start = process_time()
    report = lint_files([folder])
    seconds = process_time() - start
    if report.findings:
        raise RuntimeError(f"the plans are not clean: {report.findings[0]}")
    return seconds


def _as_programs(
    plans: Sequence[Path], folder: Path, rounds: int, at_most: float
) -> Iterator[Target]:
    ours = [sys.executable, "-m", "biblicus_context", "lint", str(folder)]
    checker = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(SCHEMA)]
    programs = (ours, [*checker, *map(str, plans)])
    taken = [[_seconds(program) for program in programs] for _ in range(rounds)]
    linting, schema_check = zip(*taken, strict=True)
    name = f"lint: {len(plans):,} files as a program"
    yield Target(name, median(linting), "s")
    ratio = _ratio(linting, schema_check)
    yield Target(f"{name} / by check-jsonschema", ratio, "x", at_most=at_most)


def _ratio(left: Sequence[float], right: Sequence[float]) -> float:
    return median(one / other for one, other in zip(left, right, strict=True))


def _seconds(program: Sequence[str]) -> float:
    start = perf_counter()
    subprocess.run(program, cwd=ROOT, check=True, capture_output=True)
    return perf_counter() - start
