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
    assert run("recall", "anything", "--store", "elsewhere").out == ""
    assert not (learned / "elsewhere").exists()
