"""A program that is killed while it writes has written what it said, and nothing by halves."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from biblicus_context.systems.learning import LearningStore
from biblicus_context.testing.store_samples import seen
from tests.ingest.build import written
from tests.ingest.git.build import Made, repository
from tests.systems.learning.build import EXPERIENCE

PROGRAM = """
import asyncio, sys
from pathlib import Path
from biblicus_context.systems.learning import Experience, LearningStore, Memory, Value

place, project, what = sys.argv[1:]
said = dict.fromkeys("strategy goal hypothesis action prediction outcome_status outcome_result".split(), "x")

async def call(store, number):
    if what == "memory":
        await store.record_memory(Memory(id=f"{number}", content=f"Memory {number}"))
    elif what == "value":
        await store.record_value(Value(id=f"{number}", text=f"Value {number}"))
    elif what == "experience":
        own = {"surprise": f"Surprise {number}", "root_cause": f"Cause {number}"}
        await store.record_experience(Experience(id=f"{number}", domain="d", **said, **own))
    elif what == "derive":
        await store.derive_values(most=1 + number % 4)
    elif what == "code":
        for n in range(20):
            Path(project, f"part{number}_{n}.py").write_text(f"def unit{number}_{n}(): ...")
        await store.index_code(project)
    else:
        own = LearningStore.open(place, workspace=f"w{number}")
        await own.index_commits(project)
        own.close()

store, number = LearningStore.open(place), 0
while True:
    number += 1
    asyncio.run(call(store, number))
    print(number, flush=True)
"""


@contextmanager
def killed(place: Path, project: Path, what: str, calls: int) -> Iterator[LearningStore]:
    """The store after a program that made this many calls, and was killed in one of the next."""
    command = [sys.executable, "-c", PROGRAM, str(place), str(project), what]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        returned = [program.stdout.readline() for _ in range(calls)]
        program.kill()
    assert returned == [f"{number}\n" for number in range(1, calls + 1)]
    store = LearningStore.open(place)
    yield store
    assert all(corpus.index.is_awaited or not corpus.store.check() for corpus in corpora(store))
    store.close()


def corpora(store: LearningStore) -> list:
    return [store.memories.corpus, store.experiences.corpus, store.values.corpus]


@pytest.mark.parametrize(("what", "parts"), [("memory", 1), ("value", 1), ("experience", 4)])
def test_what_was_recorded_is_there_and_whole(tmp_path: Path, what: str, parts: int):
    """Every item that was acknowledged, each with all of its views."""
    with killed(tmp_path / "learning", tmp_path, what, 3) as store:
        kinds = {"memory": store.memories, "value": store.values, "experience": store.experiences}
        corpus = kinds[what].corpus
        ids = [each.id for each in corpus.documents()]
        assert {"1", "2", "3"} <= {*ids}
        assert {*ids} == {str(number) for number in range(1, len(ids) + 1)}
        for name in ids:
            assert len(seen(corpus.store, corpus.principal).blocks_of([name])) == parts


def test_derived_values_are_those_of_one_call(tmp_path: Path):
    """Never some of one call and some of another."""
    store = LearningStore.open(tmp_path / "learning")
    causes = ("time zone clock", "full disk", "slow import", "wrong release")
    learned = [
        EXPERIENCE.model_copy(update={"id": f"g{n}", "root_cause": f"{causes[n % 4]}, again {n}"})
        for n in range(16)
    ]
    asyncio.run(store.experiences.put(learned, "local"))
    possible = [{each.id for each in asyncio.run(store.derive_values(most=n))} for n in range(1, 5)]
    asyncio.run(store.forget_value(*set().union(*possible)))
    store.close()
    with killed(tmp_path / "learning", tmp_path, "derive", 5) as after:
        values = after.values.corpus
        found = {each.id for each in values.documents()}
        assert found <= set().union(*possible)
        assert any(whole <= found for whole in possible)


def test_an_index_of_code_has_what_was_acknowledged_and_goes_on(tmp_path: Path):
    """Each file whole; the next call reads the rest."""
    root = tmp_path / "project"
    root.mkdir()
    with killed(tmp_path / "learning", root, "code", 2) as store:
        hits = asyncio.run(store.search_code("unit1_3 unit2_4", 100))
        found = {hit.item.qualified_name for hit in hits}
        assert {f"unit{call}_{n}" for call in (1, 2) for n in range(20)} <= found
        asyncio.run(store.index_code(root))
        files = {each.stem.removeprefix("part") for each in root.glob("*.py")}
        hits = asyncio.run(store.search_code("unit", 500))
        assert {hit.item.qualified_name.removeprefix("unit") for hit in hits} <= files


def test_an_index_of_commits_has_what_was_acknowledged_and_goes_on(tmp_path: Path):
    """Also the history that was being read is complete after the next call."""
    made = [Made(f"Change {n}".encode(), {b"a.py": b"%d\n" % n}) for n in range(120)]
    root = repository(written(tmp_path / "project", {}), made)
    with killed(tmp_path / "learning", root, "commits", 2):
        for number in (1, 2, 3):
            own = LearningStore.open(tmp_path / "learning", workspace=f"w{number}")
            if number == 3:
                asyncio.run(own.index_commits(root))
            hits = asyncio.run(own.search_commits("Change", 200))
            assert {hit.item.message for hit in hits} == {f"Change {n}" for n in range(120)}
            own.close()
