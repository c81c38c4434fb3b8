"""A path that no file can have, and a link that leads to itself, is one problem with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import load_project
from biblicus_context.base.paths import path_of, resolved
from biblicus_context.cli.main import main
from biblicus_context.corpora import Corpus
from biblicus_context.errors import ContextError, InputError, LoadError

OTHER = "---\nkind: context\nname: other\nnonsense: 5\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("plan", "place"),
    [
        ("kind: context\nname: a\nmessages:\n- {type: system, content: {file: %s}}\n", "4:34"),
        ("kind: corpus\nname: a\nconfig:\n  root: %s\n", "4:9"),
        ("kind: corpus\nname: a\nconfig:\n  store: %s\n", "4:10"),
    ],
)
@pytest.mark.parametrize("path", [r'"x\0y"', "loop", "./loop/../loop", "loop/inside"])
def test_lint_reports_it_with_its_place_and_the_rest_of_the_project(
    here: Path, capsys, plan: str, place: str, path: str
):
    (here / "a.yaml").write_text(plan % path + OTHER, "utf-8")
    assert main(["lint", "a.yaml"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert f"a.yaml:{place}" in out
    assert "nonsense" in out
    with pytest.raises(LoadError):
        load_project("a.yaml")


def test_a_path_of_a_repository_is_refused_with_its_place(here: Path, capsys):
    plan = 'kind: corpus\nname: a\nconfig:\n  root: .\n  source: git\n  paths: ["\\0", ""]\n'
    (here / "a.yaml").write_text(plan, "utf-8")
    assert main(["lint", "a.yaml"]) == 1
    out = capsys.readouterr().out
    assert "a.yaml:6:11" in out
    assert "a.yaml:6:17" in out


@pytest.mark.parametrize("path", ["loop", "loop/inside", "a\0b", "a\ud800", "x" * 5_000])
def test_a_door_refuses_it_or_finds_nothing_there(here: Path, path: str):
    for door in (
        load_project,
        lambda it: Corpus.open(it).ingest(),
        lambda it: Corpus.open_records(it).put(()),
    ):
        with pytest.raises(ContextError):
            door(path)


@pytest.mark.parametrize("path", ["loop", "./loop/../loop", "loop/inside"])
def test_commands_say_that_a_link_leads_to_itself(here: Path, capsys, path: str):
    for command in (["lint", path], ["index", path], ["corpus", "check", path], ["search", "x", "--path", path]):  # fmt: skip
        assert main(command) in (1, 2)
        out, err = capsys.readouterr()
        assert "bug in" not in out + err


def test_a_path_is_resolved_as_python_does(here: Path):
    (here / "link").symlink_to("real/inside")
    for path in ("link/a", "real/../b", ".", "/", "missing/x"):
        assert resolved(Path(path)) == Path(path).resolve()
    for path in ("loop", "a\0b"):
        with pytest.raises(InputError, match="root: "):
            resolved(Path(path), "root")
    with pytest.raises(InputError, match="half of a surrogate pair"):
        path_of("a\ud800")
