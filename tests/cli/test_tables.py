"""`list`, `models`, `schema` and `version`: what there is."""

from __future__ import annotations

import json
from importlib.metadata import version

import pytest

from biblicus_context.text.models.table import ModelTable
from generators.schemas.documents import as_json, published


def test_list_names_the_contexts_and_says_what_they_are_for(run, project):
    assert run("list").text == "desk   Answers at the desk.\nplain\n"


def test_list_of_the_package_s_own_contexts(run, project):
    lines = run("list", "--shipped").text.splitlines()
    listed = dict(line.split(maxsplit=1) for line in lines if " " in line.strip())
    assert listed["house-style"] == "The tone of every answer."
    assert {"handbook", "support"} <= set(listed)


def test_list_as_data_has_every_declaration_with_its_place(run, project):
    declared = run("list", "--format", "json").json
    assert list(declared) == [
        "context",
        "policy",
        "format",
        "retriever",
        "corpus",
        "compactor",
    ]
    assert declared["retriever"] == [{"name": "handbook", "file": "contexts/desk.yaml", "line": 15}]
    assert declared["context"][0]["inputs"]["count"] == {"type": "integer", "default": 1}
    assert declared["context"][1] == {
        "name": "plain",
        "file": "contexts/desk.yaml",
        "line": 19,
        "description": None,
        "inputs": {},
    }


def test_list_of_a_folder_with_a_mistake_names_it(run, project):
    (project / "contexts" / "x.yaml").write_text("kind: contxt\n", encoding="utf-8")
    assert run("list").err.startswith("warning: 1 error in contexts/x.yaml")


def test_a_table_that_no_terminal_can_hold_has_its_rows_one_below_the_other(
    run, project, monkeypatch
):
    (project / "notes").mkdir()
    (project / "notes" / "a.md").write_text("Tea.", "utf-8")
    run("index", "notes")
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("corpus", "list").text.splitlines()
    assert lines[:2] == ["notes", "  documents    1"]
    assert max(map(len, lines)) <= 40


def test_models_are_all_in_the_table(run):
    lines = run("models").text.splitlines()
    assert lines[0].split() == ["model", "window", "counter", "message"]
    assert [line.split()[0] for line in lines[1:]] == list(ModelTable.shipped().names())


def test_a_model_may_have_a_provider_and_a_date(run):
    out = run("models", "openai/gpt-4o-2024-08-06", "claude-sonnet-4-5").text.splitlines()
    assert out[1].split() == ["gpt-4o", "128,000", "o200k_base", "+4"]
    assert out[2].split() == [
        "claude-sonnet-4.5", "200,000", "o200k_base", "x", "1.35,", "estimated", "+5",
    ]  # fmt: skip


def test_models_as_data_have_the_reason_of_an_estimate_and_the_framing(run):
    (model,) = run("models", "claude-sonnet-4-5", "--format", "json").json
    assert (model["exact"], model["margin"], model["framing"]["per_message"]) == (False, 1.35, 5)
    assert model["reason"].startswith("Anthropic publishes no vocabulary.")


def test_an_unknown_model_is_refused(run):
    assert run("models", "gpt-4oo").refusal.startswith("Model 'gpt-4oo' not defined.")


@pytest.mark.parametrize("kind", sorted(published()))
def test_schema_prints_the_file_byte_for_byte(run, kind):
    assert run("schema", kind).text == as_json(published()[kind])


def test_schema_without_a_kind_is_that_of_any_document(run):
    assert json.loads(run("schema").text)["title"] == "Any document of a project"


def test_an_unknown_kind_is_refused(run):
    refusal = run("schema", "polcy").refusal
    assert refusal.startswith("Schema 'polcy' not defined.")
    assert refusal.endswith("Did you mean 'policy'?")


@pytest.mark.parametrize("asking", ["version", "--version"])
def test_version_is_that_of_the_installed_package(run, asking):
    assert run(asking).text == f"{version('biblicus-context')}\n"
