"""A corpus that was never indexed is indexed when a command needs it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from biblicus_context.reading.shipped import shipped
from biblicus_context.stores.sqlite import open_store

PLANS = """\
kind: context
name: ask
inputs: {question: {type: string, example: How hot?}}
messages:
  - {type: system, content: Answer from the evidence.}
  - {type: context, name: drinks}
  - {type: user, content: "{input.question}"}
---
kind: context
name: drinks
messages:
  - {type: context, name: kb}
---
kind: context
name: plain
messages:
  - {type: system, content: Be brief.}
---
kind: retriever
name: kb
corpus: notes
config: {retriever_id: recent, query: heat}
---
kind: corpus
name: notes
config: {root: ROOT, embedder: null}
"""
INDEXED = "indexed notes: 1 files, 1 blocks\n"


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder beside the contexts of a project, which the command runs in."""
    folder = tmp_path / "kitchen"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea wants water of 80 degrees.\n", "utf-8")
    declare(tmp_path, "../kitchen")
    monkeypatch.chdir(tmp_path)
    return folder


def declare(project: Path, root: str, plans: str = PLANS) -> None:
    (project / "contexts").mkdir(exist_ok=True)
    (project / "contexts" / "ask.yaml").write_text(plans.replace("ROOT", root), "utf-8")


@pytest.mark.parametrize("command", ["render", "explain", "whatif"])
def test_the_first_command_that_needs_a_corpus_indexes_it_and_says_so_once(
    kitchen: Path, run, command: str
):
    first = run(command, "ask", "--examples")
    assert (first.status, first.err) == (0, INDEXED)
    assert run(command, "ask", "--examples").text == first.out
    assert "80 degrees" in run("render", "ask", "--examples").text


def test_nothing_is_indexed_for_a_context_that_asks_no_retriever(kitchen: Path, run):
    run("render", "plain").text.index("Be brief.")
    assert not (kitchen.parent / ".biblicus-context").exists()


def test_nothing_is_indexed_where_an_answer_is_recorded(kitchen: Path, run):
    (kitchen.parent / "packs.yaml").write_text("kb: [recorded]\n", "utf-8")
    assert "recorded" in run("render", "ask", "--examples", "--packs", "packs.yaml").text
    assert not (kitchen.parent / ".biblicus-context").exists()


def test_a_corpus_is_indexed_whole_before_the_time_limit_of_its_retriever_runs(kitchen: Path, run):
    declare(
        kitchen.parent, "../kitchen", PLANS.replace("name: kb}", "name: kb, timeout_seconds: 1e-6}")
    )
    assert run("render", "ask", "--examples").err.startswith(INDEXED)


def test_an_index_that_was_never_finished_is_made_again(kitchen: Path, run):
    open_store(kitchen.parent / ".biblicus-context" / "notes").close()
    assert run("explain", "ask", "--examples").err.startswith(INDEXED)


def test_a_root_that_is_no_folder_is_left_to_the_command_that_indexes(kitchen: Path, run):
    declare(kitchen.parent, "../nowhere")
    refusal = run("render", "ask", "--examples").refusal
    assert "corpus 'notes' has never been indexed. Run: biblicus-context index " in refusal


def test_an_index_that_cannot_be_written_is_an_error_with_the_command_to_run(kitchen: Path, run):
    (kitchen.parent / ".biblicus-context").write_text("in the way", "utf-8")
    refusal = run("render", "ask", "--examples").refusal
    assert refusal.startswith(
        "corpus 'notes' has never been indexed, and its index cannot be created"
    )
    assert "Not a directory" in refusal
    command = shlex.join(["biblicus-context", "index", str(kitchen), "--corpus", "notes"])
    assert refusal.endswith(f" Run: {command}")


def test_the_index_of_a_corpus_in_the_package_is_kept_in_the_cache_of_the_user(
    kitchen: Path, run, monkeypatch: pytest.MonkeyPatch
):
    cache = kitchen.parent / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    declare(kitchen.parent, str(shipped("contexts")))
    assert run("render", "ask", "--examples").err.startswith("indexed notes: ")
    (kept,) = (cache / "biblicus-context").iterdir()
    assert kept.name.startswith("notes-")
    again = run("index", "--corpus", "notes", "--format", "json").json
    assert (again["store"], again["added"]) == (str(kept), [])
    assert not (shipped("contexts").parent / ".biblicus-context" / "notes").exists()


def test_a_cache_that_cannot_be_written_is_an_error_that_says_how_to_have_another(
    tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("in the way", "utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    refusal = run("render", "handbook", "--shipped", "--examples").refusal
    assert refusal.startswith("corpus 'handbook' has never been indexed, and its index cannot be")
    assert refusal.endswith("Set XDG_CACHE_HOME to a writable folder.")


def test_a_cache_that_is_no_absolute_path_is_the_one_at_home(
    kitchen: Path, run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(kitchen.parent / "home"))
    stored = run("index", shipped("contexts"), "--corpus", "plans", "--format", "json").json
    home = kitchen.parent / "home" / ".cache" / "biblicus-context"
    assert Path(stored["store"]).parent == home
    refusal = run("index", shipped("contexts"), "--corpus", "../up").refusal
    assert "the name of a corpus must be valid as the name of a folder: found '../up'" in refusal


def test_the_shipped_handbook_answers_at_once_from_the_cache_of_the_user(
    tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    question = ("--input", "question=Can I send back an opened lamp?")
    done = run("render", "handbook", "--shipped", *question)
    assert (done.status, done.err) == (0, "indexed handbook: 8 files, 11 blocks\n")
    assert "Lamps, chairs, tables and tools may be opened" in done.out
    assert not (shipped("contexts") / ".biblicus-context").exists()


@pytest.mark.parametrize("command", ["render", "explain"])
def test_a_stale_index_is_reported_next_to_the_result(run, kitchen, command):
    assert run(command, "ask", "--examples").status == 0
    (kitchen / "coffee.md").write_text("# Coffee\n\nBeans.\n", "utf-8")
    done = run(command, "ask", "--examples", "--format", "json")
    warning = (
        "warning: the index of corpus 'notes' is stale (1 new file). Run: biblicus-context index "
    )
    assert done.err.startswith(warning)
    assert done.err.count("\n") == 1
    assert run(command, "ask", "--examples", "--format", "json", "--quiet").err == ""
