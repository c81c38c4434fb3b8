"""`index` makes files searchable and says what became of each."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Event

import pytest

from biblicus_context.ingest import watching
from tests.ingest.git.build import Made, repository, shas

PLANS = """\
kind: context
name: ask
inputs: {question: {type: string, example: How hot?}}
messages:
  - {type: system, content: Answer from the evidence.}
  - {type: context, name: kb}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: notes
config: {retriever_id: hybrid, query: "{input.question}"}
---
kind: corpus
name: notes
config: {root: ../kitchen}
"""


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "kitchen"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea wants water of 80 degrees.\n", "utf-8")
    (folder / "cup.png").write_bytes(b"\x89PNG\x00")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def declared(kitchen: Path) -> Path:
    folder = kitchen.parent / "contexts"
    folder.mkdir()
    (folder / "ask.yaml").write_text(PLANS, "utf-8")
    return folder


def test_a_folder_is_indexed_and_every_file_accounted_for(kitchen: Path, run):
    lines = run("index", "kitchen").text.splitlines()
    assert lines[0] == "kitchen: 1 added, 0 changed, 0 unchanged, 0 removed, 1 skipped"
    assert lines[1].startswith("1 block (")
    assert " tokens): 1 embedded, 0 reused; " in lines[1]
    assert "MB/s" not in lines[1]  # of a few bytes the rate says nothing
    assert lines[2].startswith("  skipped cup.png: ")
    again = run("index", kitchen, "--corpus", "kitchen").text
    assert again.startswith("kitchen: 0 added, 0 changed, 1 unchanged")
    assert "embedded" not in again
    (tea,) = kitchen.glob("*.md")
    tea.rename(kitchen / "renamed.md")
    renamed = run("index", kitchen, "--corpus", "kitchen").text
    assert " tokens): 0 embedded, 1 reused; " in renamed


def test_the_account_as_json_names_the_store(kitchen: Path, run):
    account = run("index", "kitchen", "--corpus", "drinks", "--format", "json").json
    assert account["corpus"] == "drinks"
    assert account["store"] == str(kitchen.parent / ".biblicus-context" / "drinks")
    assert account["added"] == ["tea.md"]
    assert account["skipped"][0]["name"] == "cup.png"


def test_a_long_list_of_notes_is_cut(kitchen: Path, run):
    for number in range(30):
        (kitchen / f"{number}.png").write_bytes(b"\x89PNG\x00")
    assert run("index", "kitchen").text.endswith("and 11 more; list all with --format json\n")


def test_a_declared_corpus_is_indexed_by_its_name_or_by_its_root(declared: Path, run):
    assert run("index", "--corpus", "notes").text.startswith("notes: 1 added")
    again = run("index", "kitchen", "--corpus", "notes").text
    assert again.startswith("notes: 0 added, 0 changed, 1 unchanged")


def test_what_is_rendered_after_an_index_holds_real_evidence(declared: Path, run):
    run("index", "--corpus", "notes")
    assert "80 degrees" in run("render", "ask", "--examples").text


def test_a_recorded_answer_goes_before_the_corpus(declared: Path, run):
    (declared.parent / "packs.yaml").write_text("kb: [recorded]\n", "utf-8")
    text = run("render", "ask", "--examples", "--packs", "packs.yaml").text
    assert "recorded" in text
    assert "80 degrees" not in text


def test_a_corpus_is_never_mistaken_for_another(declared: Path, run):
    refused = run("index", "contexts", "--corpus", "notes").refusal
    assert "corpus 'notes' is declared with another root: found 'contexts'" in refused
    assert "Corpus 'nots' not defined" in run("index", "--corpus", "nots").refusal
    assert "no such file or folder" in run("index", "nowhere").refusal


def test_without_a_name_every_declared_corpus_is_brought_up_to_date(declared: Path, run):
    (declared / "more.yaml").write_text(
        "kind: corpus\nname: tools\nconfig: {root: ../shed}\n", "utf-8"
    )
    (declared.parent / "shed").mkdir()
    (declared.parent / "shed" / "rake.md").write_text("A rake.\n", "utf-8")
    said = run("index").text
    assert [line[:14] for line in said.splitlines() if "added" in line] == [
        "notes: 1 added",
        "tools: 1 added",
    ]
    (declared.parent / "shed" / "saw.md").write_text("A saw.\n", "utf-8")
    again = run("index", "--format", "json").json
    assert [(each["corpus"], each["added"]) for each in again] == [
        ("notes", []),
        ("tools", ["saw.md"]),
    ]


def test_a_corpus_that_cannot_be_indexed_does_not_stop_the_others(declared: Path, run):
    (declared / "a.yaml").write_text("kind: corpus\nname: gone\nconfig: {root: ../gone}\n", "utf-8")
    done = run("index")
    assert done.status == 2
    assert done.out.startswith("notes: 1 added")
    assert done.err.startswith("error: corpus 'gone': no such file or folder")
    status, out, _ = run("index", "--format", "json")
    assert status == 2
    assert [each.get("error", {}).get("problem") for each in json.loads(out)] == [
        "no such file or folder",
        None,
    ]


@pytest.mark.parametrize("option", [["--watch"], ["--store", "x"]])
def test_an_option_for_one_corpus_is_refused_where_several_are_meant(declared: Path, run, option):
    (declared / "more.yaml").write_text(
        "kind: corpus\nname: tools\nconfig: {root: ../shed}\n", "utf-8"
    )
    assert run("index", *option).refusal.endswith("Valid: notes, tools. Pass --corpus NAME.")


def test_a_quiet_index_says_nothing(declared: Path, run):
    assert run("-q", "index") == (0, "", "")


@pytest.mark.parametrize("more", [[], ["--corpus", "other"]])
def test_a_misspelt_folder_leaves_nothing_behind(kitchen: Path, run, more: list[str]):
    refusal = run("index", "typo/deep/folder", *more).refusal
    assert "no such file or folder" in refusal
    assert [*kitchen.parent.iterdir()] == [kitchen]
    assert run("corpus", "list", "--format", "json").json == []


def test_another_folder_takes_an_index_only_where_that_is_said(kitchen: Path, run):
    run("index", "kitchen", "--corpus", "notes")
    (kitchen.parent / "shed").mkdir()
    (kitchen.parent / "shed" / "rake.md").write_text("A rake.\n", "utf-8")
    refusal = run("index", "shed", "--corpus", "notes").refusal
    assert f"corpus 'notes' was indexed from {kitchen}, not from {kitchen.parent}" in refusal
    assert "tea.md" in run("search", "tea", "--corpus", "notes").text
    said = run("index", "shed", "--corpus", "notes", "--replace").text
    assert said.startswith("notes: 1 added, 0 changed, 0 unchanged, 1 removed")
    assert "rake.md" in run("search", "rake", "--corpus", "notes").text


def test_a_root_that_is_empty_now_keeps_its_index_unless_that_is_said(kitchen: Path, run):
    run("index", "kitchen")
    for file in kitchen.iterdir():
        file.unlink()
    said = run("index", "kitchen").text
    assert "0 removed, 1 skipped\n" in said
    assert "skipped ./: the folder has no files; its indexed documents stay" in said
    assert "tea.md" in run("search", "tea", "--corpus", "kitchen").text
    assert "1 removed" in run("index", "kitchen", "--replace").text


def test_an_index_is_named_by_its_folder_from_anywhere(kitchen: Path, run, tmp_path_factory):
    away = tmp_path_factory.mktemp("away") / "index"
    for options, name in (
        (["kitchen"], "kitchen"),
        (["kitchen", "--corpus", "food"], "food"),
        (["kitchen", "--store", away], away),
    ):
        said = run("index", *options).text
        assert f"--corpus {name}\n" in said or "Search it" not in said
        assert "tea.md" in run("search", "tea", "--corpus", name).text


def test_an_index_in_a_folder_below_is_listed_and_found_by_its_path(kitchen: Path, run):
    (kitchen / "shelf").mkdir()
    (kitchen / "shelf" / "jam.md").write_text("Plum jam.\n", "utf-8")
    said = run("index", "kitchen/shelf").text
    assert said.endswith("\nSearch it: biblicus-context search QUERY --corpus kitchen/shelf\n")
    assert "jam.md" in run("search", "jam").text
    assert "jam.md" in run("search", "jam", "--corpus", "kitchen/shelf").text
    assert "Known: kitchen/shelf" in run("search", "jam", "--corpus", "shelf").refusal


def test_a_plan_may_say_where_the_index_is(declared: Path, run):
    text = PLANS.replace("root: ../kitchen", "root: ../kitchen, store: ../indexes/food")
    (declared / "ask.yaml").write_text(text, "utf-8")
    assert run("index", "--corpus", "notes").status == 0
    assert (declared.parent / "indexes" / "food").is_dir()
    assert "tea.md" in run("search", "tea").text
    assert "80 degrees" in run("render", "ask", "--input", "question=tea").text


def test_a_plan_that_names_another_folder_is_not_answered_from_the_one_before(declared: Path, run):
    run("index", "--corpus", "notes")
    (declared.parent / "shed").mkdir()
    plans = PLANS.replace("../kitchen", "../shed")
    (declared / "ask.yaml").write_text(plans, "utf-8")
    for command in (["render", "ask", "--input", "question=tea"], ["search", "tea"]):
        refusal = run(*command).refusal
        assert "was indexed from" in refusal
        assert "--replace" in refusal


@pytest.mark.parametrize("options", [[os.fsdecode(b"r\xff")], ["kitchen", "--corpus", ""]])
def test_a_name_that_cannot_be_kept_is_refused(kitchen: Path, run, options: list[str]):
    (kitchen.parent / os.fsdecode(b"r\xff")).mkdir()
    assert "name" in run("index", *options).refusal


def test_names_with_line_breaks_stand_on_one_line(kitchen: Path, run):
    (kitchen / "a\nb\r.png").write_bytes(b"\x89PNG\x00")
    lines = run("index", "kitchen", "--corpus", "a\nb").text.split("\n")
    assert lines[0].startswith("a\\x0ab: 1 added")
    assert lines[2] == "  skipped a\\x0ab\\x0d.png: a picture; it needs a reader of yours"
    account = run("index", "kitchen", "--corpus", "a\nb", "--format", "json").json
    assert account["skipped"][0]["name"] == "a\nb\r.png"


def test_watching_indexes_again_until_it_is_stopped(
    kitchen: Path, run, monkeypatch: pytest.MonkeyPatch
):
    def twice(index, roots, *, stop: Event, settings, on_error) -> None:
        assert [*map(str, roots)] == [str(kitchen)]
        index()
        (kitchen / "rye.md").write_text("Rye bread.\n", "utf-8")
        index()

    monkeypatch.setattr(watching, "watch", twice)
    lines = run("index", "kitchen", "--watch").text.splitlines()
    assert "1 added, 0 changed, 0 unchanged" in lines[0]
    assert any("1 added, 0 changed, 1 unchanged" in line for line in lines)


def test_a_bar_is_drawn_where_somebody_looks_at_one(
    kitchen: Path, run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    done = run("index", "kitchen")
    assert done.status == 0
    assert done.out.startswith("kitchen: 1 added")


def test_a_history_is_indexed_by_commits_and_not_watched(run, kitchen: Path, declared: Path):
    text = (declared / "ask.yaml").read_text("utf-8")
    (declared / "ask.yaml").write_text(text.replace("../kitchen}", "../kitchen, source: git}"))
    repository(kitchen, [Made(b"Boil the tea", {b"tea.md": b"hot"})])
    assert "notes: 1 added, 0 changed" in run("index", "--corpus", "notes").out
    assert shas(kitchen)[0] in run("search", "tea", "--corpus", "notes").out
    assert "commit 1" in run("corpus", "info", "notes").out
    repository(kitchen, [Made(b"Salt", {b"salt.md": b"x"})])
    assert "new 1; run index" in run("corpus", "info", "notes").out
    assert "--watch watches files" in run("index", "--corpus", "notes", "--watch").refusal
