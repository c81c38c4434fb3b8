"""Embedders by name: built in, from entry points, and added by the caller."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from biblicus_context.base.deferred import Imported
from biblicus_context.base.registry import Registry

if TYPE_CHECKING:
    from biblicus_context.embedders.embedder import Embedder

Maker: TypeAlias = "Callable[..., Embedder]"
"""A callable that makes an embedder from the settings besides `type`."""

DEFAULT: Final = "granite"
"""What a corpus has that names none, unless this machine names another one."""
VARIABLE: Final = "BIBLICUS_CONTEXT_EMBEDDER"
"""Names the default embedder of this machine, such as one where only speed counts."""
_MAKERS: Final = "biblicus_context.embedders.building"
EMBEDDERS: Final[Registry[Maker]] = Registry(
    noun="embedder",
    group="biblicus_context.embedders",
    default=DEFAULT,
    entries=Imported(
        {
            "granite": f"{_MAKERS}:granite",
            "wordllama": f"{_MAKERS}:word_llama",
            "minilm": f"{_MAKERS}:mini_lm",
            "openai": f"{_MAKERS}:OPEN_AI",
        }
    ),
)


def default_name() -> str:
    """The name of the default embedder: that of the environment, or DEFAULT."""
    return os.environ.get(VARIABLE) or DEFAULT
