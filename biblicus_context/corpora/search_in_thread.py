"""Searches of async callers: in a thread, so that the event loop is free."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from biblicus_context.base.turns import in_turn
from biblicus_context.corpora.corpus import Corpus

T = TypeVar("T")


async def search_in_thread(corpus: Corpus, search: Callable[[], T]) -> T:
    """Search a corpus in a thread; a search that only computes takes its turn.

    One that asks a server for a vector, or a store on another machine, waits most of its time: it runs
    next to others.
    """
    index = corpus.index
    return await to_thread(partial(in_turn, search) if index.computes() else search)
