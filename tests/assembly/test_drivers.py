"""Retrievers may be sync or async, slow, failing or hanging; the caller always gets an answer."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
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


def exiting(request: Any) -> ContextPack:
    raise SystemExit(3)


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


def assembler(*functions: Any, **options: Any) -> ContextAssembler:
    names = [f"r{number}" for number in range(len(functions))]
    packs = [{"name": name, **options} for name in names]
    return ContextAssembler({"main": {"packs": packs}}, dict(zip(names, functions, strict=True)))


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_packs_of_one_plan_are_asked_side_by_side(kind: str):
    result = assembler(*[meeting(8, kind)] * 8).assemble("main")
    assert result.system_prompt == "\n\n".join(f"r{number}" for number in range(8))


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
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("others", [[], [slow_async]])
def test_an_async_retriever_that_goes_on_when_it_is_cancelled_is_left_behind(others: list[Any]):
    slow = assembler(stubborn_async, *others, timeout_seconds=0.3, on_error="skip")

    async def main() -> tuple[str, str]:
        async with asyncio.timeout(10):
            result = await slow.aassemble("main")
        failed = next(part for part in result.receipt.parts if part.name == "r0")
        return result.system_prompt, failed.reason

    said = asyncio.run(main())
    assert said == ("r1" if others else "", "did not answer within 0.3 s")


def test_more_hanging_retrievers_than_threads_do_not_keep_others_from_being_asked():
    result = assembler(*[hanging] * 40, slow_sync, timeout_seconds=0.3, on_error="skip").assemble(
        "main"
    )
    assert result.system_prompt == "r40"


def test_a_failing_retriever_raises_with_the_name_of_its_pack_and_the_cause():
    with pytest.raises(
        RetrieverError, match="retriever 'r0' failed: ConnectionError: the index is gone"
    ) as e:
        assembler(failing).assemble("main")
    assert isinstance(e.value.__cause__, ConnectionError)


def test_a_failing_retriever_that_may_be_skipped_is_left_out_and_named_in_the_receipt():
    result = assembler(failing, slow_sync, on_error="skip").assemble("main")
    assert result.system_prompt == "r1"
    failed = next(part for part in result.receipt.parts if part.name == "r0")
    assert failed.action == "failed"
    assert "the index is gone" in failed.reason


def test_a_retriever_that_calls_exit_in_a_thread_does_not_leave_its_caller_waiting():
    with pytest.raises(RetrieverError, match="SystemExit"):
        assembler(exiting, slow_sync).assemble("main")


@pytest.mark.parametrize("function", [cancelled_within, cancelled_in_a_loop_of_its_own])
@pytest.mark.parametrize("others", [[], [slow_async]])
def test_a_retriever_whose_own_work_was_cancelled_has_failed_and_cancels_nobody(
    function: Any, others: list[Any]
):
    skipping = assembler(function, *others, on_error="skip")
    for result in (skipping.assemble("main"), asyncio.run(skipping.aassemble("main"))):
        failed = next(part for part in result.receipt.parts if part.name == "r0")
        assert (failed.action, failed.reason) == ("failed", "failed: CancelledError: ")
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
    assert time.perf_counter() - began < 5


def test_context_variables_of_the_caller_reach_retrievers_in_threads():
    tenant: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="nobody")

    def tell(request: Any) -> ContextPack:
        return pack(tenant.get())

    tenant.set("acme")
    assert assembler(tell, slow_sync).assemble("main").system_prompt.startswith("acme")


@pytest.mark.parametrize(
    "answer", [42, "text", ["a"], {"text": "t", "evidence_count": -1}, object()]
)
def test_nonsense_is_refused_with_the_name_of_the_pack_and_what_was_found(answer: Any):
    with pytest.raises(RetrieverError, match=r"retriever 'r0' did not return a pack: found \w+"):
        assembler(lambda request: answer).assemble("main")
