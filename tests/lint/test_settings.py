"""Settings: where they are found, what they may say, and what they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.base.gitignore import covers
from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.runner import lint
from biblicus_context.lint.engine.settings import LintSettings, PythonNames, load_settings
from tests.lint.linting import CLEAN, found, named, only, report_of, write

SHARED = '[project]\nname = "x"\n[tool.biblicus-context]\nselect = ["BC2"]\n'


def _settings(folder: Path, text: str) -> LintSettings:
    (folder / "biblicus-context.toml").write_text(text, encoding="utf-8")
    return load_settings(folder)


def test_without_a_file_everything_is_as_it_comes(tmp_path):
    assert load_settings(tmp_path) == LintSettings(folder=Path.cwd())


def test_the_nearest_file_holds_and_one_of_other_programs_is_passed_over(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(SHARED, encoding="utf-8")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert load_settings(inner).select == ("BC2",)
    assert load_settings(inner).folder == tmp_path
    (inner / "biblicus-context.toml").write_text('select = ["BC1"]', encoding="utf-8")
    assert load_settings(inner / "plan.yaml").select == ("BC1",)


def test_a_file_can_be_named(tmp_path):
    shared, own = tmp_path / "pyproject.toml", tmp_path / "other.toml"
    shared.write_text(SHARED, encoding="utf-8")
    own.write_text('ignore = ["BC1"]', encoding="utf-8")
    assert load_settings(tmp_path, own).ignore == ("BC1",)
    assert load_settings(tmp_path, shared).select == ("BC2",)


def test_everything_can_be_said(tmp_path):
    settings = _settings(
        tmp_path,
        """
        select = ["BC1", "unknown-pack"]
        ignore = ["BC101"]
        exclude = ["old/**"]
        paths = ["plans", "more"]
        model = "gpt-4o"
        [severity]
        BC2 = "note"
        [per-file]
        "legacy/*" = ["BC141"]
        [known]
        retrievers = ["kb"]
        models-file = "models.json"
        """,
    )
    assert settings == LintSettings(
        select=("BC1", "unknown-pack"),
        ignore=("BC101",),
        severity={"BC2": Severity.NOTE},
        per_file={"legacy/*": ("BC141",)},
        exclude=("old/**",),
        paths=(tmp_path / "plans", tmp_path / "more"),
        model="gpt-4o",
        known=PythonNames(retrievers=("kb",), models_file=tmp_path / "models.json"),
        folder=tmp_path,
        source=str(tmp_path / "biblicus-context.toml"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selct = ["BC1"]', "unknown key: found 'selct'. Valid: select, ignore,"),
        ('selct = ["BC1"]', "Did you mean 'select'?"),
        ('select = "BC1"', "select must be a list: found 'BC1'"),
        ("ignore = [1]", "ignore.0 must be text: found 1"),
        (
            'severity = {BC1 = "eror"}',
            "severity.BC1 is not a severity: found 'eror'. Valid: error,",
        ),
        ('severity = "error"', "severity must be a table: found 'error'"),
        ('per-file = {a = "x"}', "per-file.a must be a list: found 'x'"),
        ('known = {retriever = ["x"]}', "unknown key: found 'known.retriever'. Valid: contexts,"),
        ("model = 3", "model must be text: found 3"),
        ("x = ", "this is not TOML: "),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key(text, said, tmp_path):
    with pytest.raises(ContextError) as raised:
        _settings(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path}/biblicus-context.toml: ")
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool]\nbiblicus-context = 3\n", "tool.biblicus-context must be a table"),
        ("[tool.biblicus-context]\nx = 1\n", "pyproject.toml tool.biblicus-context: unknown key"),
    ],
)
def test_what_is_wrong_in_a_shared_file_is_said_with_its_table(text, said, tmp_path):
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ContextError, match=said):
        load_settings(tmp_path)


def test_a_settings_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(ContextError, match="cannot be read: No such file"):
        load_settings(tmp_path, tmp_path / "nosuch.toml")
    (tmp_path / "biblicus-context.toml").write_bytes(b"\xff")
    with pytest.raises(ContextError, match="not TOML"):
        load_settings(tmp_path)


BAD = named("closed").replace("messages", "mesages")


def test_rules_are_selected_by_code_family_and_name(tmp_path):
    assert found(report_of(tmp_path, BAD)) == [("BC101", 3)]
    text = CLEAN.replace("name: support", "name: off\npolicy: nosuch")
    for selector, codes in {
        "BC141": ["BC141"],
        "BC2": ["BC202"],
        "BC": ["BC141", "BC202"],
        "ambiguous-value": ["BC141"],
        "BC13": [],
    }.items():
        report = report_of(tmp_path, text, LintSettings(select=(selector,)))
        assert [finding.code for finding in report.findings] == codes


def test_what_is_ignored_is_not_applied_even_if_selected(tmp_path):
    settings = LintSettings(select=("BC1",), ignore=("BC14",))
    report = report_of(tmp_path, named("off"), settings)
    assert report.findings == ()
    assert {rule.code[:3] for rule in report.rules} == {"BC1"}


def test_severities_can_be_changed_and_the_last_one_holds(tmp_path):
    severity = {"BC1": Severity.ERROR, "ambiguous-value": Severity.NOTE}
    report = report_of(tmp_path, named("off"), LintSettings(severity=severity))
    assert only(report).severity is Severity.NOTE
    assert not report.failed


def test_in_some_files_a_rule_can_be_ignored(tmp_path):
    write(tmp_path, old__a=named("on"), new__b=named("off"))
    settings = LintSettings(per_file={"old/**": ("BC141",)}, folder=tmp_path)
    assert only(lint([tmp_path], settings)).file == str(tmp_path / "new/b.yaml")


def test_some_files_need_not_be_looked_at(tmp_path):
    write(tmp_path, old__a="polcy: 1", new__b=CLEAN)
    settings = LintSettings(exclude=("old",), folder=tmp_path)
    assert lint([tmp_path], settings).findings == ()
    report = lint([tmp_path / "old" / "a.yaml"], settings)
    assert (report.files, report.findings) == ((), ())


@pytest.mark.parametrize(
    "settings",
    [
        LintSettings(select=("BC9",)),
        LintSettings(ignore=("unknown-keys",)),
        LintSettings(severity={"BC11x": Severity.NOTE}),
        LintSettings(per_file={"*": ("bc101",)}),
    ],
)
def test_a_selector_that_means_no_rule_is_an_error(settings, tmp_path):
    with pytest.raises(ContextError, match="no rule has this code, family or name"):
        report_of(tmp_path, CLEAN, settings)


def test_what_python_hands_in_needs_no_declaration(tmp_path):
    text = """
