"""The command, as a client starts it: a process that speaks on standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
_SEARCH = {"name": "search", "arguments": {"query": "Where are chairs?", "max_tokens": 60}}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan over a folder of files that was never indexed."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "hall").mkdir()
    (folder / "hall" / "chairs.md").write_text("# Chairs\n\nChairs are in hall seven.\n")
    plans = folder / "contexts"
    plans.mkdir()
    (plans / "hall.yaml").write_text("kind: corpus\nname: hall\nconfig: {root: ../hall}\n")
    return folder


@pytest.fixture
def server(project: Path) -> Iterator[subprocess.Popen[str]]:
    """The program in the project."""
    with subprocess.Popen(
        [sys.executable, "-m", "biblicus_context", "mcp"],
        cwd=project,
        env={**os.environ, "PYTHONWARNINGS": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def talk(server: subprocess.Popen[str], *messages: Mapping[str, Any]) -> list[Any]:
    """What the program answers to raw messages; notifications have no answer."""
    assert server.stdin
    assert server.stdout
    answers = []
    for number, each in enumerate(messages):
        is_request = not str(each["method"]).startswith("notifications/")
        message = {"jsonrpc": "2.0", **({"id": number} if is_request else {}), **each}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        if is_request:
            answers.append(json.loads(server.stdout.readline()))
    return answers


def test_a_client_of_either_era_finds_a_passage_of_files_that_were_never_indexed(
    server: subprocess.Popen[str],
) -> None:
    discovered, found = talk(
        server,
        {"method": "server/discover", "params": {"_meta": _META}},
        {"method": "tools/call", "params": {**_SEARCH, "_meta": _META}},
    )
    assert discovered["result"]["supportedVersions"]
    assert "hall seven" in found["result"]["structuredContent"]["text"]


def test_a_client_that_shakes_hands_is_answered_in_its_version(
    server: subprocess.Popen[str],
) -> None:
    about = {"capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    hello, found = talk(
        server,
        {"method": "initialize", "params": {"protocolVersion": "2025-06-18", **about}},
        {"method": "notifications/initialized"},
        {"method": "tools/call", "params": _SEARCH},
    )
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    assert "hall seven" in found["result"]["content"][0]["text"]


def test_the_program_ends_when_its_client_does(server: subprocess.Popen[str]) -> None:
    _, err = server.communicate("", timeout=120)
    assert server.returncode == 0, err


def configured(run: Run, project: Path, client: str) -> str:
    return run("mcp", "--path", project, "--as", "ann", "--config", client).out


def test_a_configuration_starts_the_same_project_for_the_same_reader(
    run: Run, project: Path
) -> None:
    wanted = ["mcp", "--path", str(project), "--as", "ann"]
    cursor = json.loads(configured(run, project, "cursor"))["mcpServers"]["biblicus-context"]
    vscode = json.loads(configured(run, project, "vscode"))["servers"]["biblicus-context"]
    codex = tomllib.loads(configured(run, project, "codex"))["mcp_servers"]["biblicus-context"]
    assert [each["args"] for each in (cursor, vscode, codex)] == [wanted] * 3
    said: Sequence[str] = configured(run, project, "claude-code").split()
    assert said[: said.index("--") + 1] == ["claude", "mcp", "add", "biblicus-context", "--"]
    assert said[-len(wanted) :] == wanted


def test_the_skill_names_every_tool(run: Run) -> None:
    from biblicus_context.service.mcp.tools import TOOLS

    text = run("mcp", "--skill").text
    assert text.startswith("---\nname: biblicus-context\n")
    assert not [each.name for each in TOOLS if f"`{each.name}`" not in text]
