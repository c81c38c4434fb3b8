"""The command `test`, as people type it."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from biblicus_context.cli.main import main
from tests.golden.projects import Folder

# A program that is started in the background is born deaf to Ctrl-C, as these tests may be.
_HEARING = """
import signal, sys
from biblicus_context.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(["test", *sys.argv[1:]]))
"""
PROGRAM = [sys.executable, "-c", _HEARING]


@pytest.fixture
def here(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(folder.path)
    monkeypatch.setenv("COLUMNS", "80")
    return folder


def test_what_holds_ends_with_0(here: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    here.test_file("  - {name: it}\n")
    assert main(["test"]) == 0
    assert capsys.readouterr() == ("contexts/x.test.yaml: 1 passed\n1 passed\n", "")


def test_what_does_not_hold_ends_with_1(here: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    here.test_file("  - {name: it, expect: {tokens: 1}}\n")
    assert main(["test", "contexts/x.test.yaml"]) == 1
    assert "contexts/x.test.yaml:12:23 expect.tokens: there are" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["test", "nowhere"],
            "nowhere: could not be run\n  error: nowhere: cannot be read: No such file or directory",
        ),
        (["test"], "error: contexts: the folder contains no .test.yaml file."),
        (["test", "contexts/plans.yaml"], "unknown kind: found 'context'"),
    ],
)
def test_what_cannot_be_run_ends_with_2(
    here: Folder, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--jobs", "2"], ["--format", "xml"], ["--only", "x"]])
def test_wrong_arguments_end_with_2(
    here: Folder, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(["test", *arguments]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_without_a_folder_of_contexts_this_folder_is_looked_through(
    here: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here.test_file("  - {name: it}\n")
    monkeypatch.chdir(here.path / "contexts")
    assert main(["test"]) == 0
    assert capsys.readouterr().out.startswith("x.test.yaml: 1 passed")


def test_a_filter_that_no_case_passes_is_a_mistake(
    here: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    here.test_file("  - {name: it}\n")
    assert main(["test", "--filter", "nothing"]) == 2
    assert capsys.readouterr().err == (
        "error: no case has this text in its name or file path: found 'nothing'\n"
    )
    assert main(["test", "--filter", "IT"]) == 0


def test_update_writes_and_then_everything_holds(
    here: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    here.test_file("  - {name: it, expect: {snapshot: true}}\n")
    assert main(["test"]) == 1
    assert main(["test", "--update"]) == 0
    assert "wrote snapshot: it" in capsys.readouterr().out
    assert main(["test"]) == 0


def test_the_command_in_a_failure_can_be_run(
    here: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    here.test_file("  - {name: it, expect: {snapshot: true}}\n")
    main(["test"])
    (command,) = (
        line.partition("write it with: biblicus-context ")[2]
        for line in capsys.readouterr().out.splitlines()
        if "write it with" in line
    )
    assert main(command.split()) == 0


def test_json_and_junit_are_all_that_is_printed(
    here: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    here.test_file("  - {name: it, expect: {tokens: 1}}\n")
    assert main(["test", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["counts"]["failed"] == 1
    assert main(["test", "--format", "junit"]) == 1
    assert ET.fromstring(capsys.readouterr().out).get("failures") == "1"


def test_the_first_failure_may_end_the_run(
    here: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    here.test_file("  - {name: a, expect: {tokens: 1}}\n  - {name: b}\n")
    assert main(["test", "--fail-fast"]) == 1
    assert capsys.readouterr().out.endswith("\n1 failed\n")


def test_a_terminal_gets_colours_and_no_commands_of_a_plan(
    here: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here.test_file('  - {name: one, expect: {user_message: "\\e]0;title\\a"}}\n')
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert main(["test"]) == 1
    out = capsys.readouterr().out
    assert "\x1b[31m" in out
    assert "\\x1b]0;title\\x07" in out
    assert "\x1b]" not in out


def command(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **environment},
        text=True,
    )


def _next_summary(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        return next(
            line.strip() for line in process.stdout if line.startswith(("1 passed", "1 failed"))
        )
    finally:
        watchdog.cancel()


def test_watching_runs_again_after_a_change_until_it_is_interrupted(here: Folder) -> None:
    test = here.test_file("  - {name: it}\n")
    process = command("--watch")
    try:
        assert _next_summary(process) == "1 passed"
        text = test.read_text(encoding="utf-8")
        test.write_text(text.replace("{name: it}", "{name: it, expect: {tokens: 1}}"), "utf-8")
        assert _next_summary(process) == "1 failed"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        process.communicate()


def test_watching_sees_a_text_file_of_a_plan(here: Folder) -> None:
    prompts = here.path / "prompts"
    prompts.mkdir()
    (here.path / ".git").mkdir()
    (prompts / "tone.md").write_text("Be kind.", encoding="utf-8")
    plan = (
        "kind: context\nname: tone\nmessages: [{type: user, content: {file: ../prompts/tone.md}}]\n"
    )
    (here.path / "contexts" / "tone.yaml").write_text(plan, encoding="utf-8")
    here.test_file("  - {name: it, context: tone, expect: {contains: kind}}\n")
    process = command("--watch")
    try:
        assert _next_summary(process) == "1 passed"
        (prompts / "tone.md").write_text("Be brief.", encoding="utf-8")
        assert _next_summary(process) == "1 failed"
    finally:
        process.kill()
        process.communicate()


def test_a_reader_that_has_seen_enough_causes_no_message(here: Folder) -> None:
    here.test_file("".join(f"  - {{name: case {number}, skip: later}}\n" for number in range(9)))
    process = command()
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) in (0, 1)


def test_in_a_terminal_that_lacks_signs_nothing_fails(here: Folder) -> None:
    here.test_file("  - {name: ünïcode ✓, expect: {contains: Ω}}\n")
    process = command(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "failed: ?n?code ?" in out
    assert "Traceback" not in out


def test_junit_loses_nothing_in_a_terminal_that_lacks_signs(here: Folder) -> None:
    here.test_file("  - {name: ünïcode ✓}\n")
    process = command("--format", "junit", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    out, _ = process.communicate(timeout=60)
    (case,) = ET.fromstring(out).iter("testcase")
    assert case.get("name") == "ünïcode ✓"


# Leaves a file once the second file of tests is opened.
_NOTING = """
import os, sys

