"""Embedders by name: built in, from entry points, and added by the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from biblicus_context.base.deferred import Imported
from biblicus_context.base.registry import Registry

if TYPE_CHECKING:
    from biblicus_context.embedders.embedder import Embedder

Maker: TypeAlias = "Callable[..., Embedder]"
"""A callable that makes an embedder from the settings besides `type`."""

DEFAULT: Final = "wordllama"
_MAKERS: Final = "biblicus_context.embedders.building"
EMBEDDERS: Final[Registry[Maker]] = Registry(
    noun="embedder",
    group="biblicus_context.embedders",
    default=DEFAULT,
    entries=Imported(
        {
            "wordllama": f"{_MAKERS}:word_llama",
            "granite": f"{_MAKERS}:granite",
            "minilm": f"{_MAKERS}:mini_lm",
            "openai": f"{_MAKERS}:OPEN_AI",
        }
    ),
)
