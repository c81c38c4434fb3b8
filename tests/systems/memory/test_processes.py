"""Memories survive a process that is killed, and several processes write at once."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from biblicus_context.stores import Relation
from biblicus_context.systems.memory import MemoryStore
from tests.systems.memory.writing import BATCH, batch, opened

ROOT = Path(__file__).parents[3]
KILLS = 5
NEVER = -1


def started(place: Path, first: int, name: str = "", times: int = 0) -> subprocess.Popen[str]:
    """A process that writes rounds of memories from the first one on."""
    command = [sys.executable, "-m", "tests.systems.memory.writing"]
    return subprocess.Popen(
        [*command, str(place), str(first), name, str(times)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def reported_before_a_kill(place: Path, first: int, seconds: float) -> dict[str, int]:
    """The last round of each kind of write that had returned."""
    with started(place, first) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline()]  # it has begun
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        lines += child.stdout
    return {kind: int(number) for kind, number in map(str.split, lines)}


def texts(store: MemoryStore, ids: list[str]) -> list[str]:
    return [each.content for each in asyncio.run(store.get(ids, "acme"))]


def size(store: MemoryStore, workspace: str) -> int:
    return len([*store.export_lines(workspace)])


def check(store: MemoryStore, first: int, reported: dict[str, int]) -> None:
    """All that a process reported is there; each write after that is there as a whole, or not."""
    complete = reported.get("imported", first - 1)
    for number in range(complete + 2):
        found = texts(store, [each.id for each in batch(number)])
        is_written = number <= max(complete, reported.get("batch", NEVER))
        whole = [each.content for each in batch(number)]
        assert found == whole or (not is_written and found == [])
        arrows = store.of("acme").relations([f"{number}-0"])
        is_written = number <= max(complete, reported.get("relation", NEVER))
        expected = (Relation(f"{number}-0", f"{number}-1", "x"),)
        assert arrows == expected or (not is_written and arrows == ())
        copied = size(store, f"copy{number}")
        assert copied == (number + 1) * BATCH + 1 or (number > complete and copied == 0)
    begun = complete + 1
    rounds = {f"Round {begun}."}
    if reported.get("update") != begun:
        rounds |= {f"Round {complete}.", "One."}
    assert {*texts(store, ["last"])} <= rounds
    assert size(store, "gone") in ((0,) if reported.get("forgotten") == begun else (0, BATCH))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_was_reported_survives_a_kill_and_nothing_is_half_written(tmp_path: Path):
    place, chance, first = tmp_path / "memories", Random(), 0
    for _ in range(KILLS):
        reported = reported_before_a_kill(place, first, chance.uniform(0, 0.3))
        store = opened(place)
        check(store, first, reported)
        store.close()
        first = reported.get("imported", first - 1) + 1


def test_two_processes_write_at_once(tmp_path: Path):
    place, rounds, names = tmp_path / "memories", 4, ("a", "b")
    for each in [started(place, 0, name, rounds) for name in names]:
        assert each.communicate(timeout=120)[0].count("imported") == rounds
        assert each.returncode == 0
    store = opened(place)
    for name in names:
        written = [each for number in range(rounds) for each in batch(number, name)]
        assert texts(store, [each.id for each in written]) == [each.content for each in written]
        assert texts(store, [f"{name}last"]) == [f"Round {rounds - 1}."]
        assert size(store, f"{name}gone") == 0
    assert size(store, "acme") == 2 * (rounds * BATCH + 1)
    store.close()
