"""Which plans a test is about, and which files are tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.errors import LoadError
from biblicus_context.golden.running.projects import contexts_of
from biblicus_context.golden.suite.suite import read_suite
from biblicus_context.reading import load_project
from biblicus_context.reading.files import golden_files, plan_files

SUITE = "kind: contexts-test\ncases: [{name: it, context: support}]\n"
PLAN = "kind: context\nname: support\n"


def write(root: Path, *names: str, text: str = SUITE) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def found(root: Path, name: str, text: str = SUITE) -> list[str]:
    write(root, name, text=text)
    folders = contexts_of(read_suite(text, root / name))
    return [path.relative_to(root).as_posix() for path in folders]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "pyproject.toml", text="")
    return tmp_path


@pytest.mark.parametrize(
    ("plans", "test", "contexts"),
    [
        (["contexts/a.yaml"], "contexts/a.test.yaml", "contexts"),
        (["contexts/a.yaml", "contexts/b/b.yaml"], "contexts/b/b.test.yaml", "contexts"),
        (["plans/a.yaml"], "plans/a.test.yaml", "plans"),
        (["plans/a.yaml", "contexts/b.yaml"], "plans/a.test.yaml", "plans"),
        (["contexts/a.yaml"], "tests/golden/a.test.yaml", "contexts"),
        (["contexts/a.yaml", "tests/contexts/b.yaml"], "tests/golden/a.test.yaml", "tests/contexts"),
    ],
)  # fmt: skip
def test_the_plans_are_found_near_the_test(
    root: Path, plans: list[str], test: str, contexts: str
) -> None:
    write(root, *plans, text=PLAN)
    assert found(root, test) == [contexts]


def test_a_test_may_name_its_plans_relative_to_itself(root: Path) -> None:
    suite = SUITE + "contexts: [../plans, more.yaml]\n"
    assert found(root, "tests/a.test.yaml", suite) == ["plans", "tests/more.yaml"]
    assert found(root, "tests/a.test.yaml", SUITE + "contexts: ../plans\n") == ["plans"]


def test_nothing_outside_the_repository_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path, "contexts/a.yaml", text=PLAN)
    write(tmp_path, "repository/.git/HEAD", text="")
    with pytest.raises(LoadError, match="no contexts found near this file"):
        found(tmp_path, "repository/tests/a.test.yaml")


def test_a_path_below_the_current_folder_is_told_as_people_write_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "contexts/a.yaml", text=PLAN)
    monkeypatch.chdir(root)
    write(Path(), "contexts/a.test.yaml")
    suite = read_suite(SUITE, Path("contexts/a.test.yaml"))
    assert contexts_of(suite) == [Path("contexts")]


def test_tests_and_what_they_keep_are_no_plans(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", text=PLAN)
    write(tmp_path, "a.test.yaml", "b/c.test.yml", "d.yml")
    write(tmp_path, "__snapshots__/a.yaml", "b/__recorded__/talk.yaml", text="- {role: user}\n")
    assert [str(file) for file in plan_files([tmp_path])] == [
        str(tmp_path / "a.yaml"),
        str(tmp_path / "d.yml"),
    ]
    (tmp_path / "d.yml").unlink()
    assert list(load_project(tmp_path).contexts) == ["support"]


def test_tests_are_found_as_plans_are(tmp_path: Path) -> None:
    write(tmp_path, "b.test.yaml", "a/c.test.yml", ".hidden/d.test.yaml", "e.yaml", "test.yaml")
    write(tmp_path, "__snapshots__/b.test.yaml")
    assert list(golden_files([tmp_path])) == [tmp_path / "a/c.test.yml", tmp_path / "b.test.yaml"]
    assert list(golden_files([tmp_path / "e.yaml"])) == [tmp_path / "e.yaml"]


def test_a_folder_without_tests_is_told(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", text=PLAN)
    (error,) = golden_files([tmp_path])
    assert str(error) == (
        f"{tmp_path}: the folder contains no .test.yaml file. "
        "Create a golden test in it, or pass another folder."
    )
