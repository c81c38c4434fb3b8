"""A retriever over the project's own corpus is answered on the command line, or its mistake named."""

from __future__ import annotations

from pathlib import Path

import pytest

PLANS = """\
kind: context
name: ask
inputs: {question: {type: string, example: How hot?}}
messages:
  - {type: context, name: kb}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: notes
config: {retriever_id: RETRIEVER, query: "{input.question}"}
---
kind: corpus
name: notes
config: {root: ../kitchen}
"""


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen/tea.md").write_text("Green tea wants water of 80 degrees.\n", "utf-8")
    (tmp_path / "contexts").mkdir()

    def declared(retriever: str) -> None:
        (tmp_path / "contexts/ask.yaml").write_text(PLANS.replace("RETRIEVER", retriever), "utf-8")

    return declared


def test_a_corpus_is_indexed_when_it_is_first_needed(declare, run):
    declare("keyword")
    rendered = run("render", "ask", "--input", "question=green tea")
    assert "80 degrees" in rendered.out
    assert rendered.err == "indexed notes: 1 files, 1 blocks\n"


def test_a_misspelt_retriever_is_named_with_the_valid_ones(declare, run):
    declare("hybird")
    refused = run("render", "ask", "--examples").refusal
    assert "retriever 'kb' config: unknown retriever_id: found 'hybird'" in refused
    assert "Did you mean 'hybrid'?" in refused
    assert "--packs" in refused


def test_a_retriever_of_another_library_can_still_be_recorded(declare, run, tmp_path: Path):
    declare("scan")
    (tmp_path / "packs.yaml").write_text("kb: [recorded]\n", "utf-8")
    assert "recorded" in run("render", "ask", "--examples", "--packs", "packs.yaml").text
