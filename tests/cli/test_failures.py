"""With a format of JSON an error is a JSON document on the standard output, and a line for people."""

from __future__ import annotations

import json

import pytest


def failure(done) -> dict:
    """The document of a command that could not run."""
    assert done.status == 2
    (name,) = json.loads(done.out)
    assert name == "error"
    error = json.loads(done.out)["error"]
    assert done.err.startswith(f"error: {error['message']}")
    return error


def test_an_error_says_in_json_what_its_fields_say(run, project):
    error = failure(run("render", "dsek", "--format", "json"))
    assert error["type"] == "UnknownNameError"
    assert error["problem"] == "Context 'dsek' not defined"
    assert error["fix"] == "Known: desk, plain. Did you mean 'desk'?"


def test_a_budget_that_is_too_small_has_its_figures(run, project):
    error = failure(run("render", "plain", "--budget", "1", "--format=json"))
    assert (error["type"], error["budget"]) == ("BudgetError", 1)
    assert error["needed"] == sum(error["parts"].values())


def test_every_problem_of_a_project_has_its_place(run, project):
    (project / "contexts" / "desk.yaml").unlink()
    (project / "contexts" / "a.yaml").write_text("kind: contxt\n---\nkind: polciy\n", "utf-8")
    error = failure(run("list", "--format", "json"))
    places = [(each["file"], each["line"]) for each in error["problems"]]
    assert places == [("contexts/a.yaml", 1), ("contexts/a.yaml", 3)]


@pytest.mark.parametrize(
    "arguments",
    [("render", "--format", "json"), ("lint", "--nope", "--format=json")],
)
def test_wrong_arguments_are_a_json_document_too(run, arguments):
    error = failure(run(*arguments))
    assert error["type"] == "UsageError"
    assert error["hint"].startswith("Usage: biblicus-context ")


def test_an_option_json_is_called_format(run):
    """Many programs have it, so it is what people try."""
    assert run("render", "desk", "--json").refusal.startswith(
        "No such option: --json. Write --format json.\nUsage: "
    )
    assert run("init", "--json").refusal.startswith("No such option: --json.\nUsage: ")


@pytest.mark.parametrize("arguments", [("render", "dsek"), ("render", "--format", "text")])
def test_without_a_format_of_json_the_standard_output_stays_empty(run, project, arguments):
    assert run(*arguments).refusal
