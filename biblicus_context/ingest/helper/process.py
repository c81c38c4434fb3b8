"""A process beside this one that cuts files: a program of our own, which begins from nothing.

`multiprocessing` would run the caller's main module once more, or copy locks that other threads hold.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from biblicus_context.ingest.chunks.cutting import Cutting, Job
from biblicus_context.ingest.helper.program import GREETING, LARGE, Answer, How
from biblicus_context.text.counters.shared import BUILT_IN

_PROGRAM: Final = (
    "import sys; sys.path[:] = sys.argv[1:];"
    " from biblicus_context.ingest.helper.program import main; main()"
)
_ROOT: Final = str(Path(__file__).parents[3])
_PYTHONS: Final = ("python", "pypy")


def can_help(cutting: Cutting) -> bool:
    """Whether there is a second core, a Python to start, and the same counter to be had there.

    An application that has Python inside calls itself the executable, and would start once more.
    """
    is_python = Path(sys.executable or "-").stem.lower().startswith(_PYTHONS)
    counter = cutting.counter
    return _cores() > 1 and is_python and BUILT_IN.get(counter.name) is counter


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Helper:
    """Starts at once; raises OSError where that fails.

    It may end at any moment, killed by the system for one. Then it has no answer, and who asked
    cuts the files. What crosses the pipes are pickles: they have no name, so that nobody but our
    two processes can write to them.
    """

    def __init__(self, cutting: Cutting) -> None:
        # A group of its own, so that an interrupt at the terminal ends this process only, which then
        # ends the helper with all that it started.
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-I" if sys.flags.isolated else "-P", "-c", _PROGRAM, *_paths()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=LARGE,
            pipesize=LARGE,
            process_group=0,
        )
        self._lost = False
        self._starting = ThreadPoolExecutor(1, "helper")
        self._started = self._starting.submit(self._greeted, (cutting.chunks, cutting.counter.name))

    @property
    def ready(self) -> bool:
        """Whether it can be asked by now."""
        return self._started.done() and self._started.result()

    def wait(self) -> bool:
        """Whether it can be asked, once that is known."""
        return self._started.result()

    def ask(self, jobs: Sequence[Job]) -> None:
        """Hand over some files; this takes no longer than it takes to copy them."""
        try:
            if not self._lost:
                self._say(jobs)
        except OSError:
            self._lost = True

    def answer(self, jobs: Sequence[Job]) -> Answer:
        """What came of the files that were handed over, the first of them first."""
        none: Answer = [None for _ in jobs]
        if self._lost:
            return none
        try:
            answers: Answer = pickle.load(self._from)  # noqa: S301 - of our own process
            return [answer for _, answer in zip(jobs, answers, strict=True)]
        except Exception:  # whatever comes of a stream that breaks off, or is no pickle
            self._lost = True
            return none

    def end(self) -> None:
        """Kill it: it holds nothing that anybody would miss."""
        with suppress(OSError):  # it may have ended by itself
            _kill(self._process)
        self._starting.shutdown()
        with suppress(OSError):  # what it did not take in
            self._to.close()
        self._from.close()
        self._process.wait()

    def _greeted(self, how: How) -> bool:
        try:
            self._say(how)
            return self._from.readline() == GREETING
        except Exception:  # it has ended, or these settings cannot cross
            return False

    def _say(self, what: object) -> None:
        pickle.dump(what, self._to, pickle.HIGHEST_PROTOCOL)
        self._to.flush()

    @property
    def _to(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _from(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout


def _paths() -> list[str]:
    """Where modules are found, here and there: never in the working folder, but for this package."""
    if _ROOT in sys.path:
        return [*filter(None, sys.path)]
    return [each or _ROOT for each in sys.path]


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
