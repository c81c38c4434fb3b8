"""Small retrievers made with the real libraries; loading them takes seconds, so few tests do."""

from __future__ import annotations

import os
import re
import warnings
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # some warn of themselves where they are compiled first
    import haystack
    from haystack.components.retrievers import in_memory
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import InMemoryVectorStore
    from llama_index.core import (
        VectorStoreIndex,
        embeddings as llama_embeddings,
        retrievers as llama_retrievers,
    )
    from llama_index.core.schema import NodeWithScore, TextNode

TEXTS = [f"Parcel note {number}: parcels take {number} days." for number in range(12)]


def vector(text: str) -> list[float]:
    """The farther from the first note, the larger its number: no two notes are as close."""
    number = re.search(r"\d+", text)
    return [10.0, float(number[0]) if number else 0.0]


class LangChainWords(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [*map(vector, texts)]

    def embed_query(self, text: str) -> list[float]:
        return vector(text)


class LlamaWords(llama_embeddings.BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)


class LangChainNotes(BaseRetriever):
    """Returns all it has, whatever the query."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return _documents()


class LlamaNotes(llama_retrievers.BaseRetriever):
    """Returns all it has, whatever the query; async callers would wait for it."""

    def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:
        return [NodeWithScore(node=node, score=1.0 - at / 100) for at, node in enumerate(_nodes())]


def langchain() -> Any:
    store = InMemoryVectorStore(LangChainWords())
    store.add_documents(_documents())
    return store.as_retriever(search_kwargs={"k": 2})


def own_langchain() -> Any:
    return LangChainNotes()


def chain_of_langchain() -> Any:
    return LangChainNotes().with_config(tags=["notes"])


def llama_index() -> Any:
    return VectorStoreIndex(_nodes(), embed_model=LlamaWords()).as_retriever(similarity_top_k=2)


def own_llama_index() -> Any:
    return LlamaNotes()


def of_haystack() -> Any:
    store = InMemoryDocumentStore()
    store.write_documents(
        [
            haystack.Document(id=f"n{at}", content=text, meta={"file_path": "notes.md"})
            for at, text in enumerate(TEXTS)
        ]
    )
    return in_memory.InMemoryBM25Retriever(store, top_k=2)


def over_vectors_of_haystack() -> Any:
    return in_memory.InMemoryEmbeddingRetriever(InMemoryDocumentStore())


def _documents() -> list[Document]:
    return [
        Document(text, id=f"n{at}", metadata={"source": "notes.md"})
        for at, text in enumerate(TEXTS)
    ]


def _nodes() -> list[TextNode]:
    return [
        TextNode(text=text, id_=f"n{at}", metadata={"file_path": "notes.md"})
        for at, text in enumerate(TEXTS)
    ]
