"""Embedders that a corpus can configure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from biblicus_context.spec.base import Spec

LEAST_GRANITE_TOKENS: Final = 32
MOST_GRANITE_TOKENS: Final = 512
"""What the model can read."""


class EmbedderSpec(Spec):
    """An embedder, depending on `type`."""

    # The settings of an embedder that another package adds are its own.
    model_config = ConfigDict(extra="allow")

    type: str = Field(
        min_length=1,
        description="Kind of embedder: wordllama, granite, minilm, openai, or one of an installed package.",
        examples=["wordllama", "granite", "openai"],
    )

    @property
    def settings(self) -> Mapping[str, Any]:
        """What an author wrote."""
        return self.model_dump(exclude_unset=True)


class GraniteEmbedderSpec(EmbedderSpec):
    """A small language model that reads English texts as a whole; it works offline."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["granite"] = Field(default="granite", description="Kind of embedder.")
    tokens: int = Field(
        default=MOST_GRANITE_TOKENS,
        ge=LEAST_GRANITE_TOKENS,
        le=MOST_GRANITE_TOKENS,
        description="Of a longer block only these first tokens count: 192 make an index of long blocks "
        "in two thirds of the time. Vectors that were made before a change stay.",
        examples=[192],
    )


class OpenAIEmbedderSpec(EmbedderSpec):
    """A server with the OpenAI embeddings API."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["openai"] = Field(default="openai", description="Kind of embedder.")
    model: str = Field(
        min_length=1,
        description="Name of the model on the server.",
        examples=["text-embedding-3-small"],
    )
    dimensions: int = Field(
        ge=1, le=65_536, description="Number of dimensions of a vector.", examples=[1536]
    )
    shorten: bool = Field(
        default=False, description="Ask the server to cut vectors to `dimensions`."
    )
    base_url: str = Field(
        default="https://api.openai.com/v1", description="URL of the server, without `/embeddings`."
    )
    api_key_env: str | None = Field(
        default="OPENAI_API_KEY",
        description="Environment variable with the API key. It is sent to OpenAI's own host if its "
        "name begins with `OPENAI_`, and to hosts that `--allow-key` or `allow_keys` names.",
    )
    batch_size: int = Field(
        default=128, ge=1, le=2_048, description="Number of texts in one request."
    )
    timeout_seconds: float = Field(
        default=30, gt=0, description="Time limit of one request, in seconds."
    )
    attempts: int = Field(
        default=5, ge=1, description="Maximum number of attempts for one request."
    )


def _shape(value: object) -> str:
    if isinstance(value, str):
        return "name"
    kind = value.get("type") if isinstance(value, Mapping) else getattr(value, "type", None)
    return kind if kind in ("openai", "granite") else "settings"


EmbedderReference = Annotated[
    Annotated[OpenAIEmbedderSpec, Tag("openai")]
    | Annotated[GraniteEmbedderSpec, Tag("granite")]
    | Annotated[EmbedderSpec, Tag("settings")]
    | Annotated[str, Tag("name")],
    Discriminator(_shape),
]
"""An embedder by name, or with its settings."""
