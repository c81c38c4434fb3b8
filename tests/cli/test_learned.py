"""What hooks write is recalled, forgotten with a certificate, and asked of a process that stays."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from biblicus_context.cli import resident
from tests.cli.conftest import Run

TOKEN = "ghp_0123456789abcdefghij0123456789abcdefghij"
PATIENCE = 90.0
"""Seconds that a busy machine has; what cannot come is known in a moment."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_is_remembered_is_recalled_and_forgotten(run: Run):
    name = run("remember", "Tests run in UTC.", "--category", "decision").text.strip()
    assert run("remember", "-", stdin=" Tests run in  UTC.\n").text.strip() == name
    recalled = run("recall", "UTC").text
    assert recalled.count("Tests run in") == 1
    gone = run("forget", name, "--format", "json").json
    assert gone["removed"] == {"memories": [name]}
    assert run("recall", "UTC").out == ""
    again = run("forget", name)
    assert again.status == 2
    assert "nothing has this id" in again.err


def test_a_hook_passes_its_prompt_as_json(run: Run):
    run("remember", "Tests run in UTC.")
    hook = '{"session_id": "1", "prompt": "In which zone do tests run?"}'
    assert "Tests run in UTC." in run("recall", "-", stdin=hook).text
    assert "Tests run in UTC." in run("recall", "-", stdin="which zone do tests run in").text
    assert "JSON with a `prompt`" in run("recall", "-", stdin="[1]").refusal


def test_an_experience_is_warned_of(run: Run):
    said = {
        "domain": "Debugging", "strategy": "read-the-error", "goal": "Find the flaky test",
        "outcome": "falsified", "result": "It was the time zone", "root-cause": "The clock",
    }  # fmt: skip
    run("experience", *(part for name, each in said.items() for part in (f"--{name}", each)))
    warned = run("premortem", "--domain", "debugging").text
    assert "- **Outcome**: falsified - It was the time zone" in warned
    assert "## Root Causes to Watch" in warned


def test_a_secret_is_taken_out_before_it_is_stored(run: Run, tmp_path: Path):
    run("remember", f"Deploy with {TOKEN} only.")
    assert "Deploy with [redacted: a GitHub token] only." in run("recall", "deploy").text
    files = [each.read_bytes() for each in (tmp_path / "learning").rglob("*") if each.is_file()]
    assert not any(TOKEN[4:].encode() in each for each in files)


def test_code_of_two_repositories_is_recalled_where_both_are_named(run: Run, tmp_path: Path):
    for name in ("web", "api"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "clock.py").write_text(f"def {name}_clock():\n    return '{name * 9}'\n")
        assert "added=1" in run("index-code", name, "--workspace", name).text
    own = run("recall", "clock", "--workspace", "web").text
    assert "web_clock" in own
    assert "api_clock" not in own
    both = run("recall", "clock", "--workspace", "web", "--also", "api").text
    assert "`api_clock` in `api:clock.py:1`" in both
    assert "`web_clock` in `clock.py:1`" in both


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("remember", "  "), "a text to remember is expected"),
        (("index-code", "nowhere"), "no such folder: found 'nowhere'"),
        (("forget", "m1"), "there is no learning memory: found 'learning'"),
    ],
)
def test_a_mistake_names_its_place(run: Run, command: tuple[str, ...], said: str):
    assert said in run(*command).refusal


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of sockets; what was started in it is ended."""
    short = tempfile.TemporaryDirectory()  # names of sockets are short
    place = Path(short.name)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setenv(resident.IDLE, "120")
    for name in ("_STARTS", "_ANSWERS"):  # other tests run beside this one
        monkeypatch.setattr(resident, name, PATIENCE)
    yield place
    command = ["pgrep", "-f", str(tmp_path / "learning")]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    for each in found:
        with suppress(ProcessLookupError):  # it has ended
            os.kill(int(each), signal.SIGTERM)
    short.cleanup()


@pytest.mark.skipif(sys.platform == "win32", reason="sockets of files")
def test_a_resident_process_answers_as_the_command_does(
    run: Run, process: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It starts on demand, in a folder that nobody else can enter, and sees what is written later."""
    run("remember", "Tests run in UTC.")
    expected = run("recall", "UTC").text
    monkeypatch.setattr("biblicus_context.cli.commands.learning._asked_here", not_here)
    assert run("recall", "UTC").text == expected
    (folder,) = process.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    run("remember", "UTC has no summer time.")
    assert "summer" in run("recall", "UTC").text
    assert run("premortem", "--domain", "x").out == ""
    (tmp_path / "learning").rename(tmp_path / "gone")
    assert "there is no learning memory" in run("recall", "UTC").err


def not_here(*_: object) -> None:
    pytest.fail("the resident process has not answered")


@pytest.mark.skipif(sys.platform == "win32", reason="sockets of files")
@pytest.mark.usefixtures("process")
def test_no_hook_waits_for_an_answer_that_cannot_come(run: Run, monkeypatch: pytest.MonkeyPatch):
    """A question that the process cannot answer, and a process that cannot start."""
    run("remember", "Tests run in UTC.")
    start = time.monotonic()
    question = {"command": "none", "arguments": [], "options": {}, "workspace": "local", "also": []}
    assert resident.ask(Path("learning"), question) is None
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert "UTC" in run("recall", "UTC").text
    assert time.monotonic() - start < PATIENCE / 2


def test_a_folder_that_others_can_enter_is_not_used(
    run: Run, process: Path, monkeypatch: pytest.MonkeyPatch
):
    """Else they could answer in its place."""
    folder = process / f"biblicus-context-{os.getuid()}"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    run("remember", "Tests run in UTC.")
    assert "UTC" in run("recall", "UTC").text
    assert [*folder.iterdir()] == []
