"""Reads of async callers: in a thread, so that the event loop is free."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from biblicus_context.base.compute_lock import one_at_a_time
from biblicus_context.base.doors import door
from biblicus_context.base.sharing import sharing
from biblicus_context.corpora.corpus import Corpus

T = TypeVar("T")


@door
async def read_in_thread(corpus: Corpus, read: Callable[[], T]) -> T:
    """Read a corpus in a thread; a read or a search that only computes takes its turn.

    One that asks a server for a vector, or a store on another machine, waits most of its time: it runs
    next to others. What it reads in a row is of one view.
    """
    reading = partial(_together, read)
    return await to_thread(partial(one_at_a_time, reading) if corpus.index.computes() else reading)


def _together(read: Callable[[], T]) -> T:
    with sharing():
        return read()
