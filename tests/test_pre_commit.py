"""The hooks in `.pre-commit-hooks.yaml`, run by the real pre-commit on a project of someone else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from biblicus_context.starter.files import starter_files
from tests.docs.reader import environment

ROOT = Path(__file__).parents[1]
INSTALLED = ["pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".pre-commit-hooks.yaml"]
FOLDERS = ["biblicus_context", "schemas", "contexts"]
CONFIG = """\
repos:
  - repo: {hooks}
    rev: {revision}
    hooks:
      - id: biblicus-context-lint
      - id: biblicus-context-test
"""


def git(*arguments: str, folder: Path) -> str:
    """What git says, with an author of its own and nobody's settings."""
    environment = {
        **os.environ,
        **{f"GIT_{who}_NAME": "Test" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "test@example.invalid" for who in ("AUTHOR", "COMMITTER")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def committed(folder: Path) -> str:
    """Everything in a folder as a repository with one commit, and that commit."""
    git("init", "--quiet", folder=folder)
    git("add", "--all", folder=folder)
    git("commit", "--quiet", "--message", "All of it", folder=folder)
    return git("rev-parse", "HEAD", folder=folder)


@pytest.fixture
def hooks(tmp_path: Path) -> tuple[Path, str]:
    """This checkout as it is now, as the repository that pre-commit clones, and its revision."""
    folder = tmp_path / "hooks"
    folder.mkdir()
    for name in INSTALLED:
        shutil.copy(ROOT / name, folder / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder, committed(folder)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What `init` writes, in a repository."""
    folder = tmp_path / "project"
    for name, text in starter_files().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    committed(folder)
    return folder


@contextmanager
def changed(file: Path, old: str, new: str) -> Iterator[None]:
    """A file with another text in it, for a while."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    yield
    file.write_text(text, encoding="utf-8")


def pre_commit(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"],
        cwd=folder,
        env={
            **environment(),
            "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
            "NO_COLOR": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def verdicts(done: subprocess.CompletedProcess[str]) -> list[str]:
    """How each hook ended."""
    return re.findall(r"\.{3,}(\w+)$", done.stdout, re.MULTILINE)


def test_the_configuration_that_init_writes_passes_where_the_package_is_installed(project: Path):
    done = pre_commit(project)
    assert verdicts(done) == ["Passed", "Passed"], done.stdout


@pytest.mark.nightly  # an environment is made, and all is installed in it
def test_the_hooks_of_this_repository_pass_a_good_project_and_stop_a_bad_one(
    project: Path, hooks: tuple[Path, str]
):
    """One test, since installing the hooks takes as long as all the rest."""
    config = CONFIG.format(hooks=hooks[0].as_posix(), revision=hooks[1])
    (project / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")

    done = pre_commit(project)
    assert verdicts(done) == ["Passed", "Passed"], done.stdout

    with changed(project / "contexts" / "support.yaml", "policy: small", "polcy: small"):
        done = pre_commit(project)
    assert done.returncode == 1
    assert verdicts(done) == ["Failed", "Failed"], done.stdout
    assert "contexts/support.yaml:8:1 error BC101 unknown-key" in done.stdout
    assert "you mean 'policy'?" in done.stdout

    with changed(project / "contexts" / "support.yaml", "You are a support", "You are an"):
        done = pre_commit(project)
    assert done.returncode == 1
    assert verdicts(done) == ["Passed", "Failed"], done.stdout
    assert "contexts/support.test.yaml: 2 passed, 1 failed" in done.stdout
