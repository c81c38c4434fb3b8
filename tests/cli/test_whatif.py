"""`whatif`: budgets and models side by side."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len
from rich.console import Console

from biblicus_context import ContextAssembler
from biblicus_context.cli.output.side_by_side import tables
from biblicus_context.comparing.outcomes import what_if
from tests.assembly.strategies import Case, cases
from tests.cli.conftest import DESK


def test_budgets_stand_side_by_side(run, project):
    assert run("whatif", *DESK, "--budget", "10,60,70", "--budget", "2000").text == (
        "          10 tokens     60 tokens          70 tokens  2,000 tokens\n"
        "system    -             kept 6             kept 6     kept 6\n"
        "handbook  -             kept 24            kept 24    kept 24\n"
        "history   -             shortened 17 of ?  kept 30    kept 30\n"
        "user      -             kept 8             kept 8     kept 8\n"
        "framing                 0                  0          0\n"
        "used      does not fit  55                 68         68\n"
        "left      needs 18      5                  2          1,932\n"
        "hint (2,000 tokens): limit of 2 blocks stops pack 'handbook', while 1,932 of 2,000 tokens are\n"
        "unused. Raise limit in the config of the retriever, or expansion.max_pages in the policy.\n"
    )


def test_models_stand_side_by_side_under_the_policys_budget(run, project):
    out = run("whatif", *DESK, "--model", "gpt-4o", "--model", "claude-sonnet-4-5").text
    assert out.splitlines()[1].split() == ["gpt-4o", "claude-sonnet-4-5"]
    assert out.splitlines()[0].split() == ["70", "tokens", "70", "tokens"]
    assert "about 64" in out


def test_columns_that_do_not_fit_stand_below(run, project, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    out = run("whatif", *DESK, "--budget", "60,70,2000").text
    assert max(map(len, out.splitlines())) <= 40

    heads = [line for line in out.splitlines() if line.startswith("     ")]
    assert [line.split() for line in heads if "tokens" in line] == [
        ["60", "tokens", "70", "tokens"],
        ["2,000", "tokens"],
    ]


@settings(max_examples=40)
@given(cases(), st.sampled_from([40, 80, 120]))
def test_no_table_is_wider_than_the_terminal(case: Case, width: int):
    assembler = ContextAssembler(**case.registries)
    outcomes = what_if(
        lambda budget, model: assembler.assemble(**case.call, budget=budget), [3, 50, 500], [None]
    )
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as captured:
        for table in tables(outcomes, width):
            console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    assert max(map(cell_len, lines)) <= width


def test_what_is_over_an_unkept_budget_is_said(run, project):
    (project / "o.yaml").write_text(
        "kind: context\nname: o\npolicy: {overflow: none, input_budget: {max_tokens: 2}}\n"
        "messages: [{type: user, content: one two three four}]\n",
        encoding="utf-8",
    )
    assert "over by 2" in run("whatif", "o", "--path", "o.yaml").text


def test_data_is_a_list_with_the_receipt_of_each(run, project):
    small, large = run("whatif", *DESK, "--budget", "10,70", "--format", "json").json
    assert (small["budget"], small["fits"], small["needed"], small["receipt"]) == (
        10,
        False,
        18,
        None,
    )
    assert "cannot shrink" in small["problem"]
    assert (large["fits"], large["problem"], large["receipt"]["used"]) == (True, None, 68)


@pytest.mark.parametrize("written", ["x", "1,,2", "0", "-1", "1.5", "2k", "²"])
def test_a_budget_has_to_be_a_whole_number(run, project, written):
    refusal = run("whatif", *DESK, f"--budget={written}").refusal
    assert "is not a whole number above 0" in refusal
    assert "Usage: biblicus-context whatif" in refusal


def test_a_page_of_html_is_written_instead(run, project, tmp_path):
    file = tmp_path / "whatif.html"
    done = run("whatif", *DESK, "--budget", "60,70", "--html", file)
    assert (done.status, done.out) == (0, "")
    assert file.read_text("utf-8").startswith("<!doctype html>")
    assert "70 tokens · 68 used" in file.read_text("utf-8")
