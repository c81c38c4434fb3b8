"""Declared retrievers over declared corpora work without any Python."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from biblicus_context import (
    ContextAssembler,
    ContextPack,
    ContextPackBlock,
    PlanError,
    Record,
    RetrieverDeclaration,
)
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.declared import DeclaredRetrievers
from biblicus_context.errors import RetrieverError
from biblicus_context.stores import Principal

PLANS = """\
kind: context
name: ask
policy: {input_budget: {max_tokens: 200}, pack_budget: {default_ratio: 0.8}}
inputs: {question: {type: string}}
messages:
  - {type: system, content: Answer from the evidence.}
  - {type: context, name: kb}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: notes
config: {retriever_id: hybrid, query: "{input.question}", limit: 1}
---
kind: corpus
name: notes
config: {root: ../notes}
"""
QUESTION = {"question": "How hot is the water for green tea?"}


@pytest.fixture
def contexts(root: Path) -> Path:
    folder = root.parent / "contexts"
    folder.mkdir()
    (folder / "ask.yaml").write_text(PLANS, "utf-8")
    return folder


@pytest.fixture
def indexed(contexts: Path, root: Path) -> Path:
    with Corpus.open(root) as corpus:
        corpus.ingest()
    return contexts


def answer(text: str) -> Any:
    blocks = [ContextPackBlock(evidence_item_id="1", text=text)]
    return lambda _request: ContextPack(text=text, evidence_count=1, blocks=blocks)


def test_a_folder_of_plans_answers_from_its_corpus(indexed: Path):
    result = ContextAssembler.from_path(indexed).assemble("ask", inputs=QUESTION)
    assert "80 degrees" in result.system_prompt
    assert result.citations[0].place.startswith("tea.md:")
    assert result.receipt.parts[1].blocks[0].source == "tea.md"


def test_async_gives_the_same_bytes(indexed: Path):
    assembler = ContextAssembler.from_path(indexed)
    once = assembler.assemble("ask", inputs=QUESTION)
    assert asyncio.run(assembler.aassemble("ask", inputs=QUESTION)).messages == once.messages


def test_declarations_passed_from_python_work_like_those_in_files(indexed: Path, root: Path):
    assembler = ContextAssembler(
        {"ask": {"messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {"corpus": "notes", "config": {"retriever_id": "keyword", "query": "rye"}}},
        {"notes": {"config": {"root": str(root)}}},
    )
    assert "linen bag" in assembler.assemble("ask").system_prompt


def test_what_python_hands_in_goes_before_what_is_declared(indexed: Path):
    by_name = ContextAssembler.from_path(indexed, retriever_functions={"kb": answer("by name")})
    assert "by name" in by_name.assemble("ask", inputs=QUESTION).system_prompt
    default = ContextAssembler.from_path(indexed, default_retriever=answer("by default"))
    assert "by default" in default.assemble("ask", inputs=QUESTION).system_prompt
    override = answer("instead")
    result = ContextAssembler.from_path(indexed).assemble(
        "ask", inputs=QUESTION, retriever_override=override
    )
    assert "instead" in result.system_prompt


def test_the_principal_decides_what_is_seen(indexed: Path):
    assembler = ContextAssembler.from_path(indexed, principal=Principal("another"))
    result = assembler.assemble("ask", inputs=QUESTION)
    assert result.citations == ()


def test_retrievers_of_one_context_run_in_parallel(indexed: Path):
    second = PLANS.replace("name: kb", "name: talk").replace("name: ask", "name: two")
    context, retriever, _ = second.split("---\n")
    context = context.replace("  - {type: user", "  - {type: context, name: kb}\n  - {type: user")
    (indexed / "two.yaml").write_text(
        f"{context}---\n{retriever.replace('hybrid', 'recent')}", encoding="utf-8"
    )
    result = ContextAssembler.from_path(indexed).assemble("two", inputs=QUESTION)
    assert {each.pack for each in result.citations} == {"kb", "talk"}


def test_a_corpus_never_indexed_fails_with_the_command_to_run(contexts: Path, root: Path):
    with pytest.raises(RetrieverError, match=r"'notes' has never been indexed. Run: biblicus"):
        ContextAssembler.from_path(contexts).assemble("ask", inputs=QUESTION)


def test_a_corpus_that_fails_is_skipped_if_the_plan_allows_it(contexts: Path):
    file = contexts / "ask.yaml"
    file.write_text(PLANS.replace("name: kb}", "name: kb, on_error: skip}", 1), "utf-8")
    result = ContextAssembler.from_path(contexts).assemble("ask", inputs=QUESTION)
    assert result.receipt.parts[1].action == "failed"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("hybrid", "hybird", r"retriever 'kb' config: unknown retriever_id: found 'hybird'"),
        ("limit: 1", "limti: 1", r"retriever 'kb' config: unknown setting: found 'limti'"),
        ("root:", "roots: x, root:", r"unknown key: found 'roots'"),
        ("retriever_id: hybrid, ", "", "No retriever override or default retriever"),
        ("root: ../notes", "split: test", "No retriever override or default retriever"),
    ],
)
def test_what_cannot_be_answered_is_an_error(indexed: Path, old: str, new: str, problem: str):
    (indexed / "ask.yaml").write_text(PLANS.replace(old, new, 1), "utf-8")
    with pytest.raises(PlanError, match=problem):
        ContextAssembler.from_path(indexed).assemble("ask", inputs=QUESTION)


def test_a_pack_without_a_declared_retriever_is_not_retrieved_from_a_corpus(root: Path):
    assembler = ContextAssembler(
        {"ask": {"messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {"config": {"retriever_id": "hybrid"}}},
        {"notes": {"config": {"root": str(root)}}},
    )
    with pytest.raises(PlanError, match="No retriever override or default retriever"):
        assembler.assemble("ask", user_message="tea")


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns after each statement."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("switching")
def test_principals_that_ask_at_once_share_what_is_remembered(tmp_path: Path):
    config = {"retriever_id": "keyword", "query": "tea", "cache": {"ttl_seconds": 60}}
    kb = {"kb": RetrieverDeclaration(name="kb", corpus="notes", config=config)}
    with Corpus.open_records(tmp_path) as notes, ThreadPoolExecutor(6) as threads:
        notes.put([Record(id="tea", text="Tea is hot.")])
        for _ in range(40):  # one of six met between two statements
            declared = DeclaredRetrievers(kb, {}, passed={"notes": notes})
            ready = Barrier(6)

            def answers(user: int, declared=declared, ready=ready) -> object:
                own = declared.for_principal(Principal("local", user=str(user)))
                ready.wait()
                retriever = own.get("kb")
                return retriever and retriever.answers

            assert len({id(each) for each in threads.map(answers, range(6))}) == 1
