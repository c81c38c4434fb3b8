"""Embedders: they turn texts into vectors that are close if the meanings are close."""

from biblicus_context.embedders.allowed_keys import AllowedKeys, KeyHosts
from biblicus_context.embedders.cached import CachedEmbedder, VectorMemory
from biblicus_context.embedders.embedder import Embedder, Vectors
from biblicus_context.embedders.function import FunctionEmbedder
from biblicus_context.embedders.granite import GraniteEmbedder
from biblicus_context.embedders.mini_lm import MiniLmEmbedder
from biblicus_context.embedders.openai_compatible import OpenAICompatibleEmbedder
from biblicus_context.embedders.registry import build_embedder, computes_here
from biblicus_context.embedders.word_llama import WordLlamaEmbedder

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
]
