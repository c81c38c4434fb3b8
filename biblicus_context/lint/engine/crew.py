"""Desks in several processes, which share a project's files among them."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.desk import Desk, Task, travelling
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.survey import Survey

_NOTHING = Survey("")
T = TypeVar("T")
Order: TypeAlias = Callable[[Desk], T]

FILES_WORTH_A_PROCESS = 200
"""Starting a process and talking to it takes about as long as this many files."""


def jobs_for(files: int, rules: Sequence[Rule], asked: int | None = None) -> int:
    """How many processes to use: those asked for, or as many as are worth their while."""
    jobs = min(asked or _cores(), files if asked else files // FILES_WORTH_A_PROCESS)
    return jobs if jobs > 1 and _can_travel(rules) else 1


class Crew:
    """This process and its helpers."""

    def __init__(self, jobs: int) -> None:
        self._own = Desk()
        self._helpers = [_Helper() for _ in range(jobs - 1)]
        self._open = ExitStack()

    def __enter__(self) -> Self:
        for helper in self._helpers:
            helper.start()
            self._open.callback(helper.dismiss)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def survey(self, files: Sequence[Path]) -> list[Survey]:
        """Read all files; the answers come in their order."""
        if not self._helpers:
            return list(self._own.survey(files))
        desks = len(self._helpers) + 1
        orders = [partial(_survey, files[number::desks]) for number in range(desks)]
        surveys: list[Survey] = [_NOTHING] * len(files)
        for number, read in enumerate(self._done(orders)):
            surveys[number::desks] = read
        return surveys

    def check(self, task: Task) -> list[Finding]:
        """What the rules find in one project, in no certain order."""
        found = self._done([partial(_check, task)] * (len(self._helpers) + 1))
        return [finding for each in found for finding in each]

    def _done(self, orders: Sequence[Order[T]]) -> list[T]:
        """The answers of all desks, this process' own first."""
        own, *others = orders
        for helper, order in zip(self._helpers, others, strict=True):
            helper.ask(order)
        return [own(self._own), *(helper.answer() for helper in self._helpers)]


class _Helper:
    """A desk in a process of its own."""

    def __init__(self) -> None:
        self._pipe, self._theirs = multiprocessing.Pipe()
        ends = (self._theirs, self._pipe)
        self._process = _processes().Process(target=_work, args=ends, daemon=True)

    def start(self) -> None:
        self._process.start()
        self._theirs.close()

    def ask(self, order: Order[Any]) -> None:
        with suppress(BrokenPipeError):  # the answer will be missed as well
            self._pipe.send(order)

    def answer(self) -> Any:
        try:
            return self._pipe.recv()
        except (EOFError, ConnectionError):
            raise ContextError(
                "a process of the linter has ended early", fix="Run it again with one: --jobs 1."
            ) from None

    def dismiss(self) -> None:
        self._pipe.close()
        self._process.terminate()
        self._process.join()


def _work(pipe: Connection, other_end: Connection) -> None:
    other_end.close()  # else this process would not notice that the first one has gone
    gc.disable()  # what is read is kept until the end, which is soon
    desk = Desk()
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            order: Order[Any] = pipe.recv()
            pipe.send(order(desk))


def _survey(files: Sequence[Path], desk: Desk) -> list[Survey]:
    return [travelling(each) for each in desk.survey(files)]


def _check(task: Task, desk: Desk) -> list[Finding]:
    return desk.check(task)


def _processes() -> Any:
    """Copies of this process where that is quick and safe, else fresh ones."""
    copying = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if copying else "spawn")


def _can_travel(rules: Sequence[Rule]) -> bool:
    """Whether rules can be sent to another process; those of others may be made on the fly."""
    try:
        pickle.dumps(rules)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
