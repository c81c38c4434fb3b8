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
        out, err = capsys.readouterr()
        assert err == ""
        return out.split()

    return complete


def test_commands_are_offered(completed):
    assert completed("ren") == ["render"]
    assert {"lint", "test", "init"} <= set(completed(" "))


def test_options_are_offered(completed):
    assert completed("render desk --in") == ["--input", "--inputs"]


def test_contexts_of_the_project_are_offered(completed, project):
    assert completed("render ") == ["desk", "plain"]
    assert completed("explain p") == ["plain"]
    assert completed("diff d") == ["desk"]


def test_contexts_of_the_named_place_are_offered(completed, project):
    assert completed("render --shipped su") == ["support"]


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


def test_a_plan_that_cannot_be_read_is_not_offered_and_stops_no_other(completed, project):
    (project / "contexts" / "x.yaml").write_text("kind: context\nname: dx\nmesages: []\n", "utf-8")
    assert completed("render d") == ["desk"]


def test_where_there_is_no_project_nothing_is_offered(completed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert completed("render d") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(monkeypatch, capsys, shell):
    monkeypatch.setenv("_BIBLICUS_CONTEXT_COMPLETE", f"source_{shell}")
    monkeypatch.setattr(sys, "argv", ["biblicus-context"])
    with pytest.raises(SystemExit):
        main([])
    assert "_BIBLICUS_CONTEXT_COMPLETE" in capsys.readouterr().out


def test_rules_are_offered_by_code_and_name(completed):
    assert "BC403" in completed("rule BC40")
    assert completed("rule unknown-key") == ["unknown-key"]


def test_the_last_of_several_rules_is_completed(completed):
    assert completed("lint --ignore BC101,unknown-key") == ["BC101,unknown-key"]


def test_inputs_of_the_context_are_offered(completed, project):
    assert completed("render desk --input q") == ["question="]
    assert completed("render plain --input q") == []
    assert completed("diff desk plain --input c") == ["count="]


def test_the_alias_completes_as_the_program_does(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/bctx"])
    monkeypatch.setenv("_BCTX_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "bctx ren")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out.split() == ["render"]
    monkeypatch.delenv("_BCTX_COMPLETE")
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    with pytest.raises(SystemExit):
        main(["--show-completion", "bash"])
    assert "_BCTX_COMPLETE=complete_bash" in capsys.readouterr().out
