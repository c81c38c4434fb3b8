"""Findings in a text that a plan takes from a file: with the place in that file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biblicus_context.cli.main import main

PLAN = """\
kind: context
name: support
inputs: {question: string}
messages:
  - type: system
    template: {file: ../prompts/style.md}
  - {type: user, content: "{input.question}"}
"""
STYLE = "Be kind.\n\nUse {{ input.tone | uper }} words.\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the program in a project whose plan takes a text from a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    settings = 'ignore = ["BC149"]'
    (tmp_path / "biblicus-context.toml").write_text(settings, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    for folder in ("contexts", "prompts"):
        (tmp_path / folder).mkdir()
    Path("contexts/support.yaml").write_text(PLAN, encoding="utf-8")
    Path("prompts/style.md").write_text(STYLE, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str]:
        status = main(list(arguments))
        return status, capsys.readouterr().out

    return run


def test_a_finding_is_in_the_line_of_the_text_file(run):
    status, out = run("lint")
    assert status == 1
    assert "prompts/style.md:3:21 error BC411 unknown-filter" in out
    assert "Use {{ input.tone | uper }} words." in out
    assert "prompts/style.md:3:8 error BC403 unknown-input" in out


def test_every_format_names_the_text_file(run):
    found = json.loads(run("lint", "--format", "json")[1])
    assert {Path(each["file"]).name for each in found["findings"]} == {"style.md"}
    assert "style.md" in run("lint", "--format", "sarif")[1]
    assert "file=" in run("lint", "--format", "github")[1]


def test_a_comment_where_the_plan_names_the_file_suppresses_it(run):
    comment = "  # lint: allow BC411,BC403 written by others"
    plan = PLAN.replace("style.md}", f"style.md}}{comment}")
    Path("contexts/support.yaml").write_text(plan, encoding="utf-8")
    assert run("lint") == (0, "no findings in 1 file, 1 document\n")


def test_secrets_and_hidden_characters_are_found_in_text_files_too(run):
    text = "Be kind.\nUse sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD.\nZero\u200bwidth.\n"
    Path("prompts/style.md").write_text(text, encoding="utf-8")
    out = run("lint")[1]
    assert "prompts/style.md:2:5 warning BC702 hardcoded-secret" in out
    assert "prompts/style.md:3:5 warning BC142 hidden-character" in out


def test_two_plans_with_one_text_find_the_same_once(run):
    other = PLAN.replace("name: support", "name: other")
    Path("contexts/other.yaml").write_text(other, encoding="utf-8")
    assert run("lint")[1].count("BC411") == 1


def test_a_fix_leaves_text_files_alone(run):
    run("lint", "--fix")
    assert Path("prompts/style.md").read_text(encoding="utf-8") == STYLE


def test_a_file_that_cannot_be_read_is_a_finding_in_the_plan(run):
    Path("prompts/style.md").unlink()
    status, out = run("lint")
    assert status == 1
    assert "contexts/support.yaml:6:22 error BC136 invalid-text-file" in out
    assert "there is no such file" in out


@pytest.mark.parametrize("exists", [True, False])
def test_watching_looks_at_the_text_file(run, monkeypatch, exists: bool):
    if not exists:
        Path("prompts/style.md").unlink()
    waited: list[set[str]] = []

    def wait(look, before):
        waited.append({str(path) for path in look.args[0]})
        raise KeyboardInterrupt

    monkeypatch.setattr("biblicus_context.cli.commands.lint.wait_for_change", wait)
    run("lint", "--watch")
    assert any(Path(each).name == "style.md" for each in waited[0])
