"""Which project a command works on, and what of it can be used."""

from __future__ import annotations

from pathlib import Path

import pytest

NO_PROJECT = (
    "there is no contexts/ folder here. "
    "Create a project with 'biblicus-context init', or pass the path of one."
)
BROKEN = "kind: context\nname: broken\nmessages:\n  - {type: user, contnt: x}\n"


@pytest.mark.parametrize(
    "command",
    [
        ("list",),
        ("render", "x"),
        ("explain", "x"),
        ("whatif", "x"),
        ("diff", "a", "b"),
        ("lint",),
        ("test",),
        ("index",),
    ],
)
def test_without_a_project_every_command_says_the_same(
    run, command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert run(*command).refusal == NO_PROJECT


def test_the_project_is_found_from_the_folders_below_it(run, project: Path, monkeypatch):
    (project / "handbook" / "old").mkdir(parents=True)
    for folder in ("handbook/old", "contexts"):
        monkeypatch.chdir(project / folder)
        assert run("list").text.startswith("desk ")
    assert run("lint", "--select", "BC1").text == "no findings in 1 file, 3 documents\n"
    (project / "handbook" / ".git").mkdir()
    monkeypatch.chdir(project / "handbook" / "old")
    assert run("list").refusal == NO_PROJECT


@pytest.fixture
def half_broken(project: Path) -> Path:
    """A project in which one plan has an error, and another one inserts it."""
    (project / "contexts" / "broken.yaml").write_text(BROKEN, "utf-8")
    user = "kind: context\nname: user\nmessages: [{type: context, name: broken}]\n"
    (project / "contexts" / "user.yaml").write_text(user, "utf-8")
    return project


WARNING = "warning: 1 error in contexts/broken.yaml; 'biblicus-context lint' shows them\n"


def test_one_broken_plan_does_not_stop_the_list_of_the_others(run, half_broken: Path):
    status, out, err = run("list")
    assert (status, err) == (0, WARNING)
    assert [line.split()[0] for line in out.splitlines()] == ["desk", "plain"]
    assert run("list", "--quiet").err == ""


def test_one_broken_plan_does_not_stop_another_from_being_rendered(run, half_broken: Path):
    status, out, err = run("render", "plain")
    assert (status, err) == (0, WARNING)
    assert out.startswith("[system]\nBe brief.")


@pytest.mark.parametrize("name", ["broken", "user"])
def test_a_plan_that_is_broken_or_uses_a_broken_one_is_refused_with_the_error(
    run, half_broken: Path, name: str
):
    refusal = run("render", name).refusal
    assert refusal.startswith("contexts/broken.yaml:4")
    assert "contnt" in refusal


def test_a_misspelt_name_is_still_called_unknown(run, half_broken: Path):
    done = run("render", "plian")
    assert done.status == 2
    assert "Context 'plian' not defined" in done.err
    assert "Did you mean 'plain'?" in done.err


def test_a_name_that_is_declared_twice_is_not_rendered(run, project: Path):
    twice = "kind: context\nname: plain\nmessages: []\n"
    (project / "contexts" / "twice.yaml").write_text(twice, "utf-8")
    assert "already used" in run("render", "plain").refusal
    assert run("render", "desk", "--examples", "--packs", "packs.yaml").status == 0


def test_where_every_plan_is_broken_the_list_is_an_error(run, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "a.yaml").write_text(BROKEN, "utf-8")
    assert "contnt" in run("list").refusal


GOLDEN = """\
kind: contexts-test
contexts: {contexts}
cases:
  - {{name: one, context: plain, inputs: {{question: x}}, expect: {{tokens: {{max: 90}}}}}}
"""


def test_golden_tests_in_environments_libraries_and_ignored_folders_are_not_run(run, project: Path):
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("build/\n*.draft.test.yaml\n", "utf-8")
    (project / "env").mkdir()
    (project / "env" / "pyvenv.cfg").write_text("", "utf-8")
    files = [
        *("env/lib/a.test.yaml", "node_modules/b/b.test.yaml", "build/c.test.yaml"),
        *("web/node_modules/d.test.yaml", "e.draft.test.yaml", "web/f.test.yaml"),
    ]
    for name in files:
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        plans = "/".join([".."] * name.count("/") + ["contexts"])
        file.write_text(GOLDEN.format(contexts=plans), "utf-8")
    assert run("test", ".").text == "web/f.test.yaml: 1 passed\n1 passed\n"


def test_a_golden_test_that_git_ignores_runs_if_it_is_named(run, project: Path):
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("build/\n", "utf-8")
    (project / "build").mkdir()
    (project / "build" / "a.test.yaml").write_text(GOLDEN.format(contexts="../contexts"), "utf-8")
    for path in ("build", "build/a.test.yaml"):
        assert "1 passed" in run("test", path).text
    assert run("test", "build", "--quiet") == (0, "", "")
