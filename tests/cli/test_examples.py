"""The examples of every command really run."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from biblicus_context.cli.app import COMMANDS
from generators.command_help import manuals

PROGRAM = "biblicus-context"
FINDINGS = 1
ROOT = Path(__file__).parents[2]


def examples() -> list[str]:
    lines = (line for manual in manuals().values() for line in manual.examples)
    return [line for line in lines if "COMMAND" not in line]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run) -> Path:
    """A repository with what the examples speak of."""
    shutil.copytree(ROOT / "contexts", tmp_path / "contexts")
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "contexts" / "support-short.yaml").write_text(
        "kind: context\nname: support-short\ninputs: {question: {type: string, example: Why?}}\n"
        "messages: [{type: user, content: '{input.question}'}]\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        git = ["git", "-c", "user.email=a@example.org", "-c", "user.name=A"]
        subprocess.run(["git", "init", "--quiet", "."], check=True)
        subprocess.run(["git", "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", str(number)], check=True)
    for name in ("before.json", "after.json"):
        saved = run("render", "support", "--examples", "--format", "json").text
        (tmp_path / name).write_text(saved, encoding="utf-8")
    run("index", "contexts", "--corpus", "plans").text  # noqa: B018 - it has to be clean
    return with_collection(tmp_path)


def with_collection(place: Path) -> Path:
    """Two records with a question, and a retriever to compare."""
    folder = place / "collection"
    folder.mkdir()
    (folder / "docs.jsonl").write_text(
        '{"id": "tea", "text": "Green tea wants water of 80 degrees."}\n'
        '{"id": "rye", "text": "Rye bread keeps for a week."}\n',
        encoding="utf-8",
    )
    (folder / "queries.jsonl").write_text(
        '{"id": "1", "text": "How hot should water be for tea?", "gold": ["tea"]}\n',
        encoding="utf-8",
    )
    shutil.copytree(folder, place / "papers")
    (place / "contexts" / "search.yaml").write_text(
        "kind: retriever\nname: words\nconfig: {retriever_id: keyword, limit: 50}\n",
        encoding="utf-8",
    )
    questions = "question,file\nHow long can I return goods?,returns.md\n"
    (place / "questions.csv").write_text(questions, encoding="utf-8")
    return place


def test_every_command_has_examples():
    lines = [line.rpartition("| ")[2].removeprefix(f"{PROGRAM} ") for line in examples()]
    for name in COMMANDS:
        assert any(f"{line} ".startswith(f"{name} ") for line in lines), name


@pytest.mark.parametrize("line", examples())
def test_an_example_runs(line: str, place: Path, run):
    command, _, target = line.partition(" > ")
    before, _, command = command.rpartition(" | ")
    stdin = " ".join(shlex.split(before)[1:])
    program, *arguments = shlex.split(command)
    assert program == PROGRAM
    if arguments == ["init"]:
        shutil.rmtree(place / "contexts")
    done = run(*arguments, stdin=stdin)
    assert done.status in (0, FINDINGS), done.err
    assert "error:" not in done.err
    assert done.out or done.err or "--diff" in arguments  # where there is nothing to fix
    assert not target or done.out
