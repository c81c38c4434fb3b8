"""`--quiet` leaves out what is no result, `--verbose` adds each step; both before or after a command."""

from __future__ import annotations

import pytest

from tests.cli.conftest import DESK


@pytest.fixture
def starter(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("init", "--quiet") == (0, "", "")
    return tmp_path


def test_a_quiet_command_prints_its_result_alone(run, starter):
    status, out, err = run("render", "support", "--examples", "--quiet")
    assert (status, err) == (0, "")
    assert out.startswith("[system]")


@pytest.mark.parametrize(
    "arguments",
    [("lint",), ("test",), ("index",), ("corpus", "vacuum", "handbook"), ("corpus", "remove", "handbook", "--yes")],
)  # fmt: skip
def test_a_quiet_command_without_problems_prints_nothing(run, starter, arguments):
    run("index", "-q")
    assert run(*arguments, "-q") == (0, "", "")


def test_problems_are_printed_also_by_a_quiet_command(run, starter):
    (starter / "contexts" / "a.yaml").write_text("kind: context\nname: a\nmesages: []\n", "utf-8")
    for command in ("lint", "test"):
        status, out, _ = run("--quiet", command)
        assert status in (1, 2)
        assert "mesages" in out


def test_a_verbose_command_names_each_step(run, project):
    status, out, err = run("-v", "render", *DESK)
    assert status == 0
    assert out == run("render", *DESK).out
    said = [line.partition(":")[0] for line in err.splitlines()]
    assert said == ["project", "resolve", "share", "gather", "fit"]


def test_the_last_of_both_counts(run, starter):
    assert run("-q", "lint", "-v").out.startswith("no findings")
