"""Running: every file is reported in order, and none stops the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from biblicus_context.golden import FileReport, GoldenOptions, GoldenReport
from tests.golden.projects import Folder
from tests.pace import within

MIXED = """\
  - {name: passes}
  - {name: fails, expect: {tokens: 1}}
  - {name: is skipped, skip: later}
  - {name: cannot be run, context: nowhere}
  - {name: is as before, expect: {snapshot: true}}
"""


def timeless(report: GoldenReport) -> tuple[FileReport, ...]:
    """A report without what the clock says."""
    return tuple(
        replace(
            file,
            verdicts=tuple(
                replace(
                    verdict,
                    seconds=0.0,
                    receipt=verdict.receipt and verdict.receipt.without_timings(),
                )
                for verdict in file.verdicts
            ),
        )
        for file in report.files
    )


@pytest.fixture
def many(folder: Folder) -> Folder:
    for number in range(3):
        folder.test_file(MIXED, f"contexts/{number}.test.yaml")
    folder.write("contexts/broken.test.yaml", "kind: contexts-test\ncases: [\n")
    folder.run(GoldenOptions(update=True))
    return folder


def test_files_are_reported_in_the_order_of_their_names_and_every_run_is_the_same(
    many: Folder,
) -> None:
    first = timeless(many.run())
    assert timeless(many.run()) == first
    assert [Path(file.file).name for file in first] == [
        "0.test.yaml",
        "1.test.yaml",
        "2.test.yaml",
        "broken.test.yaml",
    ]


def test_an_update_of_missing_snapshots_writes_the_same_files_again(many: Folder) -> None:
    folder = many.path / "contexts" / "__snapshots__"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for file in folder.iterdir():
        file.unlink()
    many.run(GoldenOptions(update=True))
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert len(before) == 3


def test_a_file_that_cannot_be_read_never_stops_the_others(many: Folder) -> None:
    report = many.run()
    assert report.counts == {"passed": 6, "failed": 3, "error": 3, "skipped": 3}
    assert report.could_not_run == 4
    assert report.failed == 3


def test_the_first_case_that_does_not_pass_may_end_the_run(many: Folder) -> None:
    report = many.run(GoldenOptions(fail_fast=True))
    assert [verdict.name for file in report.files for verdict in file.verdicts] == [
        "passes",
        "fails",
    ]


def test_plans_with_a_mistake_are_told_once_for_each_file_of_tests(folder: Folder) -> None:
    folder.write("contexts/mistake.yaml", "kind: context\nname: a\npolcy: b\n")
    folder.test_file("  - {name: a}\n  - {name: b}\n")
    (file,) = folder.run().files
    (trouble,) = file.troubles
    assert trouble.text.endswith("mistake.yaml:3:1: unknown key: found 'polcy'. Valid: kind, name, "
        "description, policy, inputs, messages, packs. Did you mean 'policy'?")  # fmt: skip
    assert (trouble.line, trouble.column) == (3, 1)


def test_every_mistake_in_the_plans_is_told(folder: Folder) -> None:
    folder.write("contexts/mistake.yaml", "kind: context\nname: a\npolcy: b\nmesages: []\n")
    folder.test_file("  - {name: a}\n")
    assert len(folder.run().files[0].troubles) == 2


def test_a_path_that_is_not_there_is_told(folder: Folder) -> None:
    report = folder.run(paths=["contexts/nowhere.test.yaml", "nowhere"])
    assert [file.troubles[0].text.rpartition(": ")[2] for file in report.files] == [
        "No such file or directory",
        "No such file or directory",
    ]


def test_nothing_is_remembered_from_one_case_to_the_next(folder: Folder) -> None:
    folder.write(
        "contexts/summing.yaml",
        """\
        kind: context
        name: summing
        policy: {input_budget: {max_tokens: 120}}
        messages:
          - {type: history, keep_last: 1, compactor: summarize}
          - {type: user, content: Go on.}
        """,
    )
    case = "context: summing, history: {messages: [{role: user, content: We talked about lamps.}], times: 40}"
    folder.test_file(
        f"  - {{name: a, {case}, summarizer: First., expect: {{contains: First.}}}}\n"
        f"  - {{name: b, {case}, summarizer: Second., expect: {{contains: Second.}}}}\n"
    )
    assert folder.run().counts["passed"] == 2


def test_five_hundred_cases_take_well_under_five_seconds(folder: Folder) -> None:
    history = "history: [{role: user, content: Hello}, {role: assistant, content: Hi}]"
    expect = "expect: {tokens: {max: 90}, contains: parcel, packs: {handbook: {kept: [lost]}}}"
    folder.test_file(
        "".join(f"  - {{name: case {number}, {history}, {expect}}}\n" for number in range(500))
    )
    with within(5):
        report = folder.run()
    assert report.counts["passed"] == 500


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (10**9, "100000"),
        (100_000, "a history has at most 1,000,000 messages: found '11 x 100,000'"),
    ],
)
def test_the_length_of_a_repeated_history_has_a_limit(
    folder: Folder, times: int, said: str
) -> None:
    messages = ", ".join(['{role: user, content: "x"}'] * 11)
    folder.test_file(
        f"  - {{name: long, history: {{messages: [{messages}], times: {times}}}, expect: {{fits: true}}}}\n"
    )
    assert said in str(folder.run())
