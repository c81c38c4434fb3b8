"""Mistakes in combined retrievers are found where they are, also in sources declared in place."""

from __future__ import annotations

import pytest

from biblicus_context.errors import LoadError
from biblicus_context.reading import load_project
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
