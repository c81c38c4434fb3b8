"""Embedders by name: built in, from entry points, and added by the caller."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Final, TypeAlias, cast

from pydantic import ValidationError

from biblicus_context.base.registry import Registry
from biblicus_context.base.validation import first_invalid
from biblicus_context.embedders.embedder import Embedder
from biblicus_context.embedders.mini_lm import MiniLmEmbedder
from biblicus_context.embedders.openai_compatible import OpenAICompatibleEmbedder
from biblicus_context.embedders.posting import Retries
from biblicus_context.embedders.word_llama import WordLlamaEmbedder
from biblicus_context.errors import InputError, PlanError
from biblicus_context.spec.embedder import OpenAIEmbedderSpec

Maker: TypeAlias = Callable[..., Embedder]
"""A callable that makes an embedder from the settings besides `type`."""

DEFAULT = "wordllama"
_NO_EMBEDDER: Final = (
    "an embedder is a callable that returns an object with the methods of `Embedder`"
)


def build_embedder(
    settings: str | Mapping[str, Any] = DEFAULT, *, extra: Mapping[str, Maker] | None = None
) -> Embedder:
    """Return the embedder of a name, or of settings with a `type`.

    >>> build_embedder("wordllama").dimensions
    256
    """
    given = {"type": settings} if isinstance(settings, str) else dict(settings)
    name = given.pop("type", DEFAULT)
    maker = cast("Maker", EMBEDDERS.adding(extra or {}).entry(name))
    try:
        signature(maker).bind(**given)
    except TypeError as error:
        raise PlanError(f"embedder '{name}': {error}") from None
    made = maker(**given)
    if not isinstance(made, Embedder):
        raise PlanError(_NO_EMBEDDER, place=f"embedder '{name}'", found=type(made).__name__)
    return made


def _open_ai(**settings: Any) -> Embedder:
    try:
        spec = OpenAIEmbedderSpec(**settings)
    except ValidationError as error:
        raise PlanError(str(first_invalid(error)), place="embedder 'openai'") from None
    return OpenAICompatibleEmbedder(
        spec.model,
        dimensions=spec.dimensions,
        base_url=spec.base_url,
        api_key=_key(spec.api_key_env),
        shorten=spec.shorten,
        batch_size=spec.batch_size,
        timeout_seconds=spec.timeout_seconds,
        retries=Retries(attempts=spec.attempts),
    )


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise InputError(
            f"the environment variable {variable} is not set",
            fix="Set it to the key of the embeddings server, or write api_key_env: null.",
        )
    return key


def _word_llama() -> Embedder:
    return WordLlamaEmbedder()


def _mini_lm() -> Embedder:
    return MiniLmEmbedder()


EMBEDDERS: Final = Registry[Maker](
    noun="embedder",
    group="biblicus_context.embedders",
    default=DEFAULT,
    entries={"wordllama": _word_llama, "minilm": _mini_lm, "openai": _open_ai},
)
