"""A commit is somebody else's data: whatever its tree holds, nothing is written outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import DESK

CALL = DESK[1:]
FILE = "contexts/desk.yaml"
PLAN = b"kind: context\nname: desk\nmessages: [{type: system, content: Old.}]\n"


def _git(*arguments: str, stdin: bytes = b"") -> str:
    command = ["git", "-c", "user.email=a@example.org", "-c", "user.name=A", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, input=stdin)
    return done.stdout.decode().strip()


def _blob(content: bytes = PLAN) -> str:
    return _git("hash-object", "-w", "--stdin", stdin=content)


def _tree(*entries: tuple[str, str, str]) -> str:
    """A tree by hand: git's own commands refuse such names, but clone and fetch let them through."""
    raw = b"".join(
        mode.encode() + b" " + name.encode() + b"\0" + bytes.fromhex(of)
        for mode, name, of in entries
    )
    return _git("hash-object", "-w", "--stdin", "-t", "tree", "--literally", stdin=raw)


def _commit(tree: str) -> str:
    return _git("commit-tree", tree, "-m", "x")


def _with_plan(*entries: tuple[str, str, str]) -> str:
    """A commit with a good plan in contexts/, and these entries besides."""
    return _commit(_tree(("40000", "contexts", _tree(("100644", "desk.yaml", _blob()), *entries))))


@pytest.fixture
def repository(project: Path) -> Path:
    _git("init", "--quiet", ".")
    _git("add", ".")
    _git("commit", "--quiet", "--message", "one")
    return project


@pytest.fixture
def temporary(tmp_path_factory, monkeypatch) -> Path:
    """The folder that temporary folders are made in."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_names_that_lead_out_are_refused_and_nothing_is_written(
    run,
    repository,
    temporary,
    depth,
):
    tree = _tree(("100644", "evil.yaml", _blob(b"evil")))
    for _ in range(depth):
        tree = _tree(("40000", "..", tree))
    commit = _with_plan(("40000", "sub", tree))
    refusal = run("diff", f"{commit}:{FILE}", FILE, *CALL).refusal
    assert "has a name that leads out of its folder" in refusal
    assert list(temporary.parent.rglob("evil.yaml")) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", ["", ".", "..", "/tmp/evil.yaml", "a\\evil.yaml", "C:\\evil.yaml"])
def test_every_other_name_that_is_no_name_is_refused(run, repository, temporary, name):
    entry = ("40000", name, _tree(("100644", "evil.yaml", _blob())))
    if name.endswith(".yaml"):
        entry = ("100644", name, _blob())
    refusal = run("diff", f"{_with_plan(entry)}:{FILE}", FILE, *CALL).refusal
    assert "leads out of its folder" in refusal or refusal.startswith("git ls-tree")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("same", ["desk.yaml", "DESK.yaml/x.yaml"])
def test_two_entries_of_one_name_are_refused(run, repository, temporary, same):
    if "/" in same:
        entries = ("40000", "desk.yaml", _tree(("100644", "x.yaml", _blob())))
    else:
        entries = ("100644", "desk.yaml", _blob(b"other"))
    refusal = run("diff", f"{_with_plan(entries)}:{FILE}", FILE, *CALL).refusal
    assert "two entries of this commit have one name" in refusal


def test_links_and_other_repositories_are_not_followed(run, repository, tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_bytes(PLAN.replace(b"desk", b"secret"))
    link = _blob(str(secret).encode())
    commit = _with_plan(
        ("120000", "link.yaml", link),
        ("120000", "folder", _blob(str(tmp_path).encode())),
        ("160000", "module.yaml", _git("rev-parse", "HEAD")),
    )
    assert run("diff", f"{commit}:{FILE}", f"{commit}:{FILE}").out
    for name in ("link.yaml", "folder/secret.yaml", "module.yaml"):
        refusal = run("diff", f"{commit}:contexts/{name}", FILE).refusal
        assert "the plan does not exist at this revision" in refusal


def test_a_huge_file_is_not_read(run, repository):
    commit = _with_plan(("100644", "huge.yaml", _blob(b"#" * 2_000_000)))
    refusal = run("diff", f"{commit}:{FILE}", FILE).refusal
    assert "larger than 1,048,576 bytes: found 'contexts/huge.yaml'" in refusal


@pytest.mark.parametrize(
    "path", ["/etc/x.yaml", "../../x.yaml", "a/../../x.yaml", "./../../x.yaml"]
)
def test_paths_outside_the_repository_are_refused(run, repository, path):
    assert "outside the repository" in run("diff", f"HEAD:{path}", FILE).refusal


@pytest.mark.parametrize(
    "name", ["--output=x", "-x", "", " ", "^", "HEAD^{tree}", "a\0b", "@{-1}", "HEAD\n"]
)
def test_odd_revisions_are_one_error(run, repository, name):
    outcome = run("diff", FILE, "--", f"{name}:{FILE}")
    assert outcome.status == 2
    assert "bug in" not in outcome.err
