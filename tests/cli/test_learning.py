"""A coding agent's hook asks for what was learned, and for what went wrong."""

from __future__ import annotations

import asyncio
import subprocess
import sys
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


def test_an_unknown_domain_names_those_that_exist(run, learned: Path):
    done = run("premortem", "--domain", "debuging")
    assert (done.status, done.out) == (0, "")
    assert "found 'debuging'. Valid: debugging. Did you mean 'debugging'?" in " ".join(
        done.err.split()
    )
    fits = run("premortem", "--domain", "debugging", "--budget", "5").err
    assert "nothing of it fits into 5 tokens" in " ".join(fits.split())
    assert "Valid" not in fits


def test_figures_are_written_in_the_number_that_they_have(run, learned: Path):
    """An experience in three sections is one experience."""
    one = run("recall", "flaky test", "--type", "memories").text
    assert one.rstrip().endswith("*1 item from 1 source*")
    both = run("recall", "flaky test").text
    assert both.rstrip().endswith("*2 items from 2 sources*")
    warned = run("premortem", "--domain", "debugging").text
    assert warned.rstrip().endswith("*Based on 1 past experience*")


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


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a command loads."""
    code = (
        "import sys\n"
        "from biblicus_context.cli.main import main\n"
        f"main({[*arguments]!r})\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_a_hook_where_nothing_was_ever_learned_loads_no_engine(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heavy = {"pydantic", "numpy", "jinja2", "yaml", "sqlite3"}
    assert heavy.isdisjoint(loaded_by("recall", "flaky test"))
    assert heavy.isdisjoint(loaded_by("premortem", "--domain", "debugging"))


def test_a_search_loads_no_masked_arrays(learned: Path):
    """They take 30 ms, and a hook is waited for."""
    loaded = loaded_by("recall", "flaky test")
    assert "numpy" in loaded
    assert "numpy.ma" not in loaded
