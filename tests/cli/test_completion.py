"""Completion offers names that begin as typed; it never fails."""

from __future__ import annotations

import sys

import pytest

from biblicus_context.cli.main import main


@pytest.fixture
def completed(monkeypatch, capsys):
    """What a shell is offered for the last word of a line."""

    def complete(line: str) -> list[str]:
        monkeypatch.setenv("_BIBLICUS_CONTEXT_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", f"biblicus-context {line}")
        monkeypatch.setenv("COMP_CWORD", str(len(line.split()) + line.endswith(" ")))
        with pytest.raises(SystemExit) as left:
            main([])
        assert left.value.code == 0
        return capsys.readouterr().out.split()

    return complete


def test_commands_are_offered(completed):
    assert completed("re") == ["render"]
    assert {"lint", "test", "init"} <= set(completed(" "))


def test_options_are_offered(completed):
    assert completed("render desk --in") == ["--input", "--inputs"]


def test_contexts_of_the_project_are_offered(completed, project):
    assert completed("render ") == ["desk", "plain"]
    assert completed("explain p") == ["plain"]
    assert completed("diff d") == ["desk"]


def test_contexts_of_the_named_place_are_offered(completed, project):
    assert completed("render --shipped s") == ["support"]


def test_retrievers_of_the_project_are_offered(completed, project):
    assert completed("search x --retriever ha") == ["handbook"]
    (project / "contexts" / "desk.yaml").write_text("kind: ?", encoding="utf-8")
    assert completed("search x --retriever ha") == []


def test_models_counters_and_kinds_are_offered(completed):
    assert "gpt-4o-mini" in completed("render x --model gpt-4o")
    assert completed("models o4") == ["o4-mini"]
    assert "whitespace" in completed("tokens --model white")
    assert completed("schema pol") == ["policy"]


def test_corpora_of_the_project_are_offered(completed, project):
    plan = "kind: corpus\nname: notes\nconfig: {root: .}\n"
    (project / "contexts" / "corpora.yaml").write_text(plan, encoding="utf-8")
    assert completed("corpus in") == ["info"]
    assert completed("corpus info n") == ["notes"]
    (project / "contexts" / "corpora.yaml").write_text("kind: ?", encoding="utf-8")
    assert completed("corpus info n") == []


def test_where_the_project_cannot_be_read_nothing_is_offered(completed, project):
    (project / "contexts" / "x.yaml").write_text("kind: contxt\n", encoding="utf-8")
    assert completed("render d") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(monkeypatch, capsys, shell):
    monkeypatch.setenv("_BIBLICUS_CONTEXT_COMPLETE", f"source_{shell}")
    monkeypatch.setattr(sys, "argv", ["biblicus-context"])
    with pytest.raises(SystemExit):
        main([])
    assert "_BIBLICUS_CONTEXT_COMPLETE" in capsys.readouterr().out
