"""Embedders: they turn texts into vectors that are close if the meanings are close."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.embedders.allowed_keys import (
        AllowedKeys as AllowedKeys,
        KeyHosts as KeyHosts,
    )
    from biblicus_context.embedders.building import (
        build_embedder as build_embedder,
        computes_here as computes_here,
        quick_embedder as quick_embedder,
    )
    from biblicus_context.embedders.cached import (
        CachedEmbedder as CachedEmbedder,
        CacheStatistics as CacheStatistics,
        VectorMemory as VectorMemory,
    )
    from biblicus_context.embedders.embedder import (
        Embedder as Embedder,
        Vectors as Vectors,
        languages_of as languages_of,
    )
    from biblicus_context.embedders.function import FunctionEmbedder as FunctionEmbedder
    from biblicus_context.embedders.granite import (
        Engine as Engine,
        GraniteEmbedder as GraniteEmbedder,
    )
    from biblicus_context.embedders.likeness import (
        floor_of as floor_of,
        likeness_of as likeness_of,
        unrelated as unrelated,
    )
    from biblicus_context.embedders.mini_lm import MiniLmEmbedder as MiniLmEmbedder
    from biblicus_context.embedders.openai_compatible import (
        OpenAICompatibleEmbedder as OpenAICompatibleEmbedder,
    )
    from biblicus_context.embedders.posting import Retries as Retries
    from biblicus_context.embedders.registry import Maker as Maker
    from biblicus_context.embedders.server import (
        Server as Server,
        http_library as http_library,
    )
    from biblicus_context.embedders.word_llama import WordLlamaEmbedder as WordLlamaEmbedder
else:
    # A linter asks for the names of embedders only; those on servers load an event loop.
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "allowed_keys": "AllowedKeys KeyHosts",
            "building": "build_embedder computes_here quick_embedder",
            "cached": "CacheStatistics CachedEmbedder VectorMemory",
            "embedder": "Embedder Vectors languages_of",
            "function": "FunctionEmbedder",
            "granite": "Engine GraniteEmbedder",
            "likeness": "floor_of likeness_of unrelated",
            "mini_lm": "MiniLmEmbedder",
            "openai_compatible": "OpenAICompatibleEmbedder",
            "posting": "Retries",
            "registry": "Maker",
            "server": "Server http_library",
            "word_llama": "WordLlamaEmbedder",
        },
    )
