"""A retriever over the project's own corpus is answered on the command line, or its mistake named."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import Corpus, Principal, Readers, Record

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


RECORDS = """\
kind: context
name: recall
messages:
  - {type: context, name: notes}
  - {type: user, content: Which tea?}
---
{kind: retriever, name: notes, corpus: notes, config: {retriever_id: keyword, query: tea}}
---
{kind: corpus, name: notes, config: {store: ../notes}}
"""


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts/recall.yaml").write_text(RECORDS, "utf-8")
    corpus = Corpus.open_records(tmp_path / "notes", principal=Principal("acme"))
    corpus.put([Record(id="open", text="Green tea for all.")])
    corpus.put([Record(id="own", text="Black tea for Ann.", readers=Readers(frozenset({"ann"})))])
    corpus.close()


def test_a_plan_is_assembled_for_whom_the_options_name(recorded, run):
    acme = ("render", "recall", "--workspace", "acme")
    assert "Green tea" in run(*acme).text
    assert "Black tea" not in run(*acme).text
    assert "Black tea" in run(*acme, "--as", "ann").text
    assert "Black tea" not in run(*acme, "--as", "bob").text
    assert "Black tea" in run("explain", "recall", *acme[2:], "--as", "ann", "--html", "-").text
    changes = run("diff", "recall", "recall", "--format", "json", *acme[2:], "--as", "ann").json
    assert "tea" not in str(changes["messages"])


def test_a_workspace_in_which_nothing_was_recorded_is_named(recorded, run, tmp_path: Path):
    done = run("render", "recall")
    assert done.status == 0
    assert done.err == (
        "nothing is in workspace 'local' of corpus 'notes'; --workspace reads another one\n"
    )
    assert not run("render", "recall", "--workspace", "acme").err


def test_files_are_not_indexed_again_for_another_workspace(declare, run):
    declare("keyword")
    run("index")
    done = run("render", "ask", "--examples", "--workspace", "acme")
    assert "indexed" not in done.err
    assert "nothing is in workspace 'acme' of corpus 'notes'" in done.err
