"""Files that are no plans, and paths that are no files: a clear finding, and never a crash."""

from __future__ import annotations

import os

import pytest

from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.runner import lint
from tests.lint.linting import CLEAN, found, only, report_of, write

CASES = {
    "invalid-utf-8": b"\x89PNG\r\n\x1a\n\x00\x00\xff",
    "file-too-large": b"# " + b"x" * 50 * 1024 * 1024,
    "too-many-aliases": CLEAN + "x: &x 1\ny: [" + ", ".join(["*x"] * 101) + "]\n",
    "too-many-values": "- 1\n" * 100_000,
    "too-many-documents": "---\nkind: x\n" * 10_001,
    "too-many-problems": "{" + "a, " * 300 + "}",
    "nesting-too-deep": "a: " + "[" * 1_000 + "]" * 1_000,
    "control-character": b"%PDF-1.7\n\x00",
    "empty-document": b"",
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_is_no_plan_is_a_finding_of_its_own_kind(name, tmp_path):
    report = report_of(tmp_path, CASES[name])
    assert name in {finding.name for finding in report.findings}
    assert report.files == (str(tmp_path / "plan.yaml"),)
    assert report.failed


def test_a_bomb_of_aliases_is_defused(tmp_path):
    bomb = "a0: &a0 [lol, lol]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
    )
    assert {finding.name for finding in report_of(tmp_path, bomb).findings} <= {
        "too-many-values",
        "too-many-aliases",
    }


def test_a_path_that_does_not_exist_raises(tmp_path):
    with pytest.raises(LoadError, match="cannot be read: No such file or directory"):
        lint([tmp_path / "nosuch"])


def test_a_folder_without_plans_raises(tmp_path):
    with pytest.raises(LoadError, match=r"the folder contains no \.yaml file"):
        lint([tmp_path])


def test_all_reasons_are_reported_where_nothing_can_be_read(tmp_path):
    with pytest.raises(ProjectError) as raised:
        lint([tmp_path, tmp_path / "nosuch"])
    assert len(raised.value.problems) == 2


def test_one_path_that_cannot_be_read_does_not_stop_the_others(tmp_path):
    write(tmp_path, a=CLEAN)
    (tmp_path / "empty").mkdir()
    report = lint([tmp_path / "empty", tmp_path / "nosuch", tmp_path / "a.yaml"])
    assert [finding.name for finding in report.findings] == ["empty-folder", "unreadable-file"]
    assert report.files == (str(tmp_path / "a.yaml"),)


def test_a_link_that_leads_nowhere_is_a_finding_beside_good_files(tmp_path):
    write(tmp_path, a=CLEAN)
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "was-here.yaml")
    report = lint([tmp_path])
    assert only(report).name == "unreadable-file"
    assert only(report).file == str(tmp_path / "gone.yaml")
    assert only(report).severity is Severity.ERROR


def test_a_pipe_is_not_opened(tmp_path):
    write(tmp_path, a=CLEAN)
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "regular file" in only(lint([tmp_path])).problem


def test_one_bad_document_hides_no_other(tmp_path):
    text = f"polcy: 1\n{CLEAN}---\nkind: context\nname: 'open\n---\nkind: policy\nname: idle\nwindow: 0\n"
    assert found(report_of(tmp_path, text)) == [("BC101", 1), ("BC126", 9), ("BC106", 13)]


def test_the_place_of_a_mistake_is_that_of_the_engine(tmp_path):
    finding = only(report_of(tmp_path, f"{CLEAN}polcy: {{model: gpt-4o}}\n"))
    assert finding.place == (6, 1)
    assert finding.found == "polcy"
    assert "policy" in finding.valid


def test_a_number_is_quoted_as_a_number(tmp_path):
    finding = only(report_of(tmp_path, CLEAN.replace("You are a support agent.", "42")))
    assert finding.problem == "messages[0].content must be text: found 42"
    assert finding.found is None


def test_everything_that_can_be_said_of_a_document_is_said_at_once(tmp_path):
    text = """\
kind: context
name: ask
polcy: none
inputs: {question: string}
messages:
  - {type: context, name: nowhere, weigth: 2, budget: 300}
  - {type: history, keep_last: many}
  - {type: user, template: "{{ input.question | upr }} {{ input.qestion }}"}
---
kind: corpus
name: handbook
config: {root: nowhere, embeder: minilmm}
"""
    assert found(report_of(tmp_path, text)) == [
        ("BC101", 3),
        ("BC202", 3),
        ("BC201", 6),
        ("BC101", 6),
        ("BC105", 6),
        ("BC105", 7),
        ("BC411", 8),
        ("BC241", 12),
        ("BC101", 12),
        ("BC217", 12),
    ]


def test_a_mistake_has_no_echo(tmp_path):
    """What a mistake hides is not reported as missing: a history, an input, a budget, a name."""
    text = """\
kind: context
name: ask
inputs: {question: 5}
policy: {input_budget: {max_tokens: x}, reserve: {output_tokens: 5}}
messages:
  - {type: histroy}
  - {type: user, content: "{input.question} {context.kb}"}
---
kind: retriever
name: kb
corpus: handbook
config: {limit: 0}
---
kind: corpus
name: handbook
config: {root: 5}
"""
    assert found(report_of(tmp_path, text)) == [
        ("BC105", 3),
        ("BC105", 4),
        ("BC104", 6),
        ("BC106", 12),
        ("BC105", 16),
    ]


def test_only_names_that_are_declared_are_offered(tmp_path):
    text = "kind: retriever\nname: kb\ncorpus: handbok\n---\nkind: corpus\nname: handbook\nx: 1\n"
    (finding,) = [each for each in report_of(tmp_path, text).findings if each.code == "BC203"]
    assert finding.valid == ("handbook",)
