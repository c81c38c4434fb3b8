"""A store follows its files: what is new, changed, gone, and what cannot be read just now."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.errors import EmbedderError, InputError, MissingExtraError, PlanError
from biblicus_context.ingest import (
    ChunkSettings,
    Content,
    IngestSettings,
    Parsed,
    Progress,
    ReaderRegistry,
    Section,
    SkippedFile,
    UnreadableError,
    WalkSettings,
    ingest,
)
from biblicus_context.ingest.files import content as content_room
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    Readers as DocumentReaders,
    Store,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import blocks, search_text, seen
from tests.ingest.build import ANN, WORDS, embedder, held, known, run, texts, written
from tests.ingest.pdfs import pdf
from tests.permissions import permissions_hold

HANDBOOK = {
    "a.md": "# One\n\nwords here",
    "sub/b.txt": "more words",
    "c.py": "def f():\n    pass\n",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "files", HANDBOOK)


def test_files_become_documents_with_blocks_that_are_found(store: Store, root: Path):
    summary = run(store, root)
    assert summary.added == ("a.md", "c.py", "sub/b.txt")
    assert (summary.blocks, summary.embedded, summary.unchanged) == (3, 3, 0)
    assert summary.bytes == sum(len(text) for text in HANDBOOK.values())
    (hit,) = search_text(store, ANN, ["here"])
    (block,) = blocks(store, ANN, [hit.block_id])
    assert (block.text, block.lines, block.heading) == ("# One\n\nwords here", (1, 3), ("One",))
    (document,) = seen(store, ANN).documents(["a.md"])
    assert (document.kind, document.title, document.path) == ("markdown", "One", "a.md")
    assert summary.version == seen(store, ANN).state.version
    assert seen(store, ANN).vectors("tiny", [block.id])


def test_an_ingest_of_the_same_files_writes_nothing(store: Store, root: Path):
    run(store, root)
    version = seen(store, ANN).state.version
    summary = run(store, root)
    assert (summary.unchanged, summary.added, summary.changed, summary.embedded) == (3, (), (), 0)
    assert seen(store, ANN).state.version == version


def test_only_what_changed_is_read_again(store: Store, root: Path):
    run(store, root)
    before = held(store)
    written(root, {"a.md": "# One\n\nother words", "d.md": "new"})
    summary = run(store, root)
    assert (summary.changed, summary.added, summary.unchanged) == (("a.md",), ("d.md",), 2)
    assert texts(store, "a.md") == ["# One\n\nother words"]
    assert held(store)["c.py"] == before["c.py"]


def test_a_block_that_stays_the_same_keeps_its_id(store: Store, tmp_path: Path):
    long = " ".join(f"word{n}" for n in range(120))
    root = written(tmp_path / "files", {"a.md": f"# A\n{long}\n# B\n{long} b\n"})
    run(store, root)
    first, second = held(store)["a.md"]
    written(root, {"a.md": f"# New\n{long} new\n# A\n{long}\n# B\n{long} b\n"})
    run(store, root)
    assert held(store)["a.md"][1:] == (first, second)


def test_who_may_read_a_document_stays_when_its_file_changes(store: Store, root: Path):
    run(store, root)
    (document,) = seen(store, ANN).documents(["a.md"])
    hidden = replace(document, readers=DocumentReaders(groups=frozenset({"hr"})))
    store.write(ANN, Batch(put=(Entry(hidden),)))
    written(root, {"a.md": "# One\n\nother words", "c.py": "def g():\n    pass\n"})
    assert run(store, root).changed == ("a.md", "c.py")
    assert seen(store, ANN).documents(["a.md"])[0].readers == hidden.readers
    others = seen(store, Principal(ANN.workspace, user="bob")).list_documents()
    assert [each.id for each in others] == ["c.py", "sub/b.txt"]
    assert not search_text(store, Principal(ANN.workspace, user="bob"), ["other"])


def test_who_may_read_a_document_is_that_of_the_moment_of_the_write(store: Store, root: Path):
    """Another program hides it while its file is indexed again."""
    run(store, root)
    (document,) = seen(store, ANN).documents(["a.md"])
    hidden = replace(document, readers=DocumentReaders(groups=frozenset({"hr"})))

    meanwhile = [Batch(put=(Entry(hidden),))]

    class Overtaken(Store):
        """One in which somebody else is faster, once."""

        def write(self, principal: Principal, batch: Batch, **how: Any) -> int:
            while meanwhile and batch.put:
                store.write(ANN, meanwhile.pop())
            return super().write(principal, batch, **how)

    written(root, {"a.md": "# One\n\nother words"})
    assert run(Overtaken(store.source), root).changed == ("a.md",)
    assert seen(store, ANN).documents(["a.md"])[0].readers == hidden.readers


def test_a_time_that_no_calendar_has_in_utc_is_left_out(store: Store, tmp_path: Path):
    said = "date: 0001-01-01T00:00:00+05:00\nupdated: 9999-12-31T23:59:59-12:00"
    root = written(tmp_path / "files", {"a.md": f"---\n{said}\n---\nwords"})
    run(store, root)
    (document,) = seen(store, ANN).documents(["a.md"])
    assert (document.created, document.updated) == (None, None)
    assert seen(store, ANN).recent() == ()


def test_what_is_gone_is_removed(store: Store, root: Path):
    run(store, root)
    (root / "a.md").unlink()
    assert run(store, root).removed == ("a.md",)
    assert known(store) == ["c.py", "sub/b.txt"]
    assert not search_text(store, ANN, ["here"])


def test_what_is_gone_may_stay(store: Store, root: Path):
    run(store, root)
    (root / "a.md").unlink()
    assert run(store, root, settings=IngestSettings(remove_gone=False)).removed == ()
    assert "a.md" in known(store)


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a.md").write_bytes(b"\0\0"),
        lambda root: (root / "a.md").write_bytes(b"  \n"),
        lambda root: (root / ".gitignore").write_text("a.md"),
        lambda root: ((root / "a.md").unlink(), (root / "a.md").symlink_to(root / "c.py")),
        lambda root: os.truncate(root / "a.md", 10**9),
    ],
    ids=["binary", "empty", "ignored", "a link", "too large"],
)
def test_what_may_not_be_read_any_more_is_removed(store: Store, root: Path, change):
    run(store, root)
    change(root)
    summary = run(store, root)
    assert summary.removed == ("a.md",)
    assert "a.md" in {each.name for each in summary.skipped}
    assert run(store, root).removed == ()


def test_what_cannot_be_looked_at_just_now_stays(store: Store, root: Path, monkeypatch):
    run(store, root)
    lstat = Path.lstat

    def failing(path: Path) -> os.stat_result:
        if path.name == "a.md":
            raise OSError(5, "Input/output error")
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", failing)
    assert run(store, root).removed == ()
    assert "a.md" in known(store)


def test_what_cannot_be_read_just_now_stays(store: Store, root: Path, monkeypatch):
    written(root, {"a.md.txt": "one"})
    run(store, root)
    opened = content_room.open_regular

    def failing(path: Path):
        if path.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return opened(path)

    monkeypatch.setattr(content_room, "open_regular", failing)
    (root / "a.md.txt").unlink()
    summary = run(store, root)
    assert summary.removed == ("a.md.txt",), "only the file itself stays, not what is called alike"
    reason = "cannot be read: Permission denied; its indexed documents stay"
    assert SkippedFile("a.md", reason, for_now=True) in summary.skipped
    assert "a.md" in known(store)


def test_a_folder_that_cannot_be_listed_just_now_keeps_its_documents(
    store, root: Path, monkeypatch
):
    written(root, {"subway.md": "words"})
    run(store, root)
    listed = os.scandir

    def failing(path):
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", failing)
    (root / "subway.md").unlink()
    assert run(store, root).removed == ("subway.md",)
    assert "sub/b.txt" in known(store)


@pytest.mark.parametrize("mode", [0o311, 0o444, 0], ids=oct)
def test_a_root_that_cannot_be_looked_into_just_now_keeps_all_documents(store, root: Path, mode):
    run(store, root)
    root.chmod(mode)
    try:
        with permissions_hold():
            summary = run(store, root)
    finally:
        root.chmod(0o700)
    assert summary.removed == ()
    assert known(store) == sorted(HANDBOOK)
    assert summary.skipped[0].name == "./"
    assert "cannot be read: Permission denied" in summary.skipped[0].reason
    assert run(store, root).unchanged == 3


def test_one_of_several_roots_that_cannot_be_looked_into_keeps_its_documents(store, root: Path):
    notes = written(root.parent / "notes", {"x.md": "x", "y.md": "y"})
    run(store, root, notes)
    root.chmod(0)
    (notes / "x.md").unlink()
    try:
        with permissions_hold():
            summary = run(store, root, notes)
    finally:
        root.chmod(0o700)
    assert summary.removed == ("notes/x.md",)
    assert [each.name for each in summary.skipped] == ["files/"]


def test_where_patterns_cannot_be_read_nothing_of_their_folder_is_taken_or_removed(
    store, root: Path
):
    written(root, {"sub/.gitignore": "secret.md"})
    run(store, root)
    written(root, {"sub/secret.md": "secret", "sub/new.md": "new"})
    (root / "sub/.gitignore").chmod(0)
    with permissions_hold():
        summary = run(store, root)
    reason = "sub/.gitignore cannot be read: Permission denied"
    assert summary.skipped == (SkippedFile("sub/", reason, for_now=True),)
    assert known(store) == sorted(HANDBOOK)
    (root / "sub/.gitignore").chmod(0o600)
    assert run(store, root).added == ("sub/new.md",)


def test_a_file_that_cannot_be_parsed_any_more_keeps_its_last_good_document(store, root: Path):
    written(root, {"data.json": '["good"]', "talk.jsonl": '"good"\n'})
    run(store, root)
    written(root, {"data.json": '["half of i', "talk.jsonl": '"ha', "other.json": "["})
    for _ in range(2):
        summary = run(store, root)
        assert (summary.removed, summary.changed) == ((), ())
        assert texts(store, "data.json") == texts(store, "talk.jsonl") == ['"good"']
        stays = "; its indexed documents stay"
        assert {each.name: each.reason for each in summary.skipped} == {
            "data.json": f"it is not JSON (JSONDecodeError){stays}",
            "other.json": "it is not JSON (JSONDecodeError)",
            "talk.jsonl": f"no line of it is JSON{stays}",
        }
    written(root, {"data.json": '["better"]'})
    (root / "talk.jsonl").unlink()
    summary = run(store, root)
    assert (summary.changed, summary.removed) == (("data.json",), ("talk.jsonl",))


@pytest.mark.parametrize("content", [b"", b" \n", b"\0\0"], ids=["none", "blank", "binary"])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ipynb", "a.csv"])
def test_a_file_that_became_empty_or_binary_is_removed(store, tmp_path: Path, name, content):
    cell = '{"cells": [{"cell_type": "raw", "source": "x"}]}\n'
    root = written(tmp_path / "files", {name: f"a,b\n{cell}" if name == "a.csv" else cell})
    run(store, root)
    written(root, {name: content})
    summary = run(store, root)
    assert summary.removed == (name,)
    assert summary.skipped[0].reason in {"empty", "not text, and not a known format"}


@pytest.mark.parametrize(
    ("name", "before", "after", "reason"),
    [
        ("a.csv", "a,b\n1,2\n", "a,b\n", "it has a header, but no rows"),
        ("a.json", "[1]", "[]", "empty"),
        ("a.pdf", pdf("Words."), pdf(""), "it has no text, perhaps only pictures"),
    ],
)
def test_a_file_in_which_nothing_is_left_to_read_is_removed_for_the_reason_that_it_has(
    store: Store, tmp_path: Path, name, before, after, reason
):
    root = written(tmp_path / "files", {name: before})
    run(store, root)
    summary = run(store, written(root, {name: after}))
    assert (summary.removed, summary.skipped) == ((name,), (SkippedFile(name, reason),))
    assert summary.remarks == ()


def test_turns_of_one_session_follow_each_other_however_a_log_mixes_them(store, tmp_path: Path):
    said = [("b", "one"), ("a", "two"), (None, "three"), ("b", "four"), ("a ", "five")]
    turns = [{"role": "user", "content": text, "session": session} for session, text in said]
    root = written(tmp_path / "files", {"a.jsonl": "\n".join(map(json.dumps, turns))})
    run(store, root)
    found = seen(store, ANN).blocks_of(["a.jsonl"])
    assert [(each.position, each.session, each.text, each.lines) for each in found] == [
        (0, "b", "one", (1, 1)),
        (1, "b", "four", (4, 4)),
        (2, "a", "two", (2, 2)),
        (3, "a", "five", (5, 5)),
        (4, "a.jsonl", "three", (3, 3)),
    ]


def test_confidence_and_importance_of_front_matter_are_the_documents(store, tmp_path: Path):
    front = "---\nconfidence: 0.25\nimportance: 1\n---\nwords"
    run(store, written(tmp_path / "files", {"a.md": front, "b.md": "words"}))
    said, unsaid = seen(store, ANN).documents(["a.md", "b.md"])
    assert (said.confidence, said.importance) == (0.25, 1.0)
    assert (unsaid.confidence, unsaid.importance) == (None, None)


def test_a_root_that_is_gone_removes_nothing(store: Store, root: Path):
    run(store, root)
    root.rename(root.with_name("elsewhere"))
    with pytest.raises(InputError, match="no such file"):
        run(store, root)
    assert len(known(store)) == 3


def test_what_no_ingest_wrote_is_left_alone(store: Store, root: Path):
    block = Block(id="memory#1", document_id="memory", position=0, text="said once", tokens=2)
    store.write(ANN, Batch(put=(Entry(Document(id="memory", text_hash="x"), (block,)),)))
    assert run(store, root).removed == ()
    assert "memory" in known(store)


def test_a_renamed_file_is_not_embedded_again(store: Store, root: Path):
    run(store, root)
    (root / "a.md").rename(root / "z.md")
    summary = run(store, root)
    assert (summary.added, summary.removed, summary.embedded) == (("z.md",), ("a.md",), 0)
    assert (summary.known, summary.hit_rate) == (summary.blocks, 1.0)


def test_a_text_that_stands_twice_is_embedded_once(store: Store, tmp_path: Path):
    root = written(tmp_path / "files", {"a.txt": "the same", "b.txt": "the same"})
    summary = run(store, root)
    assert (summary.embedded, summary.known, summary.hit_rate) == (1, 1, 0.5)
    assert run(store, root).hit_rate is None


def test_files_of_several_roots_carry_the_name_of_their_root(
    store: Store, root: Path, tmp_path: Path
):
    written(tmp_path / "notes", {"a.md": "a note"})
    written(tmp_path, {"single.md": "alone"})
    run(store, root, tmp_path / "notes", tmp_path / "single.md")
    assert known(store) == [
        "files/a.md",
        "files/c.py",
        "files/sub/b.txt",
        "notes/a.md",
        "single.md",
    ]
    summary = run(store, root, tmp_path / "notes")
    assert summary.removed == ("single.md",)
    with pytest.raises(InputError, match="no such file"):
        run(store, root, tmp_path / "nothing")
    assert len(known(store)) == 4


def test_a_root_with_a_relative_path_has_its_real_name(store: Store, root: Path, monkeypatch):
    monkeypatch.chdir(root / "sub")
    written(root.parent, {"notes/x.md": "x"})
    run(store, Path(".."), Path("../../notes"))
    assert "files/a.md" in known(store)


@pytest.mark.parametrize(
    ("roots", "said"),
    [
        ((), "no file or folder given"),
        (("files", "other/files"), "same name"),
        (("files", "files/sub"), "inside another"),
        (("files/a.md", "files"), "inside another"),
        (("files", "files"), "same name"),
    ],
)
def test_roots_that_cannot_be_told_apart_are_refused(store, root, tmp_path, roots, said):
    written(tmp_path / "other/files", {"a.md": "words"})
    with pytest.raises(InputError, match=said):
        run(store, *(tmp_path / each for each in roots))


def test_other_settings_read_everything_again(store: Store, root: Path):
    run(store, root)
    smaller = IngestSettings(chunks=ChunkSettings(least=1, target=2, most=3))
    assert len(run(store, root, settings=smaller).changed) == 3
    assert run(store, root, settings=smaller).unchanged == 3
    other = FunctionEmbedder(lambda texts: [[1.0]] * len(texts), model="other", dimensions=1)
    summary = ingest(store, ANN, [root], counter=WORDS, embedder=other, settings=smaller)
    assert len(summary.changed) == 3
    assert len(ingest(store, ANN, [root], counter=WORDS).changed) == 3


def test_every_file_is_accounted_for_once(store: Store, root: Path):
    written(
        root, {"bad.pdf": "no pdf", "e.bin": b"\0", "empty.md": "", "bad.json": "{", ".x": "hidden"}
    )
    run(store, root)
    written(root, {"a.md": "changed", "new.md": "new"})
    (root / "c.py").unlink()
    summary = run(store, root)
    skipped = [each.name for each in summary.skipped]
    named = [*summary.added, *summary.changed, *skipped]
    there = {each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file()}
    assert len(named) + summary.unchanged == len(there) == len({*named}) + summary.unchanged
    assert {*named} <= there
    reasons = {each.name: each.reason for each in summary.skipped}
    assert reasons["e.bin"] == "not text, and not a known format"
    assert reasons["empty.md"] == "empty"
    assert reasons["bad.json"] == "it is not JSON (JSONDecodeError)"
    assert reasons["bad.pdf"].startswith("it is not a valid PDF")


def test_progress_begins_with_the_first_file_and_ends_with_all(store: Store, root: Path):
    seen: list[Progress] = []
    ingest(store, ANN, [root], counter=WORDS, on_progress=seen.append)
    assert [each.current for each in seen] == ["a.md", "c.py", "sub/b.txt", ""]
    assert [each.files for each in seen] == [0, 1, 2, 3]
    assert {each.all_files for each in seen} == {3}
    assert seen[-1].bytes == seen[-1].all_bytes == sum(len(text) for text in HANDBOOK.values())
    assert seen[-1].seconds_left == 0


def test_progress_knows_its_rate_only_once_there_is_one():
    assert Progress(0, 2, 0, 100, 0.0, "a").seconds_left is None
    assert Progress(1, 2, 25, 100, 5.0, "b").bytes_per_second == 5
    assert Progress(1, 2, 25, 100, 5.0, "b").seconds_left == 15


def test_many_blocks_are_written_in_several_batches(store: Store, tmp_path: Path):
    line = '{"text": "row %d"}\n'
    files = {f"{n}.jsonl": "".join(line % (1000 * n + k) for k in range(700)) for n in range(7)}
    summary = run(store, written(tmp_path / "files", files))
    assert summary.blocks == 4900
    assert summary.version == 3, "batches of at least two thousand blocks, in whole documents"


def test_a_remark_says_what_was_not_read_as_it_was_meant(store: Store, tmp_path: Path):
    root = written(tmp_path / "files", {"a.txt": b"caf\xe9 au lait", "b.py": "def f(:\n"})
    remarks = {each.name: each.note for each in run(store, root).remarks}
    assert remarks["a.txt"] == "bytes that are not UTF-8 were replaced by \ufffd"
    assert remarks["b.py"] == "it is not valid Python, so it is split by indentation"


def test_a_reader_of_the_callers_own_is_used_for_its_suffix(store: Store, tmp_path: Path):
    def shout(content: Content) -> Parsed:
        return Parsed("shout", (Section(content.text().upper()),))

    root = written(tmp_path / "files", {"a.LOUD": b"words\0", "b.md": "words"})
    assert run(store, root).added == ("b.md",)
    readers = ReaderRegistry({"loud": shout})
    summary = ingest(store, ANN, [root], counter=WORDS, embedder=embedder(), readers=readers)
    assert (summary.added, summary.unchanged) == (("a.LOUD",), 1)
    assert texts(store, "a.LOUD") == ["WORDS\ufffd"]


def test_a_reader_that_was_added_sees_blank_files_as_well(store: Store, tmp_path: Path):
    root = written(tmp_path / "files", {"a.odd": " \n", "b.md": " \n"})
    readers = ReaderRegistry({".odd": lambda _: Parsed("odd", (Section("words"),))})
    assert ingest(store, ANN, [root], counter=WORDS, readers=readers).added == ("a.odd",)


def test_readers_that_are_installed_are_used(store: Store, tmp_path: Path, monkeypatch):
    folder = written(
        tmp_path / "site",
        {
            "loud_reader.py": "from biblicus_context.ingest import Parsed, Section\n"
            "def read(content):\n    return Parsed('loud', (Section('LOUD'),))\n",
            "loud-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n",
            "loud-1.0.dist-info/entry_points.txt": "[biblicus_context.readers]\n.loud = loud_reader:read\n",
        },
    )
    monkeypatch.syspath_prepend(folder)
    run(store, written(tmp_path / "files", {"a.loud": "words"}))
    assert texts(store, "a.loud") == ["LOUD"]


def test_a_reader_that_cannot_be_loaded_names_its_entry_point(tmp_path: Path, monkeypatch):
    points = "[biblicus_context.readers]\n.loud = no_such_module:read\n"
    about = {"METADATA": "Name: loud\nVersion: 1.0\n", "entry_points.txt": points}
    monkeypatch.syspath_prepend(written(tmp_path / "site" / "loud-1.0.dist-info", about).parent)
    with pytest.raises(PlanError, match=r"reader '.loud': the entry point 'no_such_module:read'"):
        ReaderRegistry()


def test_a_reader_that_is_no_callable_is_refused():
    with pytest.raises(PlanError, match=r"reader '.odd': a reader is a callable .*found 'str'"):
        ReaderRegistry({".odd": "read"})


@pytest.mark.parametrize(
    ("error", "reason", "for_now"),
    [
        (UnreadableError("it is odd"), "it is odd", True),
        (ZeroDivisionError("by zero"), "its reader failed (ZeroDivisionError: by zero)", True),
        (MissingExtraError("odd", "corpus"), "'odd' is not installed", True),
    ],
)
def test_a_reader_that_fails_stops_nothing_else(store, tmp_path, error, reason, for_now):
    def failing(content: Content) -> Parsed:
        raise error

    root = written(tmp_path / "files", {"a.odd": "words", "b.md": "words"})
    summary = ingest(store, ANN, [root], counter=WORDS, readers=ReaderRegistry({".odd": failing}))
    assert summary.added == ("b.md",)
    (skipped,) = summary.skipped
    assert skipped.reason.startswith(reason)
    assert skipped.for_now is for_now


def test_an_error_of_the_store_or_the_embedder_is_raised(store: Store, root: Path):
    def failing(texts: list[str]) -> object:
        raise ConnectionError("no answer")

    broken = FunctionEmbedder(failing, model="broken", dimensions=1)
    with pytest.raises(EmbedderError, match=r"'broken' failed \(ConnectionError\)"):
        ingest(store, ANN, [root], counter=WORDS, embedder=broken)
    assert known(store) == []
    assert run(store, root).blocks == 3


@pytest.mark.parametrize("row", [[float("nan")], [float("inf")], [1.0, 2.0]])
def test_a_wrong_vector_is_an_error_that_names_the_embedder_and_nothing_is_stored(
    store: Store, root: Path, row: list[float]
):
    class Raw:
        model, dimensions, vector_weight = "raw", 1, 1.0

        def embed(self, texts: list[str]) -> object:
            return np.array([row] * len(texts), dtype=np.float32)

        def embed_query(self, text: str) -> object:
            return self.embed([text])[0]

    with pytest.raises(EmbedderError, match="embedder 'raw'"):
        ingest(store, ANN, [root], counter=WORDS, embedder=Raw())
    assert known(store) == []


def test_an_interrupted_ingest_leaves_whole_documents_and_goes_on(store: Store, root: Path):
    def stopping(progress: Progress) -> None:
        if progress.files == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(store, ANN, [root], counter=WORDS, embedder=embedder(), on_progress=stopping)
    assert run(store, root).blocks + sum(map(len, held(store).values())) >= 3
    assert known(store) == ["a.md", "c.py", "sub/b.txt"]


def test_what_is_taken_can_be_chosen(store: Store, root: Path):
    settings = IngestSettings(walk=WalkSettings(include=("*.md",)))
    assert run(store, root, settings=settings).added == ("a.md",)
    assert run(store, root, settings=replace(settings, walk=WalkSettings())).unchanged == 1


def test_a_summary_knows_its_rate(store: Store, root: Path):
    summary = run(store, root)
    assert summary.megabytes_per_second == pytest.approx(summary.bytes / 1e6 / summary.seconds)
    assert replace(summary, seconds=0.0).megabytes_per_second == 0


def test_a_summary_shows_counts_and_no_names(store, tmp_path: Path) -> None:
    root = written(tmp_path / "files", {f"{n}.md": f"Page {n}." for n in range(30)})
    shown = repr(run(store, root))
    assert shown.startswith("Summary(added=30, blocks=30, tokens=")
    assert "7.md" not in shown
