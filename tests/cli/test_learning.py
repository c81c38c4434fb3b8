"""A coding agent's hook asks for what was learned, and for what went wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from biblicus_context.systems.learning import LearningStore
from tests.systems.learning.build import EXPERIENCE, MEMORY


@pytest.fixture
def learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    store = LearningStore.open("learning")
    asyncio.run(store.record_memory(MEMORY))
    asyncio.run(store.record_experience(EXPERIENCE))
    store.close()
    return tmp_path


def test_recall_prints_what_was_learned(run, learned: Path):
    assert run("recall", "flaky test").text.startswith(
        "# Context\n\n## Memories\n**Memory**: Tests"
    )
    only = run("recall", "flaky test", "--type", "experiences").text
    assert "## Memories" not in only
    found = run("recall", "flaky test", "--budget", "60", "--format", "json").json
    assert found["token_count"] <= 60
    assert found["items"][0]["source"] == "memory"


def test_premortem_prints_what_went_wrong(run, learned: Path):
    assert run("premortem", "--domain", "debugging").text.startswith("# Premortem: debugging\n")
    found = run(
        *("premortem", "--domain", "debugging", "--strategy", "systematic-elimination"),
        *("--format", "json"),
    ).json
    assert "## Strategy Performance" in found["markdown"]
    assert found["sources_used"] == {"experience": 4}


def test_nothing_learned_prints_nothing(run, learned: Path):
    done = run("premortem", "--domain", "gardening")
    assert (done.status, done.out) == (0, "")
    assert "nothing was learned" in done.err
    assert run("recall", "anything", "--workspace", "other").out == ""
    elsewhere = run("recall", "anything", "--store", "elsewhere")
    assert (elsewhere.status, elsewhere.out) == (0, "")
    assert "there is no learning memory in 'elsewhere' yet" in elsewhere.err
    assert not (learned / "elsewhere").exists()


def test_a_budget_that_holds_nothing_is_named(run, learned: Path):
    """Else it would look as if nothing were known."""
    done = run("recall", "flaky test", "--budget", "5")
    assert (done.status, done.out) == (0, "")
    assert "in 'learning', workspace 'local', or nothing of it fits into 5 tokens" in done.err


def test_a_file_is_not_a_learning_memory(run, learned: Path):
    (learned / "notes.txt").write_text("Tests run in UTC.", "utf-8")
    done = run("recall", "flaky test", "--store", "notes.txt")
    assert done.status == 2
    assert "--store: not the folder of a learning memory: found 'notes.txt'" in done.err
