"""The settings of a retriever over a collection of a Qdrant server."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints

from biblicus_context.base.connections import connection_schema
from biblicus_context.spec.base import Settings, StrictSpec
from biblicus_context.spec.choosing import RequestSpec
from biblicus_context.spec.embedder import EmbedderReference
from biblicus_context.spec.retriever_settings.sql import CONNECTION, TenantIs

_KEY: Final = r"^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$"

PayloadKey = Annotated[str, StringConstraints(pattern=_KEY)]
"""A key of a payload; `metadata.author` is one inside of another."""
Fusion: TypeAlias = Literal["rrf", "dbsf"]


class QdrantPayloadSpec(StrictSpec):
    """Which keys of a payload are what."""

    text: PayloadKey = Field(description="The evidence.", examples=["page_content"])
    tenant: PayloadKey | None = Field(
        default=None,
        description="Whose a point is: only those of the principal are read. Required unless "
        "`everybody` is true.",
        examples=["metadata.account"],
    )
    title: PayloadKey | None = Field(
        default=None, description="A title.", examples=["metadata.title"]
    )
    time: PayloadKey | None = Field(
        default=None,
        description="When a point changed last: a time in ISO 8601, or seconds since 1970.",
        examples=["metadata.updated"],
    )
    metadata: tuple[PayloadKey, ...] = Field(
        default=(),
        strict=False,  # files have lists
        description="Further keys that blocks have as metadata.",
        examples=[["metadata.status"]],
    )


class QdrantSpec(RequestSpec):
    """Settings of a retriever over a collection of a Qdrant server."""

    retriever_id: Literal["qdrant"] = Field(description="Kind of retriever.")
    connection: str = Field(
        pattern=CONNECTION,
        description="Connection to a Qdrant server, by name; its URL is in the environment variable "
        "BIBLICUS_CONTEXT_CONNECTION_NAME.",
        examples=["connection:vectors"],
        json_schema_extra=connection_schema((), "a plan names a connection: connection:NAME"),
    )
    collection: str = Field(
        min_length=1, description="Collection of the server.", examples=["articles"]
    )
    payload: QdrantPayloadSpec = Field(
        description="Keys of payloads by what they are.",
        examples=[{"text": "page_content", "tenant": "metadata.account"}],
    )
    tenant_is: TenantIs = Field(
        default="workspace",
        description="What of the principal the key `tenant` has: its workspace or its user.",
    )
    everybody: bool = Field(
        default=False,
        description="Whether all points are for everybody who may use the plan: there is no key `tenant`.",
    )
    dense: str | None = Field(
        default=None,
        description="Name of the dense vectors; an empty text for those without a name. Needs an `embedder`.",
        examples=["", "text"],
    )
    embedder: EmbedderReference | None = Field(
        default=None,
        description="Embedder of queries: the one by which the dense vectors were made.",
        examples=["granite"],
    )
    sparse: str | None = Field(
        default=None,
        description="Name of sparse vectors of words, as FastEmbed's `Qdrant/bm25` makes them.",
        examples=["bm25"],
    )
    fusion: Fusion = Field(
        default="rrf",
        description="How the server makes one ranking of dense and sparse vectors.",
    )
    exact: bool = Field(
        default=False,
        description="Whether dense vectors are compared one by one, without the index.",
    )
    filters: Settings = Field(
        default_factory=dict,
        description="Values that keys of a payload have: one, or a list of which each point has one.",
        examples=[{"metadata.status": ["open", "waiting"]}],
    )
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")
