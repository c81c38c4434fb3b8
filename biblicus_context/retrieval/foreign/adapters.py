"""The adapter of each library."""

from biblicus_context.retrieval.foreign.haystack import HaystackAdapter
from biblicus_context.retrieval.foreign.langchain import LangChainAdapter
from biblicus_context.retrieval.foreign.llama_index import LlamaIndexAdapter

__all__ = ["HaystackAdapter", "LangChainAdapter", "LlamaIndexAdapter"]
