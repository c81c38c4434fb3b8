"""`explain`: the receipt as bars, and as a page."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len
from rich.console import Console

from biblicus_context import BudgetError, ContextAssembler
from biblicus_context.cli.output.receipt_chart import ReceiptChart
from tests.assembly.strategies import Case, cases
from tests.cli.conftest import DESK
from tests.pages.assemblies import everything

WIDE = """\
support · o200k_base · 69 of 70 tokens (98.6%)
  ████████████████████████████████████████████████████████████████████████████████████████████████··

  system    ███                                            6  kept
  style     ██████████▒                             24 of 25  shortened: in 'rules': trimmed to its
                                                              share of 21 tokens · 2 requests ·
                                                              share 24
    system  █                                              3  kept
    rules   █████████▒▒▒▒                           21 of 30  shortened: trimmed to its share of 21
                                                              tokens · 2 requests · 1 block · share
                                                              21
  handbook  ███▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒   6 of 91  shortened: total budget of 70 tokens
                                                              is full · 2 requests · 1 of 3 blocks ·
                                                              share 19
  system                                                   -  not asked: when: input.formal does not
                                                              hold
  history   ███████                                  17 of ?  shortened: total budget of 70 tokens
                                                              is full · 1 of 4 messages
  user      ██                                             4  kept
  message framing                                         11
  joins                                                    1
  left                                                     1

left out
  style / rules  e0      21 of 30  shortened: trimmed to its share of 21 tokens
  handbook  lost           6 of 8  shortened: total budget of 70 tokens is full
  handbook  返品          0 of 10  dropped: total budget of 70 tokens is full
  handbook  long          0 of 73  dropped: total budget of 70 tokens is full
  system                        -  not asked: when: input.formal does not hold
  history  messages 0-2    0 of ?  dropped: total budget of 70 tokens is full"""

NARROW = """\
support · o200k_base · 115 of 120 tokens
(95.8%)
  ████████████████████████████████████··

  system    █                          6
    kept
  style     ███████                   33
    kept · share 38
    system  █                          3
    kept
    rules   ██████                    30
    kept · 1 block · share 35
  handbook  ████▒▒▒▒▒▒▒▒▒▒▒▒▒▒  18 of 91
    shortened: total budget of 120
    tokens is full · 2 requests · 2 of 3
    blocks · share 39
  system                               -
    not asked: when: input.formal does
    not hold
  history   █████████            43 of ?
    shortened: total budget of 120
    tokens is full · 3 of 4 messages
  user      █                          4
    kept
  message framing                     11
  left                                 5

left out
  handbook  long      0 of 73
    dropped: total budget of 120 tokens
    is full
  system                    -
    not asked: when: input.formal does
    not hold
  history  message 0   0 of ?
    dropped: total budget of 120 tokens
    is full"""


def drawn(receipt, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    return [line.plain for line in ReceiptChart(receipt, console).lines()]


def test_a_wide_terminal_has_everything_beside_the_bars():
    assert drawn(everything(budget=70).receipt, 100) == WIDE.split("\n")


def test_a_narrow_terminal_has_what_happened_below():
    assert drawn(everything().receipt, 40) == NARROW.split("\n")


@settings(max_examples=60)
@given(cases(overflow=("compact", "none")), st.sampled_from([40, 47, 60, 80, 100, 200]))
def test_no_line_is_wider_than_the_terminal_whatever_the_names_are(case: Case, width: int):
    try:
        receipt = ContextAssembler(**case.registries).assemble(**case.call).receipt
    except BudgetError:
        return
    lines = drawn(receipt, width)
    assert max(map(cell_len, lines)) <= width
    assert not any(sign in line for line in lines for sign in "\n\r\x1b\x00")


def test_what_is_over_the_budget_is_said():
    lines = drawn(everything(budget=30, overflow="none").receipt, 100)
    assert lines[0].endswith("208 of 30 tokens (693.3%)")
    assert lines[-4].split() == ["over", "the", "budget", "178"]


def test_a_plan_without_budget_or_parts_is_drawn():
    receipt = ContextAssembler({"main": {"messages": []}}).assemble("main").receipt
    assert drawn(receipt, 60) == ["main · o200k_base · 0 tokens, no budget", f"  {'·' * 58}", ""]


def test_notes_are_part_of_the_drawing():
    context = {"messages": [{"first": [{"type": "system", "content": "a"}, "b"]}]}
    receipt = ContextAssembler({"main": context}).assemble("main").receipt
    assert "  note: messages[0]: alternative 1 of 2 is placed" in drawn(receipt, 100)


def test_the_command_draws_what_the_receipt_says(run, project):
    out = run("explain", *DESK).text
    assert out.startswith("desk · o200k_base · 68 of 70 tokens (97.1%)\n")
    assert "  handbook  " in out
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_the_receipt_is_json_without_timings(run, project):
    receipt = run("explain", *DESK, "--format", "json").json
    assert receipt["used"] == 68
    assert "steps" not in receipt


def test_colours_are_forced_and_forbidden_by_the_environment(run, project, monkeypatch):
    plain = run("explain", *DESK).text
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run("explain", *DESK).text
    assert "\x1b[32m█" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in run("explain", *DESK).text


def test_the_page_is_written_whole_and_named(run, project):
    done = run("explain", *DESK, "--html", "a page.html")
    assert (done.status, done.out, done.err) == (0, "", "written: a page.html\n")
    markup = (project / "a page.html").read_text(encoding="utf-8")
    assert markup.startswith("<!doctype html>\n<html")
    assert markup.endswith("</html>\n")
    assert re.search(
        r"<dd>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, in (?:\d+ ms|\d+\.\d s)</dd>", markup
    )
    assert [file.name for file in project.iterdir() if "part" in file.name] == []


def test_the_page_may_go_to_the_standard_output(run, project):
    assert run("explain", *DESK, "--html", "-").text.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("nowhere/page.html", "nowhere/page.html: cannot be written: No such file or directory"),
        ("contexts", "contexts: cannot be written: Is a directory"),
    ],
)
def test_a_page_that_cannot_be_written_is_an_error_and_leaves_nothing(run, project, target, said):
    before = sorted(project.rglob("*"))
    assert run("explain", *DESK, "--html", target).refusal == said
    assert sorted(project.rglob("*")) == before


def test_a_context_that_does_not_fit_is_an_error(run, project):
    assert run("explain", *DESK, "--budget", 5).refusal.startswith("context 'desk' needs 18 tokens")
