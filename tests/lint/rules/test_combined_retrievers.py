"""Mistakes in combined retrievers are found where they are, also in sources declared in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.errors import LoadError, PlanError
from biblicus_context.reading import load_project
from tests.lint.linting import report_of
from tests.lint.rules.harness import codes, rules_of

PROJECT = """
---
kind: retriever
name: found
corpus: handbook
config: {retriever_id: hybrid}
---
kind: corpus
name: handbook
config: {root: handbook}
---
kind: context
name: support
inputs: {question: {type: string}}
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""


def found(*lines: str) -> list[str]:
    text = "\n".join(["kind: retriever", "name: kb", "config:", "  retriever_id: combined", *lines])
    return [code for code in codes(text + PROJECT, *rules_of("24")) if not code.startswith("BC24")]


def test_a_misspelt_combination_is_known_by_its_sources():
    """A retriever without a corpus may come from Python, but only a combined one has sources."""
    misspelt = "kind: retriever\nname: kb\nconfig:\n  retriever_id: combind\n  of: [found]\n"
    assert "BC215:4" in codes(misspelt + PROJECT, *rules_of("215"))
    of_python = "kind: retriever\nname: kb\nconfig:\n  retriever_id: ours\n"
    assert "BC215:4" not in codes(of_python + PROJECT, *rules_of("215"))


def test_a_sound_combination_has_no_findings():
    assert not found("  of:", "    - found", "    - {retriever_id: recent, corpus: handbook}")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("    - {retriever_id: hybird, corpus: handbook}", "BC215:7"),
        ("    - {retriever_id: recent, corpus: handbook, dedup: true}", "BC216:7"),
        ("    - {retriever_id: recent, corpus: handbook, weight: 0}", "BC216:7"),
        ("    - {name: found2, retriever_id: combined, of: []}", "BC216:7"),
        ("    - {retriever_id: recent, corpus: handbook, query: '{input.qestion}'}", "BC403:7"),
        (
            "    - {retriever_id: recent, corpus: handbook, rank: {recency: 0.4, importance: 0.4}}",
            "BC219:7",
        ),
        ("    - support", "BC218:7"),
    ],
)
def test_a_mistake_in_a_source_is_found_in_its_line(line: str, code: str):
    assert code in found("  of:", "    - found", line)


@pytest.mark.parametrize(
    "config",
    [
        *(f"root: handbook, {wrong}" for wrong in ("chunkz: 3", "chunks: 3", "hidden: perhaps")),
        "root: handbook, embedder: nobody",
        "root: 5",
    ],
)
def test_a_mistake_in_a_corpus_hides_no_mistake_in_a_source(tmp_path: Path, config: str):
    """Both are found in one run; an author does not learn of the second by correcting the first."""
    project = PROJECT.replace("root: handbook", config)
    source = "kind: retriever\nname: kb\nconfig:\n  retriever_id: combined\n  of:\n"
    text = source + "    - {retriever_id: hybird, corpus: handbook}" + project
    report = report_of(tmp_path, text)
    lines = {finding.code: finding.place.line for finding in report.findings}
    assert lines["BC215"] == 6
    assert 15 in lines.values()


def test_a_corpus_next_to_the_sources_is_an_error_of_the_linter_and_of_the_engine():
    """The corpus would be searched by none of them."""
    lines = ("  of: [found]", "corpus: handbook")
    assert found(*lines) == ["BC223:6"]
    retrievers = {
        "kb": {"corpus": "notes", "config": {"retriever_id": "combined", "of": ["a"]}},
        "a": lambda request: ["A note."],
    }
    with pytest.raises(PlanError, match="'kb' corpus: a combined retriever searches no corpus"):
        ContextAssembler({}, retrievers).retrieve("kb", "What?")


def test_a_source_that_is_named_twice_is_found():
    assert "BC216:5" in found("  of: [found, found]")


@pytest.mark.parametrize(
    "weights", ["{similarity: 0.33, recency: 0.33, usage: 0.33}", "{usage: 3}"]
)
def test_thirds_and_whole_numbers_are_not_reported(weights: str):
    assert not found("  of: [found]", f"  rank: {weights}")


def test_an_unknown_source_is_told_the_retrievers_and_no_context(tmp_path):
    combined = "kind: retriever\nname: kb\nconfig: {retriever_id: combined, of: [fond]}\n"
    (tmp_path / "plan.yaml").write_text(combined + PROJECT.lstrip(), encoding="utf-8")
    with pytest.raises(
        LoadError, match=r"unknown pack: found 'fond'\. Valid: found\. Did you mean"
    ):
        load_project(tmp_path)
