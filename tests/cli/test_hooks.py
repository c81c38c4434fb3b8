"""Coding agents are told to ask the learning memory, and their hooks get what they add to a context."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

FACT = "Tests run in UTC."


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    own = tempfile.mkdtemp()
    monkeypatch.setattr("tempfile.tempdir", own)
    monkeypatch.setenv("TMPDIR", own)
    return folder


@pytest.fixture
def learned(run: Run, project: Path) -> Path:
    run("remember", FACT)
    said = {
        "domain": "debugging", "strategy": "read-the-error", "goal": "Find the flaky test",
        "outcome": "falsified", "result": "It was the time zone", "root-cause": "The clock",
    }  # fmt: skip
    run("experience", *(part for name, each in said.items() for part in (f"--{name}", each)))
    return project


def claude(event: str, cwd: Path, **more: Any) -> dict[str, Any]:
    """What Claude Code and Codex pass."""
    return {
        "session_id": "5f1c", "transcript_path": "/x.jsonl", "cwd": str(cwd),
        "permission_mode": "default", "hook_event_name": event, **more,
    }  # fmt: skip


def prompt(event: str, cwd: Path) -> dict[str, Any]:
    return claude(event, cwd, prompt="In which zone do tests run?")


def added(run: Run, payload: dict[str, Any], *options: str) -> Any:
    done = run("hook", *options, stdin=json.dumps(payload))
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out) if done.out else None


@pytest.mark.parametrize("event", ["UserPromptSubmit", "BeforeAgent"])
def test_a_prompt_is_answered_with_what_was_learned_about_it(run: Run, learned: Path, event: str):
    found = added(run, prompt(event, learned))["hookSpecificOutput"]
    assert found["hookEventName"] == event
    assert FACT in found["additionalContext"]


def test_where_nothing_was_learned_nothing_is_added(run: Run, project: Path):
    assert added(run, prompt("UserPromptSubmit", project)) is None
    assert added(run, prompt("BeforeAgent", project)) == {}
    assert not (project / "learning").exists()


def test_a_greeting_adds_nothing(run: Run, learned: Path):
    assert added(run, {**prompt("UserPromptSubmit", learned), "prompt": "Thanks, bye!"}) is None


FAILED = "tests/test_clock.py F\n=== 1 failed, 12 passed in 0.31s ==="
FAILURES = {
    "claude-code": lambda cwd: claude(
        "PostToolUse", cwd, tool_name="Bash", tool_input={"command": "pytest -q"},
        tool_response={"stdout": FAILED, "stderr": "", "interrupted": False},
    ),
    "claude-code, failed": lambda cwd: claude(
        "PostToolUseFailure", cwd, tool_name="Bash", tool_input={"command": "npm run build"},
        error="Command failed",
    ),
    "codex": lambda cwd: claude(
        "PostToolUse", cwd, tool_name="Bash", tool_input={"command": "cargo test"},
        tool_response="test result: FAILED. 1 passed; 1 failed",
    ),
    "gemini-cli": lambda cwd: claude(
        "AfterTool", cwd, tool_name="run_shell_command", tool_input={"command": "go test ./..."},
        tool_response={"llmContent": "--- FAIL: TestClock (0.00s)\nExit Code: 1"},
    ),
    "cursor": lambda cwd: {
        "hook_event_name": "postToolUse", "conversation_id": "5f1c", "cursor_version": "2.4.1",
        "workspace_roots": [str(cwd)], "tool_name": "Shell",
        "tool_input": {"command": "make check"},
        "tool_output": json.dumps({"exitCode": 2, "stdout": "2 errors"}),
    },
}  # fmt: skip


@pytest.mark.parametrize("agent", FAILURES)
def test_the_first_failure_of_a_session_is_answered_by_a_premortem(
    run: Run, learned: Path, agent: str
):
    payload = FAILURES[agent](learned)
    found = added(run, payload)
    text = found.get("additional_context") or found["hookSpecificOutput"]["additionalContext"]
    assert text.startswith("# Premortem: debugging")
    assert not added(run, payload)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("pytest -q", "12 passed in 0.31s, 0 failed"),
        ("cat notes.log", FAILED),
        ("git push", "error: failed to push some refs"),
    ],
)
def test_what_passes_or_tests_nothing_is_not_answered(
    run: Run, learned: Path, command: str, said: str
):
    payload = claude("PostToolUse", learned, tool_name="Bash", tool_input={"command": command})
    payload["tool_response"] = {"stdout": said, "stderr": ""}
    assert added(run, payload) is None


def test_cursor_is_told_of_the_memory_when_a_session_starts(run: Run, learned: Path):
    payload = {"hook_event_name": "sessionStart", "workspace_roots": [str(learned)]}
    assert "bctx recall" in added(run, payload)["additional_context"]


@pytest.mark.parametrize("stdin", ["", "[1]", '"x"', "{}", '{"hook_event_name": 3}', "\udcff{"])
def test_an_agent_goes_on_whatever_its_hook_is_given(run: Run, learned: Path, stdin: str):
    done = run("hook", stdin=stdin.encode("utf-8", "surrogateescape"))
    assert (done.status, done.out) == (0, "")


def test_a_memory_of_all_repositories_is_read_besides(run: Run, project: Path, tmp_path: Path):
    store = ("--store", tmp_path / "memory")
    run("remember", "Nobody deploys on Fridays.", *store, "--workspace", "global")
    payload = {**prompt("UserPromptSubmit", project), "prompt": "When do we deploy?"}
    options = [str(each) for each in store] + ["--workspace", "api"]
    assert added(run, payload, *options) is None
    found = added(run, payload, *options, "--also", "global")["hookSpecificOutput"]
    assert "Fridays" in found["additionalContext"]


@pytest.mark.parametrize(
    ("agent", "place"),
    [
        ("claude-code", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini-cli", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
    ],
)
def test_hooks_are_written_next_to_what_is_there(run: Run, project: Path, agent: str, place: str):
    printed = json.loads(run("hooks", agent).out)
    assert run("hooks", agent, "--install").status == 0
    target = project / place
    assert json.loads(target.read_text("utf-8")) == printed
    other = {"hooks": [{"type": "command", "command": "notify"}]}
    known = {"model": "opus", "hooks": {**printed["hooks"], "Stop": [other]}}
    target.write_text(json.dumps(known), "utf-8")
    assert run("hooks", agent, "--also", "global", "--install").status == 0
    changed = json.loads(target.read_text("utf-8"))
    assert changed["model"] == "opus"
    assert changed["hooks"]["Stop"] == [other]
    assert {name: len(each) for name, each in changed["hooks"].items() if name != "Stop"} == {
        name: len(each) for name, each in printed["hooks"].items()
    }
    assert "bctx hook --also global" in target.read_text("utf-8")


def test_a_file_that_cannot_be_read_is_left_as_it_is(run: Run, project: Path):
    target = project / ".claude" / "settings.json"
    target.parent.mkdir()
    for text in ("{,}", '{"hooks": []}', "[]"):
        target.write_text(text, "utf-8")
        done = run("hooks", "claude-code", "--install")
        assert done.status == 2
        assert "settings.json" in done.err
        assert target.read_text("utf-8") == text


def test_instructions_and_a_git_hook_are_replaced_and_not_repeated(run: Run, project: Path):
    (project / "AGENTS.md").write_text("# Agents\n\nBe kind.\n", "utf-8")
    (project / ".git" / "hooks").mkdir(parents=True)
    hook = project / ".git" / "hooks" / "post-commit"
    hook.write_text("#!/bin/sh\necho done\n", "utf-8")
    for _ in range(2):
        run("hooks", "agents-md", "--workspace", "api", "--also", "global", "--install")
        run("hooks", "git", "--workspace", "api", "--install")
    text = (project / "AGENTS.md").read_text("utf-8")
    assert text.startswith("# Agents\n\nBe kind.\n\n<!-- bctx: begin -->")
    assert text.count("bctx recall") == 1
    assert '"what the task is about" --workspace api --also global`' in text
    script = hook.read_text("utf-8")
    assert script.startswith("#!/bin/sh\necho done\n")
    assert script.count("bctx index-code . --workspace api") == 1
    assert stat.S_IMODE(hook.stat().st_mode) == 0o755


def test_a_git_hook_needs_a_repository(run: Run):
    assert "not the top folder of a git repository" in run("hooks", "git", "--install").refusal


@pytest.mark.skipif(sys.platform == "win32", reason="a shell")
def test_the_command_of_an_installed_hook_answers_in_a_shell(run: Run, learned: Path):
    """As the agent runs it: the payload on the standard input, in a process of its own."""
    run("hooks", "claude-code", "--install")
    settings = json.loads((learned / ".claude" / "settings.json").read_text("utf-8"))
    (hook,) = settings["hooks"]["UserPromptSubmit"][0]["hooks"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        hook["command"],
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        input=json.dumps(prompt("UserPromptSubmit", learned)),
        cwd="/",
        env={**os.environ, "PATH": path},
    )
    assert FACT in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
