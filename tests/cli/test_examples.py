"""The examples of every command really run."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from pyarrow import Table, parquet

from biblicus_context.cli.app import COMMANDS
from biblicus_context.cli.main import main
from generators.command_help import manuals
from tests.cli.conftest import Run
from tests.stores.postgres import drop, new_schema, url

PROGRAM = "biblicus-context"
FINDINGS = 1
ROOT = Path(__file__).parents[2]


def examples() -> list[str]:
    lines = (line for manual in manuals().values() for line in manual.examples)
    return [*dict.fromkeys(line for line in lines if "COMMAND" not in line)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with what the examples speak of, made once: with its index it takes a while."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copytree(ROOT / "contexts", folder / "contexts")
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "contexts" / "support-short.yaml").write_text(
        "kind: context\nname: support-short\ninputs: {question: {type: string, example: Why?}}\n"
        "messages: [{type: user, content: '{input.question}'}]\n",
        encoding="utf-8",
    )
    with chdir(folder):
        for number in (1, 2):
            git = ["git", "-c", "user.email=a@example.org", "-c", "user.name=A"]
            subprocess.run(["git", "init", "--quiet", "."], check=True)
            subprocess.run(["git", "add", "."], check=True)
            subprocess.run(
                [*git, "commit", "--quiet", "--allow-empty", "-m", str(number)], check=True
            )
        saved = printed("render", "support", "--examples", "--format", "json")
        for name in ("before.json", "after.json"):
            (folder / name).write_text(saved, encoding="utf-8")
        printed("index", "contexts", "--corpus", "plans")
    return with_collection(folder)


def printed(*arguments: str) -> str:
    """What a command prints that succeeds, and has nothing to report."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        assert main([*arguments]) == 0
    assert err.getvalue() == ""
    return out.getvalue()


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository, to be changed."""
    monkeypatch.chdir(shutil.copytree(made, tmp_path / "place"))
    return Path.cwd()


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


@pytest.fixture
def short_folder() -> Iterator[str]:
    """The path of a socket has 107 bytes at most."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield f"{folder}/pg"


@pytest.fixture
def schema() -> Iterator[str]:
    name = new_schema()
    yield name
    drop(name)


def prepare(arguments: list[str], place: Path, run: Run) -> list[str]:
    """What an example needs that is no file of a project; its arguments, with ids that are there."""
    command = arguments[0]
    if command == "batch":
        rows = [{"id": "r1", "inputs": {"question": "Where is my order?"}}]
        (place / "rows.jsonl").write_text(json.dumps(rows[0]) + "\n", "utf-8")
        parquet.write_table(Table.from_pylist(rows), place / "rows.parquet")
    if arguments[:2] == ["corpus", "import"]:
        run("index", "plans")
        exported = run("corpus", "export", "plans").out
        (place / arguments[2]).write_text(exported, "utf-8")
    if command == "index-code":
        code = (place / arguments[1]).resolve()
        code.mkdir(exist_ok=True)
        (code / "clock.py").write_text("def clock():\n    return 1\n", "utf-8")
    if command == "forget":
        run("remember", "Tests run in UTC.", "--id", arguments[1])
    if arguments[:2] in (["key", "list"], ["key", "revoke"]):
        made = run("key", "create", "--format", "json").json["id"]
        return [made if each == "abcd1234" else each for each in arguments]
    return arguments


def end_at_once(command: str, place: Path, run: Run, request: pytest.FixtureRequest) -> None:
    """Nothing is served by what serves for ever: it starts, and ends. See the tests of the service."""
    patch = request.getfixturevalue("monkeypatch")
    if command in ("serve", "inspect"):
        request.getfixturevalue("socket_enabled")
        (place / "service.yaml").write_text("limits: {seconds: 5}\n", "utf-8")
        run("key", "create")
        patch.setattr("biblicus_context.service.serving.Server.run", lambda *_, **__: None)
        patch.setattr("biblicus_context.service.serving.Multiprocess.run", lambda _: None)
        patch.setattr("biblicus_context.service.serving.write_logs", lambda: None)
        patch.setenv("PROMETHEUS_MULTIPROC_DIR", str(place / "figures"))
    if command == "mcp":
        patch.setattr("uvicorn.run", lambda *_, **__: None)


def test_every_command_has_examples():
    lines = [line.rpartition("| ")[2].removeprefix(f"{PROGRAM} ") for line in examples()]
    for name in COMMANDS:
        assert any(f"{line} ".startswith(f"{name} ") for line in lines), name


@pytest.mark.parametrize("line", examples())
def test_an_example_runs(line: str, place: Path, run: Run, request: pytest.FixtureRequest):
    command, _, target = line.partition(" > ")
    before, _, command = command.rpartition(" | ")
    stdin = " ".join(shlex.split(before)[1:])
    program, *arguments = shlex.split(command)
    assert program == PROGRAM
    arguments = prepare(arguments, place, run)
    end_at_once(arguments[0], place, run, request)
    if arguments[0] in ("serve", "inspect"):
        arguments += ["--port", "0"]
    if arguments[0] == "dev":  # it runs until nothing is connected for minutes
        arguments += ["--folder", request.getfixturevalue("short_folder"), "--idle", "0"]
    if "connection:main" in arguments:
        patch = request.getfixturevalue("monkeypatch")
        patch.setenv("BIBLICUS_CONTEXT_CONNECTION_MAIN", url(request.getfixturevalue("schema")))
    if arguments == ["init"]:
        shutil.rmtree(place / "contexts")
    done = run(*arguments, stdin=stdin)
    assert done.status in (0, FINDINGS), done.err
    assert "error:" not in done.err
    # Nothing is said where there is nothing to fix, and where an editor has asked nothing.
    assert done.out or done.err or "--diff" in arguments or arguments == ["lsp"]
    assert not target or done.out
