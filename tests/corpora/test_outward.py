"""A corpus is a retriever of LangChain, LlamaIndex and Haystack."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from langchain_core.runnables import RunnableLambda

from biblicus_context import ContextAssembler, InputError, MissingExtraError
from biblicus_context.corpora import Corpus

TEA = "How hot is the water for green tea, or for black tea?"
WORDS = {"retriever_id": "keyword"}


def expected(notes: Corpus, limit: int = 5) -> list[tuple[str, str]]:
    hits = notes.retriever(WORDS).evidence(TEA, offset=0, limit=limit)
    return [(each.block.id, each.block.text) for each in hits]


def test_langchain_gets_documents_in_order_with_where_they_come_from(notes: Corpus) -> None:
    retriever = notes.as_langchain_retriever(WORDS, limit=2)
    found = retriever.invoke(TEA)
    assert [(each.id, each.page_content) for each in found] == expected(notes, 2)
    assert found[0].metadata["source"] == notes.search(TEA)[0].document.path
    assert found[0].metadata["score"] > 0
    chain = retriever | RunnableLambda(len)
    assert chain.invoke(TEA) == len(found)
    assert asyncio.run(retriever.ainvoke(TEA)) == found


def test_llama_index_gets_nodes_with_scores(notes: Corpus) -> None:
    retriever = notes.as_llama_index_retriever(WORDS, limit=2)
    found = retriever.retrieve(TEA)
    assert [(each.node.id_, each.text) for each in found] == expected(notes, 2)
    assert found[0].score == found[0].metadata["score"]
    assert "score" not in found[0].node.get_content("llm")
    assert [each.node.id_ for each in asyncio.run(retriever.aretrieve(TEA))] == [
        each.node.id_ for each in found
    ]


def test_haystack_gets_a_component_of_a_pipeline(notes: Corpus) -> None:
    pipeline = Pipeline()
    pipeline.add_component("notes", notes.as_haystack_retriever(WORDS, limit=2))
    prompt = PromptBuilder("{% for each in documents %}{{ each.id }} {% endfor %}", ["documents"])
    pipeline.add_component("prompt", prompt)
    pipeline.connect("notes.documents", "prompt.documents")
    written = pipeline.run({"notes": {"query": TEA}})["prompt"]["prompt"]
    assert written.split(" ")[:-1] == [identity for identity, _ in expected(notes, 2)]


@pytest.mark.parametrize("library", ["langchain", "llama_index", "haystack"])
def test_a_corpus_is_the_same_as_the_retriever_of_another_library(
    notes: Corpus, library: str
) -> None:
    foreign: Any = getattr(notes, f"as_{library}_retriever")(WORDS, limit=2)
    plan = {"messages": [{"type": "context", "name": "notes"}]}
    assembler = ContextAssembler({"ask": plan}, {"notes": {"config": {"limit": 2}}})
    result = assembler.assemble(
        "ask", inputs={"query": TEA}, retriever_override=foreign, budget=500
    )
    assert expected(notes, 2)[0][1] in result.system_prompt


def test_tokens_bound_what_is_found(notes: Corpus) -> None:
    (only,) = notes.as_langchain_retriever(WORDS, limit=9, max_tokens=20).invoke(TEA)
    assert only.page_content == expected(notes)[0][1]


@pytest.mark.parametrize("library", ["langchain", "llama_index", "haystack"])
def test_wrong_settings_are_refused_at_once(notes: Corpus, library: str) -> None:
    make = getattr(notes, f"as_{library}_retriever")
    with pytest.raises(InputError, match="limit must be at least 1"):
        make(WORDS, limit=0)
    with pytest.raises(ValueError, match="limt"):
        make({"retriever_id": "keyword", "limt": 2})


@pytest.mark.parametrize(
    ("library", "module", "extra"),
    [
        ("langchain", "langchain_core.retrievers", "langchain"),
        ("llama_index", "llama_index.core.retrievers", "llama-index"),
        ("haystack", "haystack", "haystack"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    notes: Corpus, monkeypatch: pytest.MonkeyPatch, library: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as raised:
        getattr(notes, f"as_{library}_retriever")(WORDS)
    assert raised.value.extra == extra
