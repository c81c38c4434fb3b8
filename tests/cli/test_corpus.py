"""`corpus` looks after indexes, and after nothing that is not an index of ours."""

from __future__ import annotations

import json
import os
import pty
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from biblicus_context import Corpus, Record
from biblicus_context.cli.output.terminal import format_bytes
from biblicus_context.stores import Batch, Block, Document, Entry, Principal, Readers
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.schema.tables import VERSION
from tests.corpora.damage import damaged

ROOT = Path(__file__).parents[2]
PLANS = """\
kind: corpus
name: notes
config: {root: ../kitchen, embedder: null}
---
kind: corpus
name: never
config: {root: ../nowhere}
"""


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run) -> Path:
    """A project with one declared corpus that is indexed, one that is not, and an index besides."""
    folder = tmp_path / "kitchen"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea wants water of 80 degrees.\n", "utf-8")
    (folder / "brew.py").write_text("def brew():\n    return 80\n", "utf-8")
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "corpora.yaml").write_text(PLANS, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("index", "--corpus", "notes").status == 0
    assert run("index", "kitchen", "--corpus", "loose").status == 0
    return folder


def store_of(kitchen: Path, name: str = "notes") -> Path:
    return kitchen.parent / ".biblicus-context" / name


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_list_has_what_is_declared_and_what_was_indexed_here(kitchen: Path, run):
    head, *rows = run("corpus", "list").text.splitlines()
    assert head.split() == ["corpus", "documents", "blocks", "embeddings", "size", "version",
                            "last", "change"]  # fmt: skip
    assert [row.split()[:4] for row in rows] == [
        ["notes", "2", "2", "none"],
        ["never", "not", "indexed"],
        ["loose", "2", "2", "wordllama/l2_supercat_256"],
    ]
    assert f"{datetime.now(UTC):%Y-%m-}" in rows[0]


def test_where_the_terminal_is_narrow_the_list_is_written_row_by_row(
    kitchen: Path, run, monkeypatch: pytest.MonkeyPatch
):
    _, first, *_ = run("corpus", "list").text.splitlines()
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("corpus", "list").text.splitlines()
    assert lines[0] == first.split()[0]
    assert lines[1].split() == ["documents", first.split()[1]]
    assert "  embeddings   wordllama/l2_supercat_256" in lines
    assert max(map(len, lines)) <= 40


def test_the_list_as_json_has_sizes_and_places(kitchen: Path, run):
    notes, never, loose = run("corpus", "list", "--format", "json").json
    assert (notes["declared"], notes["root"], notes["store"]) == (
        True,
        str(kitchen),
        str(store_of(kitchen)),
    )
    assert notes["bytes"] == sum(map(len, files(store_of(kitchen)).values()))
    assert never == {
        "name": "never",
        "declared": True,
        "root": str(kitchen.parent / "nowhere"),
        "store": str(store_of(kitchen, "never")),
        "problem": None,
    }
    assert (loose["declared"], loose["root"]) == (False, None)
    assert loose["vectors"] == {"wordllama/l2_supercat_256": 2}
    assert datetime.fromisoformat(loose["changed"]) <= datetime.now(UTC)


def test_where_there_is_no_corpus_the_list_says_so(tmp_path: Path, run, monkeypatch):
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "a.yaml").write_text("kind: context\nname: a\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("corpus", "list") == (0, "", "no corpus is declared or indexed here\n")


def test_the_corpus_of_the_package_is_listed_and_searched_if_it_is_asked_for(
    tmp_path: Path, run, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    listed = run("corpus", "list", "--shipped", "--format", "json").json
    assert [each["name"] for each in listed if each["root"]] == ["handbook"]
    run("render", "handbook", "--shipped", "--input", "question=returns")
    for options in ([], ["--corpus", "handbook"]):
        assert "returns.md" in run("search", "return", "--shipped", *options).text
    assert run("corpus", "list").err == "no corpus is declared or indexed here\n"
    assert "--shipped" in run("search", "return").refusal


def test_a_damaged_index_does_not_stop_the_list(kitchen: Path, run):
    (database,) = store_of(kitchen).glob("*.db")
    database.write_text("dear diary " * 99, "utf-8")
    done = run("corpus", "list")
    assert done.status == 0
    assert done.out.splitlines()[1].split() == ["notes", "cannot", "be", "read"]
    assert done.err.startswith("notes: ")
    assert "problem" in run("corpus", "list", "--format", "json").json[0]


def test_a_corpus_is_told_by_kinds_languages_and_embeddings(kitchen: Path, run):
    said = dict(line.split(None, 1) for line in run("corpus", "info", "loose").text.splitlines())
    assert said["documents"] == "2: code 1, markdown 1"
    assert said["languages"] == "python 1"
    assert said["embeddings"].endswith("2 of 256 numbers each, 100.0 % of the blocks")
    assert said["index"] == str(store_of(kitchen, "loose"))
    found = run("corpus", "info", "loose", "--format", "json").json
    assert (found["kinds"], found["languages"]) == ({"code": 1, "markdown": 1}, {"python": 1})
    assert found["coverage"] == {"wordllama/l2_supercat_256": 1.0}
    assert "embeddings  none" in run("corpus", "info", "notes").text


def test_only_what_the_caller_may_read_is_told_and_exported(kitchen: Path, run):
    with open_store(store_of(kitchen)) as store:
        for workspace, name, readers in (
            ("acme", "open", Readers()),
            ("acme", "secret", Readers(users=frozenset({"ann"}))),
            ("acme", "staff", Readers(groups=frozenset({"staff"}))),
        ):
            entry = Entry(
                Document(id=name, readers=readers),
                (Block(id=f"{name}#0", document_id=name, position=0, text=name, tokens=1),),
            )
            store.write(Principal(workspace, sees_all=True), Batch(put=(entry,)))
    asked = {
        (): [],
        ("--workspace", "acme"): ["open"],
        ("--workspace", "acme", "--as", "ann"): ["open", "secret"],
        ("--workspace", "acme", "--group", "staff", "--group", "other"): ["open", "staff"],
        ("--workspace", "other"): [],
    }
    for who, seen in asked.items():
        info = run("corpus", "info", "notes", *who, "--format", "json").json
        assert info["documents"] == (len(seen) or 2 * (not who))
        lines = [
            json.loads(line) for line in run("corpus", "export", "notes", *who).out.splitlines()
        ]
        shown = [line["id"] for line in lines if line["type"] == "document"]
        assert shown == (seen if who else ["brew.py", "tea.md"])
    everything = run("corpus", "export", "notes", "--workspace", "acme", "--everything").text
    assert everything.count('"type": "document"') == 3


def test_a_sound_index_passes_and_is_left_byte_for_byte(kitchen: Path, run):
    before = files(kitchen.parent)
    assert run("corpus", "check", "loose").text == "loose: sound\n"
    assert run("corpus", "check", "loose", "--format", "json").json == {
        "corpus": "loose",
        "store": str(store_of(kitchen, "loose")),
        "sound": True,
        "problems": [],
    }
    assert files(kitchen.parent) == before


@pytest.mark.parametrize(("name", "root"), [("notes", None), ("loose", "PATH")])
def test_a_damaged_index_is_a_finding_with_what_to_do(kitchen: Path, run, name, root):
    damaged(store_of(kitchen, name))
    before = files(kitchen.parent)
    done = run("corpus", "check", name)
    assert done.status == 1
    assert done.out.startswith(f"{name}: {store_of(kitchen, name)}")
    said, _, commands = done.err.rstrip("\n").partition(" Run: ")
    assert said == "The index can be rebuilt from its files."
    assert files(kitchen.parent) == before
    for command in commands.split(" && "):
        assert run(*shlex.split(command)[1:]).status == (2 if root and "PATH" in command else 0)
    if root is None:
        assert run("corpus", "check", name).text == f"{name}: sound\n"


@pytest.mark.parametrize("make", ["foreign", "newer"])
def test_a_database_that_is_not_ours_to_remove_is_left_alone(kitchen: Path, run, make: str):
    (database,) = store_of(kitchen).glob("*.db")
    if make == "foreign":
        database.unlink()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(
            "CREATE TABLE t (x)" if make == "foreign" else f"PRAGMA user_version = {VERSION + 1}"
        )
    done = run("corpus", "check", "notes")
    assert done.status == 1
    assert "remove" not in done.err
    assert "is not the store's" in run("corpus", "remove", "notes", "--yes").refusal
    assert database.is_file()


def test_info_names_the_folder_whose_files_are_in_it(kitchen: Path, run):
    assert run("corpus", "info", "notes", "--format", "json").json["source"] == str(kitchen)
    assert f"files       {kitchen}\n" in run("corpus", "info", "notes").text


def test_info_says_how_far_an_index_is_behind_its_files(kitchen: Path, run):
    def since() -> dict[str, int]:
        return run("corpus", "info", "notes", "--format", "json").json["since"]

    assert since() == {"new": 0, "changed": 0, "gone": 0}
    assert "since then" not in run("corpus", "info", "notes").text
    (tea, *_) = sorted(kitchen.glob("*.md"))
    tea.touch()
    (kitchen / "cup.png").write_bytes(b"\x89PNG\x00")
    assert since() == {"new": 0, "changed": 0, "gone": 0}
    tea.write_text("Cold tea.\n", "utf-8")
    (kitchen / "jam.md").write_text("Plum jam.\n", "utf-8")
    assert since() == {"new": 1, "changed": 1, "gone": 0}
    os.utime(tea, (0, 0))
    assert since() == {"new": 1, "changed": 1, "gone": 0}, "copied with its time"
    assert "since then  new 1, changed 1; run index" in run("corpus", "info", "notes").text
    run("index", "--corpus", "notes")
    (kitchen / "jam.md").unlink()
    assert since() == {"new": 0, "changed": 0, "gone": 1}
    for file in kitchen.iterdir():
        file.unlink()
    kitchen.rmdir()
    assert since() is None


def test_a_vacuum_gives_back_what_was_removed(kitchen: Path, run):
    for number in range(300):
        (kitchen / f"{number}.txt").write_text(f"note {number} " * 300, "utf-8")
    assert run("index", "--corpus", "notes").status == 0
    for number in range(300):
        (kitchen / f"{number}.txt").unlink()
    assert run("index", "--corpus", "notes").status == 0
    sizes = run("corpus", "vacuum", "notes", "--format", "json").json
    assert sizes["after"] < sizes["before"] / 2
    assert sizes["after"] == sum(map(len, files(store_of(kitchen)).values()))
    assert run("corpus", "vacuum", "notes").text.startswith("notes: ")
    assert "80 degrees" in run("search", "tea", "--corpus", "notes").text


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"), (5e15, "5000.0 TB")],
)
def test_sizes_are_told_in_units_for_people(count: int, said: str):
    assert format_bytes(count) == said


def test_an_export_is_a_line_for_the_corpus_and_one_for_each_document_and_block(kitchen, run):
    lines = [json.loads(line) for line in run("corpus", "export", "notes").text.splitlines()]
    assert [line["type"] for line in lines] == ["corpus", *["document", "block"] * 2]
    assert lines[0] == {
        "type": "corpus", "format": 1, "name": "notes", "workspace": "local", "version": 1,
        "documents": 2, "blocks": 2, "models": {},
    }  # fmt: skip
    assert lines[4]["text"] == "# Tea\n\nGreen tea wants water of 80 degrees."
    done = run("corpus", "export", "loose", "--vectors", "-o", "loose.jsonl")
    assert (done.status, done.out, done.err) == (0, "", "written: loose.jsonl\n")
    last = Path("loose.jsonl").read_text("utf-8").splitlines()[-1]
    assert [*json.loads(last)["vectors"]] == ["wordllama/l2_supercat_256"]


def test_an_export_that_fails_leaves_no_file_behind(kitchen: Path, run):
    before = files(kitchen.parent)
    assert "cannot be written" in run("corpus", "export", "notes", "-o", "no/where.jsonl").refusal
    assert "never been indexed" in run("corpus", "export", "never", "-o", "x.jsonl").refusal
    assert files(kitchen.parent) == before


def test_an_index_is_removed_and_the_files_stay(kitchen: Path, run):
    before = files(kitchen)
    removed = run("corpus", "remove", "notes", "--yes", "--format", "json").json
    assert removed["store"] == str(store_of(kitchen))
    assert removed["bytes"] > 100_000
    assert not store_of(kitchen).exists()
    assert store_of(kitchen, "loose").is_dir()
    assert files(kitchen) == before
    assert "never been indexed" in run("corpus", "remove", "notes", "--yes").refusal


def test_before_an_index_is_removed_somebody_is_asked(kitchen: Path, run):
    assert (
        "cannot ask for confirmation: the input is not a terminal"
        in run("corpus", "remove", "loose").refusal
    )
    for answer, status in (("n\n", 1), ("y\n", 0)):
        said = answered("corpus", "remove", "loose", answer=answer)
        assert f"Remove {store_of(kitchen, 'loose')} (" in said.stderr
        assert said.returncode == status
        assert store_of(kitchen, "loose").exists() == bool(status)


def answered(*arguments: str, answer: str) -> subprocess.CompletedProcess[str]:
    """A command of a person at a terminal."""
    master, slave = pty.openpty()
    os.write(master, answer.encode())
    try:
        return subprocess.run(
            [sys.executable, "-m", "biblicus_context", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=slave, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("in_the_way", ["notes.txt", "deep/er.db", "acme.db"])
def test_a_folder_with_something_else_in_it_is_not_removed(kitchen: Path, run, in_the_way: str):
    file = store_of(kitchen) / in_the_way
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine", "utf-8")
    before = files(kitchen.parent)
    refusal = run("corpus", "remove", "notes", "--yes").refusal
    assert "the folder contains a file that is not the store's, so nothing is removed" in refusal
    assert repr(in_the_way.partition("/")[0]) in refusal
    assert files(kitchen.parent) == before


def test_what_is_no_index_is_not_listed_and_not_removed(kitchen: Path, run):
    other = store_of(kitchen, "other")
    other.mkdir()
    (other / "mine.txt").write_text("mine", "utf-8")
    store_of(kitchen, "never").mkdir()
    (store_of(kitchen, "linked")).symlink_to(store_of(kitchen, "loose"))
    assert "other" not in run("corpus", "list").out
    refusal = run("corpus", "remove", "other", "--yes").refusal
    assert refusal.startswith("Corpus 'other' not defined. Known: ")
    assert "not a store" in run("corpus", "remove", "never", "--yes").refusal
    assert "this is a link" in run("corpus", "remove", "linked", "--yes").refusal
    assert (other / "mine.txt").read_text() == "mine"
    assert store_of(kitchen, "loose").is_dir()


@pytest.mark.parametrize("action", ["info", "check", "vacuum", "export", "remove"])
def test_a_misspelt_name_is_answered_with_the_nearest(kitchen: Path, run, action: str):
    refusal = run("corpus", action, "nots").refusal
    assert refusal == (
        "Corpus 'nots' not defined. Known: loose, never, notes. Did you mean 'notes'?"
    )


def test_a_group_of_commands_says_what_is_in_it(run):
    for arguments in (("corpus",), ("corpus", "--help"), ("corpus", "-h")):
        assert "\n  vacuum  " in run(*arguments).text
    assert run("corpus", "remve", "x").refusal == (
        "unknown corpus command: found 'remve'. Valid: list, info, check, vacuum, export, copy, "
        "import, remove. Did you mean 'remove'?"
    )
    assert "Missing argument 'NAME'" in run("corpus", "check").refusal


def test_a_corpus_that_programs_write_has_nothing_to_index(tmp_path, monkeypatch, run):
    plans = tmp_path / "contexts"
    plans.mkdir()
    (plans / "memory.yaml").write_text(
        "kind: corpus\nname: memories\nconfig: {store: ../memories, embedder: null}\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert "nothing written" in run("corpus", "list").text
    done = run("index")
    assert (done.status, done.err) == (0, "memories: it has no root, so there is nothing to read\n")
    assert "has no root, so there is nothing to read" in run("index", "--corpus", "memories").err
    assert "nothing was ever written" in run("corpus", "info", "memories").err
    assert not (tmp_path / "memories").exists()

    with Corpus.open_records(tmp_path / "memories") as memories:
        memories.put([Record(id="m1", text="We ship on Friday.")])
    info = run("corpus", "info", "memories").text
    assert "documents   1: document 1" in info
    assert "since" not in info
    assert run("corpus", "check", "memories").text == "memories: sound\n"
    assert '"text": "We ship on Friday."' in run("corpus", "export", "memories").text
    assert "m1" in run("search", "ship", "--corpus", "memories", "--by", "keyword").text
    (listed,) = json.loads(run("corpus", "list", "--format", "json").text)
    assert (listed["root"], listed["documents"]) == (None, 1)
