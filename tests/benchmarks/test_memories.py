"""`python -m benchmarks.memories`: memory libraries on the same work, here those of this project."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.counting import count
from benchmarks.memories import comparison
from benchmarks.memories.child import Library
from benchmarks.memories.comparison import compared
from benchmarks.memories.filling import filled
from benchmarks.memories.learned import Learned
from benchmarks.memories.ours import Ours
from benchmarks.memories.plain import Plain
from benchmarks.memories.work import Built, Memory, Question, Run, Work, work_of
from biblicus_context.evaluation import load_collection
from tests.evaluation.conftest import QUERIES, RECORDS, write

LIBRARIES = {"memory": Ours, "learning": Learned, "plain": Plain}
TWO_OWNERS = (
    Memory("a", "The roses need pruning in March.", "ada"),
    Memory("b", "The roses need pruning in May.", "ben"),
    Memory("n", "The roses need pruning at night.", ""),
)


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
@pytest.mark.parametrize(("owner", "own"), [("ada", "a"), ("ben", "b"), ("", "n")])
def test_a_library_answers_an_owner_from_his_memories_alone(
    library: Callable[[Path], Library], owner: str, own: str, tmp_path: Path
):
    opened = library(tmp_path)
    assert opened.remember(TWO_OWNERS) == len(TWO_OWNERS)
    context = opened.context(Question("When do roses need pruning?", owner, (own,)), 300)
    assert context.placed == (own,)
    texts = {each.id: each.text for each in TWO_OWNERS}
    assert [name for name, text in texts.items() if text in context.text] == [own]


def test_work_is_the_same_after_a_file(tmp_path: Path):
    collection = load_collection(write(tmp_path / "sample", RECORDS, QUERIES))
    work = work_of(collection, 500)
    work.save(tmp_path / "work.json")
    assert Work.load(tmp_path / "work.json") == work
    assert work.questions[2] == Question(
        "When do roses need pruning?", "friday", ("friday:1", "friday:2")
    )
    assert Memory("friday:2", "In March.", "friday", "friday") in work.memories


def test_a_run_is_the_same_after_json():
    run = Run(3, 1.5, 80.0, {"way": Built((0.1,), ("text",))})
    assert Run.of(asdict(run)) == run


def test_what_fits_is_taken_best_first_and_what_does_not_fit_is_skipped():
    memories = ["short one", "a much longer one " * 30, "short two"]
    taken = filled(memories, 20)
    assert taken == "short one\nshort two"
    assert count(taken) <= 20


def test_each_library_has_a_row_for_each_collection(tmp_path: Path):
    write(tmp_path / "sample", RECORDS, QUERIES)
    [(name, rows)] = compared(tmp_path, queries=3, budget=200, with_peers=False)
    assert name == f"sample: {len(RECORDS)} memories"
    assert [row[0] for row in rows] == ["memory engine", "plain hybrid"]
    for _, _, _, tokens, most, over, recall, _, one_by_one, _ in rows:
        assert 0 < int(tokens) <= int(most) <= 200
        assert (over, recall, one_by_one) == ("0 of 3", "100.0 %", "all")


def test_a_memory_whose_heading_is_escaped_is_recalled(tmp_path: Path):
    heading = {"id": "tea", "text": "A drink.\n# Green tea\nIt wants water of 80 degrees."}
    query = {"id": "1", "text": "How hot is water for green tea?", "gold": ["tea"]}
    write(tmp_path / "sample", [heading], [query])
    [(_, rows)] = compared(tmp_path, queries=1, budget=200, with_peers=False)
    assert [row[6] for row in rows] == ["100.0 %", "100.0 %"]


def test_a_library_that_fails_has_a_row_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path / "sample", RECORDS, QUERIES)
    monkeypatch.setattr(comparison, "OURS", {"gone": "gone"})
    [(_, rows)] = compared(tmp_path, queries=1, budget=200, with_peers=False)
    [(label, problem)] = rows
    assert label == "gone"
    assert problem.startswith("fails: ")
    assert "benchmarks.memories.gone" in problem
