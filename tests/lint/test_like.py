"""Retrievers that are like another one are checked whole, and what they share is found once."""

from __future__ import annotations

import pytest

from biblicus_context.lint.engine.fixes import apply_fixes
from tests.lint.linting import found, only, report_of

PLAN = """\
kind: context # lint: allow-file BC322 what a share holds is not the subject
name: support
messages:
  - {type: context, name: news, format: {fence: true}}
  - {type: context, name: old, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: corpus
name: handbook
config: {root: handbook}
---
kind: retriever
name: news
like: base
config: {filters: {updated: {within: 7d}}}
---
kind: retriever
name: old
like: base
---
kind: retriever
name: base
corpus: handbook
config: {retriever_id: hybrid, query: "{input.question}"}
"""


def _with(setting: str) -> str:
    return PLAN.replace("{retriever_id: hybrid,", f"{{retriever_id: hybrid, {setting},")


def test_a_base_that_only_others_are_like_is_used(tmp_path):
    assert report_of(tmp_path, PLAN).findings == ()


def test_a_mistake_in_a_base_is_one_finding_in_its_place(tmp_path):
    finding = only(report_of(tmp_path, _with("dedup: true")))
    assert (finding.code, finding.place.line) == ("BC216", 24)
    assert "takes this over" not in str(finding.advice)


def test_a_comment_in_the_base_suppresses_it(tmp_path):
    text = _with("dedup: true")[:-1] + "  # lint: allow BC216 a test\n"
    assert report_of(tmp_path, text).findings == ()


def test_a_mistake_in_a_setting_of_its_own_is_found_there(tmp_path):
    text = PLAN.replace("{within: 7d}}", "{within: 7d}}, dedup: true")
    finding = only(report_of(tmp_path, text))
    assert (finding.code, finding.place.line) == ("BC216", 15)


def test_a_setting_that_is_wrong_only_where_it_is_taken_over_says_so(tmp_path):
    text = _with("vector_weight: 0.5").replace("{filters: {", "{retriever_id: recent, filters: {")
    finding = only(report_of(tmp_path, text))
    assert (finding.code, finding.place.line) == ("BC216", 24)
    assert str(finding.advice).endswith("The retriever 'news' takes this over.")


def test_a_base_without_an_id_is_checked_as_those_that_are_like_it(tmp_path):
    text = PLAN.replace("retriever_id: hybrid,", "dedup: true,")
    text = text.replace("like: base\nconfig: {", "like: base\nconfig: {retriever_id: hybrid, ")
    text = text.replace("like: base\n---", "like: news\n---")
    assert found(report_of(tmp_path, text)) == [("BC216", 24)]


POOL = """\
---
kind: retriever
name: pool
config:
  retriever_id: combined
  of:
    - {name: recent, like: base, retriever_id: recent}
    - {name: first, like: base, limit: 2}
---
kind: context
name: pooled
messages:
  - {type: context, name: pool, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""


def test_sources_are_checked_with_what_they_take_over(tmp_path):
    assert report_of(tmp_path, PLAN + POOL).findings == ()
    finding = only(report_of(tmp_path, _with("vector_weight: 0.5") + POOL))
    assert (finding.code, finding.place.line) == ("BC216", 24)
    assert str(finding.advice).endswith("The retriever 'pool' takes this over.")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [("like: bas,", "BC220"), ("like: pool,", "BC220"), ("like: [base],", "BC216")],
)
def test_a_wrong_like_of_a_source_is_one_finding(tmp_path, wrong, code):
    text = PLAN + POOL.replace("first, like: base,", f"first, {wrong}")
    finding = only(report_of(tmp_path, text))
    assert (finding.code, finding.place.line) == (code, 32)


def test_a_fix_is_made_once(tmp_path):
    text = _with("format: {speakers: yes}")
    report = report_of(tmp_path, text)
    assert found(report, "BC141") == [("BC141", 24)]
    fixed = apply_fixes(text, report.findings)
    assert fixed.text == text.replace("yes", '"yes"')


def test_an_input_of_a_shared_query_is_looked_up_in_every_context(tmp_path):
    text = PLAN.replace("messages:", "inputs: {question: {type: string}}\nmessages:")
    text = text.replace('query: "{input.question}"', 'query: "{input.qestion}"')
    assert found(report_of(tmp_path, text), "BC403") == [("BC403", 25)]
