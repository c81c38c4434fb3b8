"""A deadline ends what waits below a call: retrievers, sync or async, in threads and in tasks."""

from __future__ import annotations

import asyncio
import time
from threading import Event

import pytest

from biblicus_context import ContextAssembler, RetrieverError
from biblicus_context.base import deadline, remaining

PLAN = {
    "desk": {"messages": [{"type": "context", "name": "slow"}, {"type": "context", "name": "next"}]}
}


def assembler(slow, calls: list[str]) -> ContextAssembler:
    def following(request):
        calls.append("next")
        return ["Too late."]

    return ContextAssembler(PLAN, {"slow": slow, "next": following})


def test_a_sync_retriever_is_given_up_and_the_next_is_not_asked():
    calls: list[str] = []
    never = Event()
    found = assembler(lambda request: never.wait(30), calls)
    began = time.perf_counter()
    with deadline(0.2), pytest.raises(RetrieverError, match="did not answer within"):
        found.assemble("desk")
    never.set()
    assert time.perf_counter() - began < 5


def test_an_async_retriever_is_cancelled():
    cancelled = []

    async def slow(request):
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def main():
        with deadline(0.1):
            await assembler(slow, []).aassemble("desk")

    with pytest.raises(RetrieverError, match="did not answer within"):
        asyncio.run(main())
    assert cancelled == [True]


def test_after_a_deadline_no_retriever_is_called():
    calls: list[str] = []
    found = ContextAssembler(
        {"desk": {"messages": [{"type": "context", "name": "one"}]}},
        {"one": lambda request: calls.append("one") or []},
    )
    with (
        deadline(0.0),
        pytest.raises(RetrieverError, match="did not answer"),
    ):
        found.assemble("desk")
    assert calls == []


def test_a_retriever_knows_how_long_it_has():
    seen = []
    plan = {"desk": {"messages": [{"type": "context", "name": "one"}]}}
    found = ContextAssembler(plan, {"one": lambda request: seen.append(remaining()) or ["A."]})
    with deadline(5.0):
        found.assemble("desk")
    found.assemble("desk")
    assert 0 < seen[0] <= 5.0
    assert seen[1] is None


def test_a_shorter_time_limit_of_a_pack_stays():
    plan = {"desk": {"messages": [{"type": "context", "name": "one", "timeout_seconds": 0.1}]}}
    never = Event()
    found = ContextAssembler(plan, {"one": lambda request: never.wait(30)})
    with deadline(20.0), pytest.raises(RetrieverError, match=r"within 0\.1 s"):
        found.assemble("desk")
    never.set()