kind: context
name: support
policy: {model: our-model, counter: ours, compactor: careful, input_budget: {max_tokens: 900}}
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: context, name: style}
  - {type: history, compactor: {type: summarize, using: ask}}
  - {type: user, content: "{input.question}"}
---
kind: context
name: other
policy: small
messages:
  - {type: context, name: mine, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: mine
corpus: books
"""
    models = tmp_path / "models.json"
    models.write_text('{"models": {"our-model": {"counter": "o200k_base"}}}', encoding="utf-8")
    known = PythonNames(
        contexts=("style",),
        policies=("small",),
        retrievers=("kb",),
        corpora=("books",),
        compactors=("careful", "ask"),
        counters=("ours",),
        models_file=models,
    )
    assert found(report_of(tmp_path, text, LintSettings(known=known)), "BC1", "BC2") == []
    assert {code for code, _ in found(report_of(tmp_path, text), "BC2")} == {
        "BC201",
        "BC202",
        "BC203",
        "BC204",
        "BC211",
        "BC212",
        "BC214",
    }


def test_a_table_of_models_that_cannot_be_read_is_an_error(tmp_path):
    settings = LintSettings(known=PythonNames(models_file=tmp_path / "nosuch.json"))
    with pytest.raises(ContextError, match="cannot be read"):
        report_of(tmp_path, CLEAN, settings)


def test_the_model_of_the_settings_counts_instead_of_the_policys(tmp_path):
    text = CLEAN.replace("messages", "policy: {window: 50}\nmessages").replace(
        "You are a support agent.", "You are a support agent." + " And so on." * 40
    )
    assert found(report_of(tmp_path, text), "BC301")
    assert not found(report_of(tmp_path, text, LintSettings(model="gpt-4o")), "BC301")


@pytest.mark.parametrize(
    ("pattern", "file", "is_meant"),
    [
        ("a.yaml", "a.yaml", True),
        ("a.yaml", "deep/down/a.yaml", True),
        ("*.yaml", "deep/a.yaml", True),
        ("deep", "deep/a.yaml", True),
        ("deep/", "deep/a.yaml", True),
        ("ep", "deep/a.yaml", False),
        ("deep/*.yaml", "deep/a.yaml", True),
        ("/deep/*.yaml", "deep/a.yaml", True),
        ("deep/*.yaml", "deep/down/a.yaml", False),
        ("deep/*", "deep/down/a.yaml", True),
        ("deep/**", "deep/down/a.yaml", True),
        ("**/down/*.yaml", "deep/down/a.yaml", True),
        ("**/a.yaml", "a.yaml", True),
        ("?.yaml", "a.yaml", True),
        ("[ab].yaml", "b.yaml", True),
        ("[!ab].yaml", "b.yaml", False),
        ("a+b.yaml", "a+b.yaml", True),
        ("a.yaml", "aXyaml", False),
    ],
)
def test_patterns_mean_what_those_of_git_do(pattern, file, is_meant, tmp_path):
    assert covers(pattern, str(tmp_path / file), tmp_path) is is_meant
