"""A stale index is never used silently, and an assembler can bring indexes up to date."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from biblicus_context import ContextAssembler, ContextError, Corpus, InputError

PLANS = """
kind: context
name: ask
messages:
  - {type: context, name: kb}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: notes
config: {retriever_id: keyword, query: "{input.question}"}
---
kind: corpus
name: notes
config: {root: ../notes}
"""
WARNING = "the index of corpus 'notes' is stale (1 new file). Run: biblicus-context index {} --corpus notes"


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "key.md").write_text("# Key\n\nThe key is under the mat.\n")
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "ask.yaml").write_text(PLANS)
    return tmp_path / "contexts"


def add_a_note(plans: Path) -> str:
    notes = (plans.parent / "notes").resolve()
    (notes / "cat.md").write_text("# Cat\n\nThe cat has a key role at six.\n")
    return WARNING.format(notes)


def evidence(assembler: ContextAssembler) -> str:
    return assembler.assemble("ask", inputs={"question": "key"}).system_prompt


def test_nothing_is_indexed_unless_that_is_wanted(plans: Path):
    with pytest.raises(ContextError, match="never been indexed"):
        evidence(ContextAssembler.from_path(plans))


@pytest.mark.parametrize("index", ["missing", "stale"])
def test_a_missing_index_is_made(plans: Path, index: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "biblicus_context")
    assembler = ContextAssembler.from_path(plans, index=index)
    assert "under the mat" in evidence(assembler)
    assert caplog.record_tuples == [
        (
            "biblicus_context.corpora",
            logging.INFO,
            "corpus 'notes' is indexed (files: 1 read, 0 removed)",
        )
    ]


def test_a_stale_index_is_brought_up_to_date(plans: Path):
    ContextAssembler.from_path(plans, index="missing")
    add_a_note(plans)
    missing = ContextAssembler.from_path(plans, index="missing")
    assert "cat" not in evidence(missing)
    stale = ContextAssembler.from_path(plans, index="stale")
    assert "cat" in evidence(stale)
    assert stale.assemble("ask", inputs={"question": "key"}).receipt.warnings == ()


def test_a_stale_index_is_in_the_receipt_and_in_the_log(
    plans: Path, caplog: pytest.LogCaptureFixture
):
    fresh = ContextAssembler.from_path(plans, index="missing")
    call = {"context_name": "ask", "inputs": {"question": "key"}}
    before = fresh.assemble(**call)
    assert before.receipt.warnings == ()
    warning = add_a_note(plans)
    assembler = ContextAssembler.from_path(plans)
    result = assembler.assemble(**call)
    assert result.receipt.warnings == (warning,)
    assert " ".join(result.explain(400).split()).endswith(f"warning: {warning}")
    assert warning.split("(")[0] in result.to_html().replace("&#x27;", "'").replace("&#39;", "'")
    assert asyncio.run(assembler.aassemble(**call)).receipt.warnings == (warning,)
    warned = [each for each in caplog.record_tuples if each[1] == logging.WARNING]
    assert warned == [("biblicus_context.corpora", logging.WARNING, warning)]
    assert result.fingerprint == before.fingerprint


def test_files_that_are_elsewhere_say_nothing(plans: Path):
    ContextAssembler.from_path(plans, index="missing")
    (plans.parent / "notes").rename(plans.parent / "moved")
    notes = plans.parent / "moved" / "notes"
    assembler = ContextAssembler.from_path(plans)
    assert not notes.exists()
    assert assembler.assemble("ask", inputs={"question": "key"}).receipt.warnings == ()


def test_only_corpora_that_a_retriever_uses_are_indexed(plans: Path):
    (plans / "more.yaml").write_text("kind: corpus\nname: unused\nconfig: {root: ../gone}\n")
    assert "mat" in evidence(ContextAssembler.from_path(plans, index="stale"))


def test_an_unknown_word_is_refused(plans: Path):
    with pytest.raises(InputError, match=r"found 'always'\. Valid: never, missing, stale"):
        ContextAssembler.from_path(plans, index="always")


def test_warming_up_reads_the_index(plans: Path):
    ContextAssembler.from_path(plans, index="stale").warm_up()
    with Corpus.open(plans.parent / "notes") as corpus:
        assert corpus.name == "notes"
