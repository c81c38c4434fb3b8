"""All rules: those of the package, and those of others, who may be wrong."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from biblicus_context.cli.main import main
from biblicus_context.lint.engine import rule_book as book_module
from biblicus_context.lint.engine.rule_book import GROUP, RuleBook, rule_book
from biblicus_context.lint.engine.runner import lint
from tests.lint.linting import CLEAN, write

OURS = rule_book()
ADDED = replace(OURS.rules[0], code="XY001", name="of-ours")

PACKAGE = """
from dataclasses import replace
from biblicus_context.lint.rules import shipped_rules

GOOD = replace(shipped_rules()[-1], code="XY001", name="of-ours")
SEVERAL = [replace(GOOD, code="XY002", name="second"), replace(GOOD, code="XY003", name="third")]
"""


def test_rules_are_found_by_code_and_by_name():
    assert OURS.by_selector["BC101"] is OURS.by_selector["unknown-key"]
    assert [rule.code for rule in OURS.rules] == sorted(rule.code for rule in OURS.rules)
    assert OURS.notices == ()


def test_a_book_with_other_rules_is_another_book():
    more = OURS.with_rules("ours", [ADDED])
    assert more.by_selector["of-ours"] is ADDED
    assert ADDED not in OURS.rules


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (replace(ADDED, code="BC101"), "ours adds no rule: BC101 is taken by another rule"),
        (replace(ADDED, name="unknown-key"), "unknown-key is taken by another rule"),
        (replace(ADDED, code="xy1"), "a code is letters and digits such as BC301, found 'xy1'"),
        ("text", "it is a str, not a biblicus_context.lint.engine.rule.Rule"),
        (ValueError("broken"), "ValueError: broken"),
    ],
)
def test_what_cannot_be_a_rule_is_a_notice(added, said):
    book = OURS.with_rules("ours", [added])
    assert book.rules == OURS.rules
    assert said in book.notices[0]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs a package with these entry points."""

    def install(**points: str) -> RuleBook:
        about = tmp_path / "others_rules-1.0.dist-info"
        about.mkdir()
        listed = "".join(f"{name} = {value}\n" for name, value in points.items())
        (about / "entry_points.txt").write_text(f"[{GROUP}]\n{listed}", encoding="utf-8")
        (about / "METADATA").write_text("Name: others-rules\nVersion: 1.0\n", encoding="utf-8")
        (tmp_path / "others_rules.py").write_text(PACKAGE, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        rule_book.cache_clear()
        return rule_book()

    yield install
    sys.modules.pop("others_rules", None)
    rule_book.cache_clear()


def test_installed_packages_add_rules(installed):
    book = installed(one="others_rules:GOOD", more="others_rules:SEVERAL")
    assert {"XY001", "XY002", "XY003"} <= book.by_selector.keys()
    assert book.notices == ()


def test_a_package_that_does_not_load_is_reported_and_the_run_continues(installed, tmp_path):
    installed(one="others_rules:GOOD", gone="others_rules:NOSUCH", none="no_such_package")
    write(tmp_path, plan=CLEAN)
    report = lint([tmp_path / "plan.yaml"])
    assert report.findings == ()
    assert len(report.notices) == 2
    assert "the entry point 'others_rules:NOSUCH' adds no rule: AttributeError" in report.notices[0]
    assert "'no_such_package' adds no rule: ModuleNotFoundError" in report.notices[1]
    assert report.failed


def test_the_list_of_rules_says_what_is_missing(installed, capsys):
    installed(none="no_such_package", one="others_rules:GOOD")
    assert main(["rules"]) == 0
    out, err = capsys.readouterr()
    assert "XY001  of-ours" in out
    assert err.startswith("warning: the entry point 'no_such_package' adds no rule:")


def test_the_group_of_entry_points_is_the_documented_one():
    assert book_module.GROUP == "biblicus_context.rules"
