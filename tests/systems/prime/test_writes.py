"""What a prime service has written is there, whoever else writes, and whenever a process is killed."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import pytest

from biblicus_context.systems.prime import ContextAssemblyService, File, Message, StoredService
from biblicus_context.testing.store_samples import seen

T = TypeVar("T")

WRITING = """
import asyncio, sys
from biblicus_context.systems.prime import ContextAssemblyService, File, Message

place, me = sys.argv[1:]
service = ContextAssemblyService.open(place)

def file(part, n):
    text = f"Round {n} of {me}."
    return File(id=f"{me}-{part}", path=f"{me}/{part}.md", content=text, owner_user_id="ann")

async def write():
    n = 0
    await service.files.put(file("judged", 0))  # counts are of a text, and go with it
    while True:
        n += 1
        await service.files.put(*(file(part, n) for part in "abc"))
        said = (Message(id=f"{me}-{n}-{part}", role="user", content=f"{n}") for part in "ab")
        await service.messages.add(me, *said, user_id="ann")
        await service.references.add(me, f"{me}-{'abc'[n % 3]}", user_id="ann")
        await service.record_feedback(f"{me}-judged", "ann", useful=True)
        print(n, flush=True)

asyncio.run(write())
"""


def run(work: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await work

    return asyncio.run(awaited())


def writing(place: Path, me: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITING, str(place), me]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed_after(program: subprocess.Popen[str], rounds: int) -> int:
    """Kill a program after some more rounds; returns the last one that it has acknowledged."""
    assert program.stdout is not None
    said = [program.stdout.readline() for _ in range(rounds)]
    program.kill()
    said += program.stdout.readlines()
    program.wait()
    program.stdout.close()
    return int([line for line in said if line.endswith("\n")][-1])


def is_whole(service: StoredService, me: str, acknowledged: int) -> None:
    """Everything acknowledged is there, and of the round after it all of a call or nothing."""
    who = service.files.corpus.of("ann")
    texts = {each.text for each in who.get([f"{me}-{part}" for part in "abc"])}
    assert texts in (
        {f"Round {acknowledged} of {me}."},
        {f"Round {acknowledged + 1} of {me}."},
    )
    said = [each.content for each in run(service.messages.get_recent(me, "ann", limit=10_000))]
    rounds = [int(number) for number in said]
    assert rounds == [number for n in range(max(rounds), 0, -1) for number in (n, n)]
    assert max(rounds) in (acknowledged, acknowledged + 1)
    referred = run(service.references.ids(me, "ann"))
    assert {f"{me}-{'abc'[n % 3]}" for n in range(1, acknowledged + 1)} <= {*referred}
    (block,) = seen(service.files.corpus.of("ann").store, who.principal).blocks_of([f"{me}-judged"])
    used = seen(who.store, who.principal).usage([block.id])
    assert used[block.id].helpful in (acknowledged, acknowledged + 1)
    assert who.store.check() == ()


@pytest.mark.parametrize("rounds", random.Random(5).sample(range(1, 25), 3))
def test_a_killed_process_loses_nothing_that_it_acknowledged(tmp_path: Path, rounds: int):
    acknowledged = killed_after(writing(tmp_path, "me"), rounds)
    service = ContextAssemblyService.open(tmp_path)
    is_whole(service, "me", acknowledged)
    context = run(service.build_prime_context("me", f"Round {acknowledged}", "ann"))
    assert context.stats.history_count > 0


def test_two_processes_write_at_once(tmp_path: Path):
    ContextAssemblyService.open(tmp_path)
    programs = {me: writing(tmp_path, me) for me in ("one", "two")}
    acknowledged = {me: killed_after(program, 8) for me, program in programs.items()}
    service = ContextAssemblyService.open(tmp_path)
    for me, rounds in acknowledged.items():
        is_whole(service, me, rounds)


def test_a_process_sees_at_once_what_another_one_writes(tmp_path: Path):
    service = ContextAssemblyService.open(tmp_path)
    before = run(service.build_prime_context("me", "Which round?", "ann"))
    killed_after(writing(tmp_path, "me"), 1)
    after = run(service.build_prime_context("me", "Which round?", "ann"))
    assert (before.text, "Round" in after.text) == ("", True)


def test_fifty_tasks_of_one_service_do_not_disturb_each_other(tmp_path: Path):
    """Each user writes and asks at once; every context has what its own task wrote, and nothing else."""
    service = ContextAssemblyService.open(tmp_path)

    async def task(number: int) -> tuple[str, str]:
        user, said = f"user{number % 10}", f"word{number:02}x"
        own = File(id=f"f{number}", path=f"{said}.md", content=f"We {said}.", owner_user_id=user)
        await service.files.put(own)
        await service.references.add(f"t{number}", f"f{number}", user_id=user)
        message = Message(role="user", content=f"Say {said}.")
        await service.messages.add(f"t{number}", message, user_id=user)
        context = await service.build_prime_context(f"t{number}", f"What is {said}?", user)
        again = await service.build_prime_context(f"t{number}", f"What is {said}?", user)
        assert [each.id for each in again.items][:1] == [each.id for each in context.items][:1]
        assert (context.stats.explicit_count, context.stats.history_count) == (1, 1)
        return user, context.text

    async def all_at_once() -> list[tuple[str, str]]:
        return await asyncio.gather(*(task(number) for number in range(50)))

    for number, (_, text) in enumerate(run(all_at_once())):
        assert f"We word{number:02}x." in text
        others = [other for other in range(50) if other % 10 != number % 10]
        assert not any(f"word{other:02}x" in text for other in others)
