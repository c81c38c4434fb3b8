"""A repository is somebody else's data: it runs nothing, reads nothing else, and takes bounded time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.ingest import Summary
from biblicus_context.ingest.git import HistorySettings, ingest_history, log, process
from biblicus_context.stores import Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import seen
from tests.ingest.build import ANN, WORDS
from tests.ingest.git.build import SPRING, Made, git, repository, shas


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "theirs", [Made(b"One", {b"a.txt": b"a\n"})])


def run(store: Store, root: Path, **chosen: object) -> Summary:
    return ingest_history(store, ANN, root, counter=WORDS, settings=HistorySettings(**chosen))


def program(place: Path) -> tuple[Path, Path]:
    """A program, and the file that it leaves if it is run."""
    left, script = place / "was-run", place / "program"
    script.write_text(f"#!/bin/sh\ntouch {left}\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script, left


def test_no_program_that_its_settings_name_is_run(store: Store, root: Path, tmp_path: Path):
    script, left = program(tmp_path)
    for key in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external"),
        *("diff.odd.command", "diff.odd.textconv", "filter.odd.clean", "filter.odd.smudge"),
        *("log.showSignature", "gpg.program", "credential.helper", "alias.diff-tree"),
    ):
        git(root, "config", key, f"!{script}" if key.startswith("alias") else str(script))
    git(root, "config", "core.hooksPath", str(tmp_path))
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "remote.origin.url", f"ext::{script}")
    git(root, "config", "protocol.ext.allow", "always")
    repository(root, [Made(b"Two", {b".gitattributes": b"* diff=odd filter=odd\n", b"b": b"b\n"})])
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("* diff=odd filter=odd\n")
    assert len(run(store, root).added) == 2
    assert not left.exists()


def test_no_file_that_its_settings_include_is_read(store: Store, root: Path, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with (root / ".git" / "config").open("a") as config:
        config.write(f"[include]\n\tpath = {tmp_path / 'pipe'}\n")
    assert len(run(store, root).added) == 1


def test_settings_that_git_cannot_read_do_not_matter(store: Store, root: Path):
    (root / ".git" / "config").write_bytes(b"\xff[[[ no settings")
    assert len(run(store, root).added) == 1


def test_a_missing_object_is_not_fetched_and_its_commit_has_no_files(store: Store, root: Path):
    repository(root, [Made(b"Two", {b"a.txt": b"b\n"}), Made(b"Three", {b"c": b"c\n"})])
    blob = git(root, "rev-parse", "main~1:a.txt")
    loosen(root)
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    summary = run(store, root)
    assert summary.added == tuple(shas(root))
    assert [(each.name, each.note) for each in summary.remarks] == [
        (shas(root)[1], "git cannot read what it changed, so its files are left out")
    ]
    assert run(store, root).unchanged == 3


def loosen(root: Path) -> None:
    """Its objects in files of their own."""
    for pack in (root / ".git" / "objects" / "pack").glob("*.pack"):
        data = pack.read_bytes()
        for each in pack.parent.glob(f"{pack.stem}.*"):
            each.unlink()
        git(root, "unpack-objects", "-q", stdin=data)


def test_a_damaged_commit_is_an_error_and_changes_nothing(store: Store, root: Path):
    run(store, root)
    repository(root, [Made(b"Two", {b"a.txt": b"b\n"})])
    loosen(root)
    sha = shas(root)[0]
    damaged = root / ".git" / "objects" / sha[:2] / sha[2:]
    damaged.chmod(0o600)
    damaged.write_bytes(b"not an object")
    with pytest.raises(InputError, match="git rev-list"):
        run(store, root)
    assert seen(store, ANN).info().documents == 1


@pytest.mark.parametrize("name", ["alternates", "http-alternates"])
def test_objects_of_another_repository_are_not_borrowed(store: Store, root: Path, name: str):
    (root / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (root / ".git" / "objects" / "info" / name).write_text("/elsewhere\n")
    with pytest.raises(InputError, match="borrows objects"):
        run(store, root)


@pytest.mark.parametrize("name", ["pack", "whole folder", "one object", "one pack"])
def test_objects_that_are_links_are_not_followed(
    store: Store, root: Path, tmp_path: Path, name: str
):
    own = root / ".git" / "objects"
    if name == "one pack":
        linked = next((own / "pack").glob("*.pack"), own / "pack" / "x.pack")
    elif name == "pack":
        linked = own / "pack"
    else:
        folder = own / "ab"
        folder.mkdir(exist_ok=True)
        linked = folder if name == "whole folder" else folder / ("0" * 38)
    elsewhere = tmp_path / "elsewhere"
    if linked.exists():
        linked.rename(elsewhere)
    linked.parent.mkdir(exist_ok=True)
    linked.symlink_to(elsewhere)
    with pytest.raises(InputError, match="reached by a link"):
        run(store, root)


def test_a_folder_cannot_claim_the_history_of_another(store: Store, root: Path, tmp_path: Path):
    thief = tmp_path / "thief"
    (thief / "own" / "worktrees" / "x").mkdir(parents=True)
    for pointer in (f"gitdir: {root / '.git'}", f"gitdir: {root / '.git' / 'worktrees' / 'x'}"):
        (thief / ".git").write_text(pointer)
        with pytest.raises(InputError, match="does not know the folder"):
            run(store, thief)
    inside = thief / "own" / "worktrees" / "x"
    (inside / "gitdir").write_text(str(thief / ".git"))
    (inside / "commondir").write_text(str(root / ".git"))
    (inside / "HEAD").write_text("ref: refs/heads/main")
    (thief / ".git").write_text(f"gitdir: {inside}")
    with pytest.raises(InputError, match="no objects"):
        run(store, thief)


@pytest.mark.parametrize("part", [".git", ".git/objects", ".git/HEAD", ".git/refs/heads/main"])
def test_links_are_not_followed(store: Store, root: Path, tmp_path: Path, part: str):
    (root / part).rename(tmp_path / "moved")
    (root / part).symlink_to(tmp_path / "moved")
    with pytest.raises(InputError):
        run(store, root)


@pytest.mark.parametrize(
    "head",
    [b"", b"ref: ../../secret", b"ref: refs/../../secret", b"--help", b"ref: refs/x\0y", b"0" * 41],
)
def test_a_head_that_leads_elsewhere_is_refused(store: Store, root: Path, head: bytes):
    (root / ".git" / "HEAD").write_bytes(head)
    with pytest.raises(InputError, match="HEAD"):
        run(store, root)


def test_refs_that_lead_to_each_other_end(store: Store, root: Path):
    (root / ".git" / "refs" / "heads" / "main").write_text("ref: refs/heads/main")
    with pytest.raises(InputError, match="HEAD"):
        run(store, root)


def test_names_of_any_bytes_are_data(store: Store, root: Path):
    names = [
        b"a\nb\t1",
        b"\x1b[31m",
        b"\xff\xfe",
        b"-rf",
        b'"quoted"',
        b"x" * 3_000,
        "Ünï".encode(),
    ]
    repository(root, [Made(b"Odd", dict.fromkeys(names, b"x\n"))])
    assert run(store, root).skipped == ()
    (commit,) = seen(store, ANN).documents(shas(root)[:1])
    assert commit.metadata["files_changed"] == 7
    assert set(commit.metadata["files"]) == {"a b 1", "\x1b[31m", "-rf", '"quoted"', "Ünï"}


def test_messages_of_any_encoding_are_text(store: Store, root: Path):
    latin = Made("Grüße".encode("latin-1"), encoding=b"ISO-8859-1")
    repository(root, [latin, Made(b"\xff\xfe broken"), Made(b""), Made(b"x", author=b"<>")])
    assert len(run(store, root).added) == 5
    empty, titles = "", [each.title for each in seen(store, ANN).documents(shas(root))]
    assert titles == ["x", empty, "\ufffd\ufffd broken", "Grüße", "One"]


@pytest.mark.parametrize("time", [0, 2**31, 2**40, 2**63 - 1])
def test_a_time_out_of_range_is_none(store: Store, root: Path, time: int):
    tree = git(root, "rev-parse", "main^{tree}")
    raw = f"tree {tree}\nauthor A <a> {time} +9999\ncommitter A <a> {SPRING} +0000\n\nOdd time\n"
    sha = git(
        root, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw.encode()
    )
    git(root, "update-ref", "refs/heads/main", sha)
    run(store, root)
    (commit,) = seen(store, ANN).documents([sha])
    assert (commit.created is None) == (time > 2**38)
    assert ("time" in commit.metadata) == (commit.created is not None)


def test_a_huge_message_is_read_up_to_a_limit(store: Store, root: Path):
    repository(root, [Made(b"Huge " + b"word " * 2_000_000)])
    summary = run(store, root)
    assert summary.bytes < 200_000
    assert len(seen(store, ANN).documents(shas(root)[:1])[0].title) <= 300


def test_many_files_of_one_commit_are_counted_up_to_a_limit(store: Store, root: Path):
    more = log.MOST_FILES + 2_000
    repository(root, [Made(b"Many", {b"%d" % n: b"x" for n in range(more)}), Made(b"Next")])
    summary = run(store, root)
    assert len(summary.added) == 3
    assert [(each.name, each.note) for each in summary.remarks] == [
        (shas(root)[1], "only its first 10,000 files were read")
    ]
    (commit,) = seen(store, ANN).documents(shas(root)[1:2])
    assert (commit.metadata["files_changed"], len(commit.metadata["files"])) == (10_000, 50)
    assert seen(store, ANN).blocks_of([commit.id])[-1].text.endswith(" and 9,950 more")


def test_a_tree_of_a_billion_files_takes_bounded_time(store: Store, root: Path, monkeypatch):
    monkeypatch.setattr(process, "SECONDS", 1.0)
    blob = git(root, "hash-object", "-w", "--stdin", stdin=b"x")
    tree = git(root, "mktree", stdin=f"100644 blob {blob}\tx\n".encode())
    for _ in range(9):
        entries = "".join(f"040000 tree {tree}\t{n}\n" for n in range(10))
        tree = git(root, "mktree", stdin=entries.encode())
    bomb = git(root, "commit-tree", tree, "-p", "main", "-m", "Bomb")
    after = git(root, "commit-tree", "main^{tree}", "-m", "Before")
    git(
        root,
        "update-ref",
        "refs/heads/main",
        git(root, "commit-tree", tree, "-p", bomb, "-p", after, "-m", "End"),
    )
    summary = run(store, root)
    assert len(summary.added) == 4
    note = "git cannot read what it changed, so its files are left out"
    assert [(each.name, each.note) for each in summary.remarks] == [(bomb, note)]
    assert [block.text for block in seen(store, ANN).blocks_of([bomb])] == ["Bomb"]


def test_git_that_says_nothing_is_stopped(store: Store, root: Path, monkeypatch):
    empty = git(root, "mktree", stdin=b"")
    tree = empty
    for _ in range(8):
        entries = "".join(f"040000 tree {tree}\t{n}\n" for n in range(24))
        tree = git(root, "mktree", stdin=entries.encode())
    silent = git(root, "commit-tree", tree, "-p", "main", "-m", "Silent")
    git(
        root,
        "update-ref",
        "refs/heads/main",
        git(root, "commit-tree", tree, "-p", silent, "-m", "End"),
    )
    monkeypatch.setattr(process, "SECONDS", 1.0)
    summary = run(store, root)
    assert summary.added == tuple(shas(root))
    assert [each.name for each in summary.remarks] == [silent]


def test_an_environment_that_points_elsewhere_is_not_used(
    store: Store, root: Path, monkeypatch, tmp_path: Path
):
    for name in (
        "GIT_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_CONFIG_GLOBAL",
        "GIT_EXTERNAL_DIFF",
        "HOME",
    ):
        monkeypatch.setenv(name, str(tmp_path))
    assert len(run(store, root).added) == 1


def test_paths_are_names_and_never_options_or_patterns(store: Store, root: Path):
    for path in ("--all", ":(exclude)a.txt", "*.txt", ":/a.txt"):
        assert run(store, root, paths=(path,)).added == ()
    assert len(run(store, root, paths=("a.txt",)).added) == 1


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.binary(max_size=40), max_size=8))
def test_whatever_git_writes_is_read_without_an_error(parts: list[bytes]):
    class Said:
        def output(self, *_: str, asked: object = ()) -> Iterator[bytes]:
            return iter(parts)

    found = list(log.commits(Said(), ["a"]))
    assert all(each.changed >= 0 for each in found)
