"""Retrievers over a project's own corpora are checked as the engine checks them; all others are not."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.corpora import Corpus
from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.settings import LintSettings, PythonNames
from tests.lint.linting import found, report_of

RULES = LintSettings(select=("BC215", "BC216", "BC403", "BC406"))
PLAN = """\
kind: context
name: ask
inputs: {{question: {{type: string}}, folder: {{type: string, default: a}}}}
messages:
  - {{type: context, name: kb}}
  - {{type: user, content: "{{input.question}}"}}
---
kind: retriever
name: kb
corpus: notes
config: {{{config}}}
---
kind: corpus
name: notes
config: {{{corpus}}}
"""
ROOTED = "root: notes"
FOLDER = "filters: {path: '{input.folder}/**'}"


def _codes(
    folder: Any, config: str, corpus: str = ROOTED, settings: LintSettings = RULES
) -> list[Any]:
    text = PLAN.format(config=config, corpus=corpus)
    return [code for code, _ in found(report_of(folder, text, settings)) if code != "BC406"]


@pytest.mark.parametrize(
    ("compactor", "codes"),
    [
        ("extractive", ["BC221"]),
        ("careful", []),
        ("{type: chain, steps: [careful]}", []),
        ("carefull", ["BC204", "BC221"]),
        ("{type: summarize, using: ask_a_model}", ["BC214", "BC221"]),
    ],
)
def test_the_compactor_of_a_long_block_is_a_use_of_its_name(
    compactor: str, codes: list[str], tmp_path
):
    settings = LintSettings(select=("BC204", "BC214", "BC221"))
    declared = "---\nkind: compactor\nname: careful\nconfig: {type: tail}\n"
    config = f"retriever_id: hybrid, item_cap: {{share: 0.2, compactor: {compactor}}}"
    text = PLAN.format(config=config, corpus=ROOTED) + declared
    assert sorted(code for code, _ in found(report_of(tmp_path, text, settings))) == codes


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ("retriever_id: scan", "BC215"),
        ("retriever_id: hybrid, limti: 3", "BC216"),
        ("retriever_id: hybrid, candidates: 0", "BC216"),
        ("retriever_id: keyword, fusion: reciprocal_rank", "BC216"),
        ("retriever_id: hybrid, fusion: rrf", "BC216"),
        ("retriever_id: hybrid, select: {type: knapsack, share: 1}", "BC216"),
        ("retriever_id: hybrid, rank: {recency: {curve: steep}}", "BC216"),
        ("retriever_id: hybrid, filters: {knid: note}", "BC216"),
        ("retriever_id: hybrid, dedupe: {naer: 0.8}", "BC216"),
        ("retriever_id: hybrid, item_cap: {share: 2}", "BC216"),
        ("retriever_id: hybrid, item_cap: {share: 0.2, cut_note: '{paht}'}", "BC216"),
        ("retriever_id: hybrid, item_cap: {share: 0.2, compactor: {type: tial}}", "BC216"),
        ("retriever_id: explicit", "BC216"),
        ("retriever_id: hybrid, text_weight: 0, vector_weight: 0", "BC216"),
        ("retriever_id: hybrid, text_weight: 1.0e+308", "BC216"),
        ("retriever_id: hybrid, rank: {kind: 1}", "BC216"),
        ("retriever_id: hybrid, rank: proximity", "BC216"),
        ("retriever_id: hybrid, rank: {source: 1}", "BC216"),
        ("retriever_id: hybrid, filters: {min_confidence: 7}", "BC216"),
        ("retriever_id: hybrid, filters: {metadata: {year: {from: 2010, to: 2001}}}", "BC216"),
        (
            "retriever_id: hybrid, filters: {created: {from: 2024-02-01, before: 2024-01-01}}",
            "BC216",
        ),
    ],
)
def test_what_the_engine_rejects_is_reported(config: str, code: str, tmp_path):
    assert _codes(tmp_path, config) == [code]
    root = tmp_path / "notes"
    root.mkdir()
    with Corpus.open(root) as corpus:
        corpus.ingest()
    with pytest.raises(ContextError):
        ContextAssembler.from_path(tmp_path / "plan.yaml").assemble("ask", inputs={"question": "x"})


@pytest.mark.parametrize(
    ("config", "corpus"),
    [
        ("retriever_id: scan", "split: test"),
        ("retriever_id: hybrid, lexical_weight: 0.5", "corpus_root: notes"),
        ("retriever_id: hybrid, configuration: {pipeline: {}}, lexical_weight: 1", ROOTED),
        ("retriever_id: tf-vector, snapshot_id: tf-vector:1", ROOTED),
        ("folder: notes", ROOTED),
        ("retriever_id: related, from: '{input.folder}', rank: recency, dedupe: true", ROOTED),
        ("retriever_id: hybrid, filters: {updated: {from: '{input.folder}'}}", ROOTED),
        ("retriever_id: explicit, documents: '{input.folder}'", ROOTED),
        ("retriever_id: hybrid, rank: {proximity: {path: '{input.folder}'}}", ROOTED),
    ],
)
def test_settings_of_other_libraries_are_not_reported(config: str, corpus: str, tmp_path):
    assert _codes(tmp_path, config, corpus) == []


@pytest.mark.parametrize(
    ("config", "marked", "said"),
    [
        ("rank: {similarity: 1, recencie: 1}", "recencie", "'recencie' not defined"),
        ("rank: {recency: 1, similarity: {wieght: 2}}", "similarity", "unknown option"),
        ("rank: {similarity: 1, recency: -1}", "recency", "from 0 on: found -1"),
        ("rank: {similarity: 1, recency: '1'}", "recency", "a weight is a number from 0 on"),
        ("filters: {kind: note, typ: note}", "typ", "unknown setting of filters"),
        ("item_cap: {shar: 0.25}", "shar", "unknown setting of item_cap"),
        ("filters: {kind: a, updated: {within: 72}}", "within", "not a duration: found 72"),
    ],
)
def test_a_finding_is_at_the_entry_that_is_wrong(config: str, marked: str, said: str, tmp_path):
    text = PLAN.format(config=f"retriever_id: hybrid, {config}", corpus=ROOTED)
    (one,) = [each for each in report_of(tmp_path, text, RULES).findings if each.code == "BC216"]
    line = text.splitlines()[one.place.line - 1]
    assert line[one.place.column - 1 :].startswith(marked)
    assert said in one.problem
    assert "wieght" not in config or one.valid == ("weight", "scale")


def test_every_wrong_entry_of_a_combined_ranking_is_reported(tmp_path):
    config = (
        "retriever_id: combined, of: [{retriever_id: recent, corpus: notes}], rank: {a: 1, b: 2}"
    )
    text = PLAN.replace("corpus: notes\nconfig", "config").format(config=config, corpus=ROOTED)
    assert [code for code, _ in found(report_of(tmp_path, text, RULES))].count("BC216") == 2


def test_a_retriever_passed_from_python_is_not_checked(tmp_path):
    known = LintSettings(select=RULES.select, known=PythonNames(retrievers=frozenset({"kb"})))
    assert _codes(tmp_path, "retriever_id: scan", settings=known) == []


def test_inputs_count_as_used_if_a_setting_uses_them(tmp_path):
    text = PLAN.format(config="retriever_id: hybrid, query: '{input.question}'", corpus=ROOTED)
    assert [code for code, _ in found(report_of(tmp_path, text, RULES))] == ["BC406"]
    waiting = PLAN.format(config=f"retriever_id: hybrid, {FOLDER}", corpus=ROOTED)
    assert found(report_of(tmp_path, waiting, RULES)) == []
    wrong = waiting.replace("{input.folder}", "{input.fodler}")
    assert "BC403" in [code for code, _ in found(report_of(tmp_path, wrong, RULES))]
