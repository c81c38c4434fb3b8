"""Embedders whose settings a corpus may say."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import Spec


class OpenAIEmbedderSpec(Spec):
    """A server that speaks OpenAI's embeddings protocol."""

    model: str = Field(
        min_length=1,
        description="The name the server knows.",
        examples=["text-embedding-3-small"],
    )
    dimensions: int = Field(ge=1, description="Numbers in a vector.", examples=[1536])
    shorten: bool = Field(
        default=False, description="Ask the server to cut vectors to `dimensions`."
    )
    base_url: str = Field(
        default="https://api.openai.com/v1", description="The server, without `/embeddings`."
    )
    api_key_env: str | None = Field(
        default="OPENAI_API_KEY", description="The environment variable that holds the key."
    )
    batch_size: int = Field(default=128, ge=1, description="Texts in one request.")
    timeout_seconds: float = Field(default=30, gt=0, description="For one request.")
    attempts: int = Field(default=5, ge=1, description="How often one request is tried.")
