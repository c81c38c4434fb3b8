"""Retrievers of LangChain, LlamaIndex and Haystack are accepted as they are."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
from typing import Any

import pytest

from biblicus_context import ContextAssembler, InputError

POLICY = {
    "counter": "whitespace",
    "input_budget": {"max_tokens": 400},
    "pack_budget": {"default_ratio": 1.0},
}


def made(name: str) -> Any:
    """A retriever of a library; the libraries take seconds to load."""
    libraries = importlib.import_module("tests.retrieval.foreign.libraries")
    return getattr(libraries, name)()


LIBRARIES = [
    "langchain",
    "own_langchain",
    "chain_of_langchain",
    "llama_index",
    "own_llama_index",
    "of_haystack",
]
every_library = pytest.mark.parametrize("library", LIBRARIES)


def assembler(retriever: Any, limit: int = 3, **policy: Any) -> ContextAssembler:
    return ContextAssembler(
        {"main": {"packs": ["kb"], "policy": {**POLICY, **policy}}},
        {"kb": {"config": {"query": "parcels", "limit": limit}}},
        retriever_functions={"kb": retriever},
    )


@every_library
def test_a_retriever_of_the_library_is_asked_for_as_many_documents_as_the_plan_wants(
    library: str,
):
    part = assembler(made(library), limit=5).assemble("main").receipt.parts[1]
    assert [block.action for block in part.blocks] == ["kept"] * 5
    assert {block.source for block in part.blocks} == {"notes.md"}
    assert {block.id for block in part.blocks} <= {f"n{at}" for at in range(12)}


@every_library
def test_pages_are_slices_as_these_libraries_know_no_offset(library: str):
    paged = assembler(made(library), limit=5, expansion={"max_pages": 4, "min_fill_ratio": 1.0})
    part = paged.assemble("main").receipt.parts[1]
    assert (part.pages, part.requests) == (3, 3)
    assert sorted(block.id for block in part.blocks) == sorted(f"n{at}" for at in range(12))


@every_library
def test_async_callers_get_the_same(library: str):
    retriever = made(library)
    result = assembler(retriever).assemble("main")
    assert asyncio.run(assembler(retriever).aassemble("main")).messages == result.messages
    asked = assembler(retriever).assemble("main").receipt.parts[1].requests
    assert asked == 1


@every_library
def test_it_may_be_in_any_place_where_a_retriever_is_passed(library: str):
    retriever = made(library)
    contexts = {"main": {"packs": ["kb"], "policy": POLICY}}
    call = {"inputs": {"query": "parcels"}}
    texts = {
        ContextAssembler(contexts, {"kb": retriever}).assemble("main", **call).system_prompt,
        ContextAssembler(contexts, {"kb": {}}, default_retriever=retriever)
        .assemble("main", **call)
        .system_prompt,
        ContextAssembler(contexts, {"kb": {}})
        .assemble("main", retriever_override=retriever, **call)
        .system_prompt,
    }
    assert len(texts) == 1
    assert texts != {""}


def test_settings_of_the_callers_retriever_stay_as_they_are():
    for retriever, number in (
        (made("langchain"), lambda each: each.search_kwargs["k"]),
        (made("llama_index"), lambda each: each.similarity_top_k),
        (made("of_haystack"), lambda each: each.top_k),
    ):
        assembler(retriever, limit=7).assemble("main")
        assert number(retriever) == 2


def test_documents_of_the_libraries_may_be_returned_by_a_function():
    returned = {
        "langchain": made("langchain").invoke("parcels"),
        "llama_index": made("llama_index").retrieve("parcels"),
        "haystack": made("of_haystack").run(query="parcels"),
        "scored": made("langchain").vectorstore.similarity_search_with_score("parcels", k=2),
    }
    for name, documents in returned.items():
        result = assembler(lambda request, found=documents: found).assemble("main")
        ids = [block.id for block in result.receipt.parts[1].blocks]
        assert len(ids) == 2, name
        assert {each[0] for each in ids} == {"n"}, name


def test_a_store_instead_of_its_retriever_is_refused_with_what_to_pass():
    with pytest.raises(InputError, match=r"default_retriever: .*InMemoryVectorStore.*as_retriever"):
        ContextAssembler({}, default_retriever=made("langchain").vectorstore)


def test_a_component_that_takes_vectors_is_refused_with_what_to_pass():
    vectors = made("over_vectors_of_haystack")
    with pytest.raises(InputError, match=r"'kb'.*no input 'query'.*TextEmbeddingRetriever"):
        ContextAssembler({}, {"kb": vectors})


@pytest.mark.parametrize("value", [object(), 5, "kb"])
def test_what_is_not_a_retriever_is_refused_where_it_is_passed(value: Any):
    with pytest.raises(InputError, match="default_retriever: this is not a retriever: found"):
        ContextAssembler({}, default_retriever=value)
    with pytest.raises(InputError, match="retriever_override: this is not a retriever"):
        ContextAssembler({"main": {}}).assemble("main", retriever_override=value)


def test_no_library_is_imported_by_the_package():
    program = (
        "import sys; import biblicus_context.retrieval.foreign.adapters as a, "
        "biblicus_context.retrieval.foreign.adapters as b, "
        "biblicus_context.retrieval.foreign.adapters as c; print(*sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {name.split(".")[0] for name in printed} & {
        "langchain_core",
        "llama_index",
        "haystack",
    } == set()