def note(event, arguments):
    if event == "open" and str(arguments[0]).endswith("1.test.yaml"):
        os.close(os.open("running", os.O_CREAT))

sys.addaudithook(note)
"""


def test_an_interrupt_ends_the_run_with_one_word(here: Folder) -> None:
    cases = "".join(f"  - {{name: case {number}}}\n" for number in range(2000))
    for number in range(4):
        here.test_file(cases, f"contexts/{number}.test.yaml")
    process = subprocess.Popen(
        [sys.executable, "-c", _NOTING + _HEARING],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    while not Path("running").exists():
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)  # whatever it does by then
    until = time.monotonic() + 60
    while process.poll() is None:
        # Python prints and forgets an interrupt that comes while it ends a weak reference: a user tries again.
        os.killpg(process.pid, signal.SIGINT)
        assert time.monotonic() < until
        time.sleep(0.5)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.endswith("interrupted\n")


def test_a_real_terminal_is_cleared_between_two_runs(here: Folder) -> None:
    test = here.test_file("  - {name: it}\n")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [*PROGRAM, "--watch"],
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    try:
        _read_until(ours, b"1 passed")
        Path(test).write_text(test.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
        assert b"\x1b[2J" in _read_until(ours, b"1 passed")
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def _read_until(terminal: int, wanted: bytes) -> bytes:
    seen = b""
    end = time.monotonic() + 60
    # The line for the file says it first, the summary last.
    while seen.count(wanted) < 2 and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096)
    return seen
