"""Embedders: they turn texts into vectors that are close if the meanings are close."""

from typing import TYPE_CHECKING

from biblicus_context.base.deferred import exports

if TYPE_CHECKING:
    from biblicus_context.embedders.allowed_keys import AllowedKeys, KeyHosts
    from biblicus_context.embedders.building import (
        build_embedder,
        computes_here,
        quick_embedder,
    )
    from biblicus_context.embedders.cached import CachedEmbedder, VectorMemory
    from biblicus_context.embedders.embedder import Embedder, Vectors
    from biblicus_context.embedders.function import FunctionEmbedder
    from biblicus_context.embedders.granite import GraniteEmbedder
    from biblicus_context.embedders.mini_lm import MiniLmEmbedder
    from biblicus_context.embedders.openai_compatible import OpenAICompatibleEmbedder
    from biblicus_context.embedders.word_llama import WordLlamaEmbedder

# A linter asks for the names of embedders only; those on servers load an event loop.
__getattr__, __dir__ = exports(
    __name__,
    {
        "biblicus_context.embedders.allowed_keys": "AllowedKeys KeyHosts",
        "biblicus_context.embedders.building": "build_embedder computes_here quick_embedder",
        "biblicus_context.embedders.cached": "CachedEmbedder VectorMemory",
        "biblicus_context.embedders.embedder": "Embedder Vectors",
        "biblicus_context.embedders.function": "FunctionEmbedder",
        "biblicus_context.embedders.granite": "GraniteEmbedder",
        "biblicus_context.embedders.mini_lm": "MiniLmEmbedder",
        "biblicus_context.embedders.openai_compatible": "OpenAICompatibleEmbedder",
        "biblicus_context.embedders.word_llama": "WordLlamaEmbedder",
    },
)

__all__ = [
    "AllowedKeys",
    "CachedEmbedder",
    "Embedder",
    "FunctionEmbedder",
    "GraniteEmbedder",
    "KeyHosts",
    "MiniLmEmbedder",
    "OpenAICompatibleEmbedder",
    "VectorMemory",
    "Vectors",
    "WordLlamaEmbedder",
    "build_embedder",
    "computes_here",
    "quick_embedder",
]
