"""The program of a helper: it cuts the files that come in by its standard input, in their order."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO, Final, NoReturn, TypeAlias

from biblicus_context.ingest.chunks import cutting as cutting_room
from biblicus_context.ingest.chunks.cutting import FORMAT, Cut, Cutting, Job
from biblicus_context.ingest.chunks.settings import ChunkSettings
from biblicus_context.ingest.readers import Readers
from biblicus_context.text.counters import Counters

Jobs: TypeAlias = Sequence[Job]
Answer: TypeAlias = Sequence[Cut | None]
"""For each job what came of it; None where it has to be tried again by who asked."""
How: TypeAlias = tuple[ChunkSettings, str]
"""What is said first: the sizes of chunks, and the name of the counter."""

GREETING: Final = f"{cutting_room.__file__!a} {FORMAT}\n".encode()
"""Said when it can be asked, so that no other version of this package, or program, is."""
LARGE: Final = 1024 * 1024
"""Bytes that a pipe, and its buffer, take at once."""
_SECONDS_A_TURN: Final = 0.0002
"""So that what comes in does not wait for a file to be cut; Python's own turns are 25 times as long."""


def main() -> None:
    """Answer until the standard input ends, which it does however the process ends that asks."""
    sys.setswitchinterval(_SECONDS_A_TURN)
    asked, answered = os.fdopen(os.dup(0), "rb", LARGE), os.fdopen(os.dup(1), "wb", LARGE)
    os.dup2(2, 1)  # what a library prints is no answer
    serve(asked, answered, leave)


def serve(asked: BinaryIO, answered: BinaryIO, end: Callable[[], object]) -> None:
    """Greet, and answer in the order of asking, until there is nobody any more."""
    waiting: SimpleQueue[Jobs] = SimpleQueue()
    try:
        cutting = cutting_of(pickle.load(asked))  # noqa: S301 - only our own process writes here
        answered.write(GREETING)
        answered.flush()
        Thread(target=receive, args=(asked, waiting.put, end), daemon=True).start()
        while True:
            answer(waiting.get(), cutting, answered)
    finally:
        end()


def receive(asked: BinaryIO, put: Callable[[Jobs], None], end: Callable[[], object]) -> None:
    """Take in what is asked at once, so that who asks never waits, and his end is not missed."""
    try:
        with suppress(EOFError):
            while True:
                put(pickle.load(asked))  # noqa: S301
    finally:
        end()


def leave() -> NoReturn:
    """End at once, and whatever program is reading a PDF for us: the group of processes is ours."""
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def cutting_of(how: How) -> Cutting:
    """What is cut here: files that the built-in readers read."""
    sizes, counter = how
    return Cutting(Readers(installed=False), sizes, Counters().get(counter))


def answer(jobs: Jobs, cutting: Cutting, answered: BinaryIO) -> None:
    """Say what came of some files."""
    pickle.dump([_cut(job, cutting) for job in jobs], answered, pickle.HIGHEST_PROTOCOL)
    answered.flush()


def _cut(job: Job, cutting: Cutting) -> Cut | None:
    try:
        return cutting.tried(job)
    except Exception:  # perhaps only here, so the process that asked finds out
        return None
