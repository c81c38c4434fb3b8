"""Who assembles the rows of a batch: this process, several of this machine, or a Ray cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from biblicus_context.batches.assembling import (
    AssembledRow,
    Job,
    NumberedRows,
    assembled_rows,
)
from biblicus_context.errors import ContextError, MissingExtraError

if TYPE_CHECKING:
    from biblicus_context.assembly.assembler import ContextAssembler


class BatchWorkers(Protocol):
    """Takes chunks of rows; what is submitted is done at any time, in any order."""

    @property
    def most_waiting(self) -> int:
        """Chunks that may be submitted and not read yet."""
        ...

    def submit(self, rows: NumberedRows) -> Future[list[AssembledRow]]: ...


@contextmanager
def workers(
    assembler: ContextAssembler, job: Job, *, processes: int, ray: str | None
) -> Iterator[BatchWorkers]:
    """The workers of a batch, which end with the block."""
    if ray is not None:
        with _ray_workers(pickle.dumps((assembler, job)), ray) as cluster:
            yield cluster
    elif processes == 1:
        yield _ThisProcess(assembler, job)
    else:
        with _processes(pickle.dumps((assembler, job)), processes) as pool:
            yield pool


class _ThisProcess:
    most_waiting = 1

    def __init__(self, assembler: ContextAssembler, job: Job) -> None:
        self._assembler, self._job = assembler, job

    def submit(self, rows: NumberedRows) -> Future[list[AssembledRow]]:
        done = Future[list[AssembledRow]]()
        done.set_result(assembled_rows(self._assembler, self._job, rows))
        return done


@contextmanager
def _processes(pickled: bytes, count: int) -> Iterator[BatchWorkers]:
    # Not forked: a process with threads may hold locks that no thread of the child releases.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, initializer=_start, initargs=(pickled,))
    try:
        yield _Processes(pool, count)
    except BrokenProcessPool:
        raise ContextError(
            "a process of the batch ended before its rows were done",
            fix="It may have had too little memory. Run it again: what is done is kept.",
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


class _Processes:
    def __init__(self, pool: ProcessPoolExecutor, count: int) -> None:
        self._pool = pool
        self.most_waiting = 2 * count
        """While one chunk is read, nobody waits for the next."""

    def submit(self, rows: NumberedRows) -> Future[list[AssembledRow]]:
        return self._pool.submit(_in_process, rows)


_PICKLED: list[bytes] = []


def _start(pickled: bytes) -> None:
    _PICKLED[:] = [pickled]
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker of a pool would wait for work for ever if the process of the batch was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _in_process(rows: NumberedRows) -> list[AssembledRow]:
    return done_elsewhere(_PICKLED[0], rows)


def done_elsewhere(pickled: bytes, rows: NumberedRows) -> list[AssembledRow]:
    """The results of some rows in a process that has nothing yet."""
    assembler, job = _unpickled(pickled)
    return assembled_rows(assembler, job, rows)


@lru_cache(maxsize=1)
def _unpickled(pickled: bytes) -> Any:
    # Ours: it comes from the process that started this one.
    return pickle.loads(pickled)  # noqa: S301


@contextmanager
def _ray_workers(pickled: bytes, address: str) -> Iterator[BatchWorkers]:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray") from None
    # Ray itself says which worker printed what, where that is, and much else.
    ray.init(
        address=None if address == "local" else address,
        log_to_driver=False,
        logging_level=logging.ERROR,
        include_dashboard=False if address == "local" else None,
    )
    try:
        yield _Cluster(ray, pickled)
    finally:
        ray.shutdown()


class _Cluster:
    def __init__(self, ray: Any, pickled: bytes) -> None:
        self._pickled = ray.put(pickled)
        # A chunk of a machine that died is done again by another one.
        self._task = ray.remote(num_cpus=1, max_retries=5)(done_elsewhere)
        self.most_waiting = 2 * max(1, round(ray.cluster_resources().get("CPU", 1)))

    def submit(self, rows: NumberedRows) -> Future[list[AssembledRow]]:
        done: Future[list[AssembledRow]] = self._task.remote(self._pickled, rows).future()
        return done
