"""Retrievers may be sync or async, slow, failing or hanging; the caller always gets an answer."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import sqlite3
import threading
import time
from typing import Any

import pytest

from biblicus_context import ContextAssembler, ContextPack, ContextPackBlock, RetrieverError


def pack(text: str) -> ContextPack:
    blocks = [ContextPackBlock(evidence_item_id=text, text=text)]
    return ContextPack(text=text, evidence_count=1, blocks=blocks)


async def slow_async(request: Any) -> ContextPack:
    await asyncio.sleep(0.1)
    return pack(request.metadata["retriever"])


def slow_sync(request: Any) -> ContextPack:
    time.sleep(0.1)
    return pack(request.metadata["retriever"])


def meeting(number: int, kind: str) -> Any:
    """A retriever that answers nobody before so many have been asked."""
    all_asked = threading.Barrier(number)
    asked: list[str] = []

    def wait(request: Any) -> ContextPack:
        all_asked.wait(timeout=20)
        return pack(request.metadata["retriever"])

    async def await_all(request: Any) -> ContextPack:
        asked.append(request.metadata["retriever"])
        async with asyncio.timeout(20):
            while len(asked) < number:
                await asyncio.sleep(0.001)
        return pack(request.metadata["retriever"])

    return wait if kind == "def" else await_all


def hanging(request: Any) -> ContextPack:
    threading.Event().wait(60)
    return pack("never")


async def hanging_async(request: Any) -> ContextPack:
    await asyncio.sleep(60)
    return pack("never")


def failing(request: Any) -> ContextPack:
    raise ConnectionError("the index is gone")


async def stubborn_async(request: Any) -> ContextPack:
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(60)
    await asyncio.sleep(20)
    return pack("late")


async def cancelled_within(request: Any) -> ContextPack:
    inner = asyncio.create_task(asyncio.sleep(60))
    inner.cancel()
    await inner
    return pack("never")


def cancelled_in_a_loop_of_its_own(request: Any) -> ContextPack:
    return asyncio.run(cancelled_within(request))


def assembler(*functions: Any, parallel: bool | None = None, **options: Any) -> ContextAssembler:
    names = [f"r{number}" for number in range(len(functions))]
    packs = [{"name": name, **options} for name in names]
    registry = dict(zip(names, functions, strict=True))
    return ContextAssembler({"main": {"packs": packs}}, registry, parallel=parallel)


EIGHT = "\n\n".join(f"r{number}" for number in range(8))


def test_async_retrievers_of_one_plan_are_asked_side_by_side():
    assert assembler(*[meeting(8, "async def")] * 8).assemble("main").system_prompt == EIGHT


def test_sync_retrievers_are_asked_side_by_side_where_that_is_wanted():
    result = assembler(*[meeting(8, "def")] * 8, parallel=True).assemble("main")
    assert result.system_prompt == EIGHT


@pytest.mark.parametrize("parallel", [None, True])
def test_async_callers_have_sync_retrievers_asked_side_by_side(parallel: bool | None):
    eight = assembler(*[meeting(8, "def")] * 8, parallel=parallel)
    assert asyncio.run(eight.aassemble("main")).system_prompt == EIGHT


def over_sqlite() -> Any:
    """A retriever over one connection, made by the thread that calls this."""
    connection = sqlite3.connect(":memory:")
    connection.execute("create table notes (text)")
    connection.execute("insert into notes values ('a note')")

    def search(request: Any) -> list[str]:
        return [text for (text,) in connection.execute("select text from notes")]

    return search


@pytest.mark.parametrize("parallel", [None, False])
def test_retrievers_share_one_connection_of_sqlite_that_the_caller_made(parallel: bool | None):
    two = assembler(over_sqlite(), slow_async, over_sqlite(), parallel=parallel)
    assert two.assemble("main").system_prompt == "a note\n\nr1\n\na note"


def test_async_callers_keep_retrievers_in_their_thread_by_one_word():
    search = over_sqlite()
    two = assembler(search, slow_async, search, parallel=False)
    assert asyncio.run(two.aassemble("main")).system_prompt == "a note\n\nr1\n\na note"


def test_the_error_of_sqlite_says_how_to_stay_in_the_thread_of_the_caller():
    search = over_sqlite()
    with pytest.raises(RetrieverError, match=r"ProgrammingError\. Pass parallel=False to Context"):
        assembler(search, search, parallel=True).assemble("main")
    with pytest.raises(RetrieverError, match=r"ProgrammingError\. Pass parallel=False to Context"):
        asyncio.run(assembler(search).aassemble("main"))
    with pytest.raises(
        RetrieverError, match=r"ProgrammingError\. Remove timeout_seconds of this pack"
    ):
        assembler(search, timeout_seconds=9).assemble("main")


@pytest.mark.parametrize("function", [slow_sync, slow_async])
def test_async_callers_get_the_same_without_a_blocked_loop(function: Any):
    async def main() -> tuple[str, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticker = asyncio.create_task(tick())
        result = await assembler(*[function] * 4).aassemble("main")
        ticker.cancel()
        return result.system_prompt, ticks

    text, ticks = asyncio.run(main())
    assert text == "r0\n\nr1\n\nr2\n\nr3"
    assert ticks >= 3


def test_an_async_retriever_works_in_sync_code_that_runs_inside_an_event_loop():
    async def main() -> str:
        return assembler(slow_async).assemble("main").system_prompt

    assert asyncio.run(main()) == "r0"


@pytest.mark.parametrize("function", [hanging, hanging_async])
def test_a_retriever_that_hangs_is_left_behind_after_its_timeout(function: Any):
    hung = assembler(function, timeout_seconds=0.05)
    began = time.perf_counter()
    with pytest.raises(RetrieverError, match=r"retriever 'r0' did not answer within 0.05 s"):
        hung.assemble("main")
    with pytest.raises(RetrieverError, match="did not answer"):
        asyncio.run(hung.aassemble("main"))
    assert time.perf_counter() - began < 30


@pytest.mark.parametrize("others", [[], [slow_async]])
def test_an_async_retriever_that_goes_on_when_it_is_cancelled_is_left_behind(others: list[Any]):
    slow = assembler(stubborn_async, *others, timeout_seconds=0.5, on_error="skip")

    async def main() -> tuple[str, str]:
        async with asyncio.timeout(10):
            result = await slow.aassemble("main")
        failed = next(part for part in result.receipt.parts if part.name == "r0")
        return result.system_prompt, failed.reason

    said = asyncio.run(main())
    assert said == ("r1" if others else "", "did not answer within 0.5 s")


def test_more_hanging_retrievers_than_threads_do_not_keep_others_from_being_asked():
    result = assembler(*[hanging] * 40, slow_sync, timeout_seconds=0.5, on_error="skip").assemble(
        "main"
    )
    assert result.system_prompt == "r40"


def test_a_failing_retriever_raises_with_the_name_of_its_pack_and_the_cause():
    with pytest.raises(RetrieverError, match="retriever 'r0' failed: ConnectionError") as e:
        assembler(failing).assemble("main")
    assert isinstance(e.value.__cause__, ConnectionError)


def test_a_failing_retriever_that_may_be_skipped_is_left_out_and_named_in_the_receipt():
    result = assembler(failing, slow_sync, on_error="skip").assemble("main")
    assert result.system_prompt == "r1"
    failed = next(part for part in result.receipt.parts if part.name == "r0")
    assert failed.action == "failed"
    assert failed.reason == "failed: ConnectionError"


class LightsOutError(BaseException):
    """What a test runner or a task group may raise to stop everything."""


def stopping(kind: str, error: type[BaseException]) -> Any:
    def stop(request: Any) -> ContextPack:
        raise error

    async def stop_later(request: Any) -> ContextPack:
        await asyncio.sleep(0)
        raise error

    return stop if kind == "def" else stop_later


@pytest.mark.parametrize("options", [{}, {"timeout_seconds": 30}], ids=["no limit", "limit"])
@pytest.mark.parametrize("others", [[], [hanging_async], [slow_sync]])
@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, LightsOutError])
def test_what_stops_a_program_is_raised_as_it_is_wherever_a_retriever_runs(
    error: type[BaseException], kind: str, others: list[Any], options: dict[str, Any]
):
    for parallel in (None, True, False):
        run = assembler(
            stopping(kind, error), *others, parallel=parallel, on_error="skip", **options
        )
        with pytest.raises(error):
            run.assemble("main")
        with pytest.raises(error):
            asyncio.run(run.aassemble("main"))


@pytest.mark.parametrize("function", [cancelled_within, cancelled_in_a_loop_of_its_own])
@pytest.mark.parametrize("others", [[], [slow_async]])
def test_a_retriever_whose_own_work_was_cancelled_has_failed_and_cancels_nobody(
    function: Any, others: list[Any]
):
    skipping = assembler(function, *others, on_error="skip")
    for result in (skipping.assemble("main"), asyncio.run(skipping.aassemble("main"))):
        failed = next(part for part in result.receipt.parts if part.name == "r0")
        assert (failed.action, failed.reason) == ("failed", "failed: CancelledError")
        assert result.system_prompt == "\n\n".join(f"r{n}" for n, _ in enumerate(others, 1))


@pytest.mark.parametrize("others", [[], [slow_async]])
def test_a_caller_that_is_cancelled_stops_waiting(others: list[Any]):
    async def main() -> None:
        task = asyncio.create_task(
            assembler(hanging_async, *others, on_error="skip").aassemble("main")
        )
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    began = time.perf_counter()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert time.perf_counter() - began < 15


def test_context_variables_of_the_caller_reach_retrievers_in_threads():
    tenant: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="nobody")

    def tell(request: Any) -> ContextPack:
        return pack(tenant.get())

    tenant.set("acme")
    assert assembler(tell, slow_sync).assemble("main").system_prompt.startswith("acme")


@pytest.mark.parametrize("answer", [42, [42], {"text": "t", "evidence_count": -1}, object()])
def test_nonsense_is_refused_with_the_name_of_the_pack_and_what_was_found(answer: Any):
    with pytest.raises(RetrieverError, match=r"retriever 'r0' did not return a pack: found \w+"):
        assembler(lambda request: answer).assemble("main")
