"""A new user's first hour: install the wheel, then run every command of the first pages in order.

    python -m benchmarks.first_hour

It builds the wheel, installs it in a new environment, and follows the pages in an empty home: every
shown command and program is run by the installed package, compared with what the page shows, and
timed. Needs uv, and PyPI or its cache.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.docs.reader import ROOT, Block, blocks, stripped

PAGES = ("README.md", "docs/quick-start.md")
_MARK = "--- from here on ---"
_WIDEST = 72
_FROM_CHECKOUT = re.compile(r"\buv run --no-dev (--extra \w+ )?")


class Step(NamedTuple):
    """One thing that a reader does."""

    what: str
    seconds: float
    processor: float = 0.0
    """Seconds of a processor: what remains of them on a machine that does nothing else."""
    problem: str = ""


@dataclass
class Walk:
    """A reader of one page, with the programs of one environment."""

    environment: Mapping[str, str]
    folder: Path
    code: str = ""
    printed: str = ""
    steps: list[Step] = field(default_factory=list)

    def page(self, file: Path) -> list[Step]:
        """Every block of a page, in order."""
        for block in blocks(file):
            if block.file and not block.file.startswith("."):
                target = self.folder / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.body, encoding="utf-8")
            elif block.kind == "console":
                self._commands(block)
            elif block.kind == "python" and "# with " not in block.body[:8]:
                self._program(block)
            elif block.kind == "text" and stripped(self.printed) != stripped(block.body):
                last = self.steps.pop()
                self.steps.append(last._replace(problem="the page shows another output"))
        return self.steps

    def _commands(self, block: Block) -> None:
        for shown in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
            command, expected = re.split(r"(?<!\\)\n", shown, maxsplit=1)
            if command.startswith("cd "):
                self.folder /= command.removeprefix("cd ")
                continue
            command = _FROM_CHECKOUT.sub("", command)
            self._run(command, ["bash", "-c", command], expected)

    def _program(self, block: Block) -> None:
        """A block of Python, after those before it on the page."""
        before = f"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    exec({self.code!r})\n"
        code = f"{before}print({_MARK!r})\n{block.body}"
        if ">>>" in block.body:
            return
        first = block.body.strip().splitlines()[0]
        self._run(f"python: {first}", ["python", "-c", code], None)
        self.printed = self.printed.partition(f"{_MARK}\n")[2]
        self.code += f"{block.body}\n"

    def _run(self, what: str, command: list[str], expected: str | None) -> None:
        began, used = time.perf_counter(), _processor()
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=dict(self.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        seconds, used = time.perf_counter() - began, _processor() - used
        self.printed = done.stdout
        problem = ""
        if expected is None and done.returncode:
            problem = done.stdout.strip().splitlines()[-1]
        elif expected is not None and stripped(done.stdout) != stripped(expected):
            problem = "the page shows another output"
        self.steps.append(Step(what, seconds, used, problem))


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def installed(wheel: Path, home: Path, extra: str) -> tuple[list[Step], Path]:
    """The wheel in a new environment, and how long that took."""
    environment = home / "venv"
    steps = []
    for what, command in (
        ("uv venv", ["uv", "venv", "--quiet", str(environment)]),
        (
            f"uv pip install WHEEL{extra}",
            ["uv", "pip", "install", "--quiet", "--python", str(environment), f"{wheel}{extra}"],
        ),
    ):
        began, used = time.perf_counter(), _processor()
        subprocess.run(command, check=True)
        steps.append(Step(what, time.perf_counter() - began, _processor() - used))
    return steps, environment / "bin"


def built(folder: Path) -> Path:
    """The wheel of this checkout."""
    subprocess.run(
        ["uv", "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)], check=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def walked(extra: str) -> Iterator[tuple[str, list[Step]]]:
    """The steps of the installation, then those of each page, each in an empty home."""
    with TemporaryDirectory(prefix="first-hour-") as name:
        home = Path(name)
        steps, programs = installed(built(home / "dist"), home, extra)
        yield "install", steps
        for page in PAGES:
            empty = home / page.replace("/", "-") / "home"
            work = empty / "work"
            work.mkdir(parents=True)
            environment = {
                "HOME": str(empty),
                "PATH": os.pathsep.join([str(programs), "/usr/bin", "/bin"]),
                "PYTHONUTF8": "1",
                "COLUMNS": "100",
                "LANG": "C.UTF-8",
            }
            yield page, Walk(environment, work).page(ROOT / page)


def main() -> int:
    """Print the table; the exit status is 1 if a step does not do what its page shows."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.first_hour")
    parser.add_argument("--minimal", action="store_true", help="install no extra")
    extra = "" if parser.parse_args().minimal else "[corpus]"
    if shutil.which("uv") is None:
        parser.error("uv is not installed")
    failed = 0
    print("| step | seconds | of a processor | |\n|---|---|---|---|")
    for place, steps in walked(extra):
        total = sum(step.seconds for step in steps)
        used = sum(step.processor for step in steps)
        print(f"| **{place}** | **{total:.1f}** | **{used:.1f}** | |")
        for step in steps:
            what = step.what.replace("|", "\\|").replace("\n", " ")
            what = what if len(what) <= _WIDEST else f"{what[: _WIDEST - 1]}…"
            print(f"| `{what}` | {step.seconds:.1f} | {step.processor:.1f} | {step.problem} |")
            failed += bool(step.problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
