"""One run of the linter: which files, which project, and in which order."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.rule_book import RuleBook, rule_book
from biblicus_context.lint.engine.runner import lint
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.reading.shipped import shipped
from tests.lint.linting import CLEAN, found, named, only, report_of, write

INSERTING = CLEAN.replace("messages:\n", "messages:\n  - {type: context, name: style}\n")
STYLE = "kind: context\nname: style\nmessages:\n  - {type: system, content: Be short.}\n"
POLICY = "kind: policy\nname: small\ninput_budget: {max_tokens: 500}\n"
OBEYING = "kind: context\nname: talk\npolicy: small\nmessages:\n  - {type: history}\n"


def _places(report):
    """Findings of shape and names; what other families make of a broken plan is their affair."""
    return [
        (Path(finding.file).name, finding.code, finding.place.line)
        for finding in report.findings
        if finding.code < "BC3"
    ]


def test_the_contexts_of_the_package_are_clean():
    report = lint([shipped("contexts")])
    assert report.findings == ()
    assert report.documents >= 3
    assert not report.failed


def test_findings_come_by_file_line_column_and_code(tmp_path):
    write(
        tmp_path,
        b="zzz: 1\n" + named("b"),
        a=named("a") + "b: 1\na: 1\n",
        c__a=named("c") + "x: 1\n",
    )
    assert _places(lint([tmp_path / "c", tmp_path / "b.yaml", tmp_path / "a.yaml"])) == [
        ("a.yaml", "BC101", 6),
        ("a.yaml", "BC101", 7),
        ("b.yaml", "BC101", 1),
        ("a.yaml", "BC101", 6),
    ]


def test_a_report_says_what_was_looked_at(tmp_path):
    write(tmp_path, a=f"{CLEAN}---\n{STYLE}", b=named("off"))
    report = lint([tmp_path])
    assert [Path(file).name for file in report.files] == ["a.yaml", "b.yaml"]
    assert report.documents == 3
    assert report.texts == {str(tmp_path / "b.yaml"): named("off")}
    assert report.rules == rule_book().rules
    assert report.seconds > 0
    assert report.statistics == {"BC141": 1}


def test_the_text_in_a_report_has_no_byte_order_mark(tmp_path):
    report = report_of(tmp_path, "\ufeff" + named("off"))
    assert only(report).place == (2, 7)
    assert set(report.texts.values()) == {named("off")}


def test_a_file_given_twice_is_checked_once(tmp_path):
    write(tmp_path, a=named("off"))
    report = lint([tmp_path, tmp_path / "a.yaml", tmp_path])
    assert len(report.files) == len(report.findings) == 1


def test_names_resolve_across_all_paths(tmp_path):
    write(tmp_path, a__x=INSERTING, b__y=STYLE)
    assert lint([tmp_path / "a", tmp_path / "b"]).findings == ()
    assert _places(lint([tmp_path / "a"])) == [("x.yaml", "BC201", 4)]


def test_a_name_in_a_broken_file_is_not_unknown(tmp_path):
    write(tmp_path, x=INSERTING, y=STYLE + "polcy: 1\n")
    assert _places(lint([tmp_path])) == [("y.yaml", "BC101", 5)]


def test_what_a_broken_file_may_use_is_not_unused(tmp_path):
    write(tmp_path, x=POLICY, y=OBEYING + "polcy: 1\n")
    assert _places(lint([tmp_path])) == [("y.yaml", "BC101", 6)]


def test_a_file_alone_belongs_to_the_folder_contexts_above_it(tmp_path):
    write(tmp_path, contexts__deep__x=INSERTING, contexts__style=STYLE)
    assert lint([tmp_path / "contexts/deep/x.yaml"]).findings == ()
    assert lint([tmp_path / "contexts/deep"]).findings == ()


def test_a_file_alone_belongs_to_the_files_beside_it(tmp_path):
    write(tmp_path, x=INSERTING, style=STYLE, deep__other=named("off"))
    report = lint([tmp_path / "x.yaml"])
    assert (report.findings, len(report.files)) == ((), 1)


def test_a_repository_ends_the_search_for_contexts(tmp_path):
    write(tmp_path, contexts__style=STYLE, contexts__repo__plans__x=INSERTING)
    (tmp_path / "contexts/repo/.git").mkdir()
    assert _places(lint([tmp_path / "contexts/repo/plans/x.yaml"])) == [("x.yaml", "BC201", 4)]


def test_the_settings_may_say_where_the_project_is(tmp_path):
    write(tmp_path, plans__x=INSERTING, shared__style=STYLE)
    settings = LintSettings(paths=(tmp_path / "plans", tmp_path / "shared"), folder=tmp_path)
    assert lint([tmp_path / "plans/x.yaml"], settings).findings == ()
    missing = LintSettings(paths=(tmp_path / "nosuch",), source="x.toml")
    with pytest.raises(ContextError, match=r"x\.toml: paths: there is no .*nosuch"):
        lint([tmp_path / "plans/x.yaml"], missing)


def test_findings_are_reported_for_the_given_files_only(tmp_path):
    write(tmp_path, contexts__x=INSERTING, contexts__style=f"{STYLE}---\npolcy: 1\n")
    report = lint([tmp_path / "contexts/x.yaml"])
    assert (report.findings, report.documents) == ((), 1)


def test_a_name_taken_in_a_neighbouring_file_is_reported_for_the_given_file(tmp_path):
    write(tmp_path, contexts__x=CLEAN, contexts__y=CLEAN)
    for name in ("x", "y"):
        assert _places(lint([tmp_path / f"contexts/{name}.yaml"])) == [(f"{name}.yaml", "BC205", 2)]


def test_a_retriever_used_by_another_file_of_the_project_is_not_unused(tmp_path):
    write(tmp_path, contexts__x=OBEYING, contexts__y=POLICY)
    assert lint([tmp_path / "contexts/y.yaml"]).findings == ()


def test_two_projects_do_not_mix(tmp_path):
    write(
        tmp_path,
        one__contexts__x=f"{OBEYING}---\n{POLICY}",
        two__contexts__x=f"{OBEYING}---\n{POLICY}",
    )
    files = [tmp_path / f"{name}/contexts/x.yaml" for name in ("one", "two")]
    assert lint(files).findings == ()
    assert lint([file.parent for file in files]).findings == ()


def test_what_lies_beside_one_file_does_not_concern_another(tmp_path):
    write(tmp_path, one__x=CLEAN, two__y=STYLE, two__beside=CLEAN)
    assert lint([tmp_path / "one/x.yaml", tmp_path / "two/y.yaml"]).findings == ()


def test_files_of_several_folders_are_one_project(tmp_path):
    write(tmp_path, one__x=OBEYING, two__y=POLICY, two__z=OBEYING)
    assert lint([tmp_path / "one/x.yaml", tmp_path / "two/y.yaml"]).findings == ()
    given = lint([tmp_path / "one/x.yaml", tmp_path / "two/y.yaml", tmp_path / "two/z.yaml"])
    assert _places(given) == [("z.yaml", "BC205", 2)]


def _rule(code: str, check) -> Rule:
    return Rule(code, f"rule-{code.lower()}", Severity.NOTE, __name__, check)


def _failing(plan, declared):
    yield Violation(plan.value(["name"]), "this far")
    raise LookupError("no such thing")


@pytest.mark.parametrize("name", ["a.test.yaml", "a.test.yml", "__snapshots__/a.yaml"])
def test_golden_tests_are_passed_over_also_when_they_are_given_by_name(name, tmp_path):
    write(tmp_path, contexts__plan=CLEAN)
    file = tmp_path / "contexts" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("kind: contexts-test\n", encoding="utf-8")
    assert lint([file]).files == ()
    assert lint([file, tmp_path / "contexts"]).findings == ()


def test_a_rule_that_raises_is_a_finding_and_the_others_go_on(tmp_path):
    book = RuleBook((*rule_book().rules, _rule("XY001", _failing)))
    write(tmp_path, plan=f"{named('off')}---\n{STYLE}")
    report = lint([tmp_path], book=book)
    assert found(report) == [("BC004", 1), ("BC141", 2), ("XY001", 2), ("BC004", 7), ("XY001", 8)]
    failed = report.findings[0]
    assert failed.severity is Severity.ERROR
    assert "the rule XY001 failed at this document: LookupError: no such thing" in (failed.problem)
    assert "ignore = ['XY001']" in str(failed.advice)


def test_a_run_without_files_is_clean(tmp_path):
    settings = LintSettings(exclude=("*",), folder=tmp_path)
    write(tmp_path, a=CLEAN)
    report = lint([tmp_path], settings)
    assert (report.files, report.findings, report.documents) == ((), (), 0)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled, tmp_path):
    write(tmp_path, a=CLEAN)
    was_enabled = gc.isenabled()
    try:
        gc.enable() if enabled else gc.disable()
        lint([tmp_path])
        assert gc.isenabled() is enabled
    finally:
        gc.enable() if was_enabled else gc.disable()
