"""The settings of a retriever over a table of a database."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints

from biblicus_context.base.connections import connection_schema
from biblicus_context.spec.base import Settings, StrictSpec
from biblicus_context.spec.choosing import RequestSpec
from biblicus_context.spec.embedder import EmbedderReference

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]{0,62}"
_COLUMN: Final = rf"^{_NAME}$"
_TABLE: Final = rf"^({_NAME}\.)?{_NAME}$"
CONNECTION: Final = r"^connection:[A-Za-z][A-Za-z0-9_-]*$"

Column = Annotated[str, StringConstraints(pattern=_COLUMN)]
"""The name of a column, as the database has it."""
TenantIs: TypeAlias = Literal["workspace", "user"]


class SqlColumnsSpec(StrictSpec):
    """Which columns of a table are what."""

    id: Column = Field(description="Names a row; no two rows have the same.", examples=["id"])
    text: Column = Field(description="The evidence.", examples=["body"])
    tenant: Column | None = Field(
        default=None,
        description="Whose a row is: only those of the principal are read. Required unless "
        "`everybody` is true.",
        examples=["account"],
    )
    title: Column | None = Field(
        default=None, description="A title, which is searched too.", examples=["subject"]
    )
    time: Column | None = Field(
        default=None, description="When a row changed last.", examples=["updated_at"]
    )
    vector: Column | None = Field(
        default=None,
        description="Its embedding: a vector or halfvec of pgvector, or an array of numbers; needs an "
        "`embedder`.",
        examples=["embedding"],
    )
    words: Column | None = Field(
        default=None,
        description="A tsvector, such as one that is generated and indexed. Default: words of title "
        "and text are found when they are searched.",
        examples=["search"],
    )
    metadata: tuple[Column, ...] = Field(
        default=(),
        strict=False,  # files have lists
        description="Further columns that blocks have as metadata.",
        examples=[["status", "priority"]],
    )


class SqlSpec(RequestSpec):
    """Settings of a retriever over a table or a view of a database."""

    retriever_id: Literal["sql"] = Field(description="Kind of retriever.")
    connection: str = Field(
        pattern=CONNECTION,
        description="Connection to a Postgres server, by name; its URL is in the environment variable "
        "BIBLICUS_CONTEXTCONNECTION_NAME.",
        examples=["connection:crm"],
        json_schema_extra=connection_schema((), "a plan names a connection: connection:NAME"),
    )
    table: str = Field(
        pattern=_TABLE,
        description="Table or view, with its schema if that is not `public`.",
        examples=["support.tickets"],
    )
    columns: SqlColumnsSpec = Field(
        description="Columns by what they are.",
        examples=[{"id": "id", "text": "body", "tenant": "account"}],
    )
    tenant_is: TenantIs = Field(
        default="workspace",
        description="What of the principal the column `tenant` has: its workspace or its user.",
    )
    everybody: bool = Field(
        default=False,
        description="Whether all rows are for everybody who may use the plan: there is no column `tenant`.",
    )
    filters: Settings = Field(
        default_factory=dict,
        description="Values that columns have: one, or a list of which each row has one.",
        examples=[{"status": "open", "priority": [1, 2]}],
    )
    language: str | None = Field(
        default="english",
        pattern=_COLUMN,
        description="Text search configuration of the database. null: no words are stemmed, and parts of "
        "words are found (ILIKE), for languages that it does not know.",
        examples=["german", "simple", None],
    )
    embedder: EmbedderReference | None = Field(
        default=None,
        description="Embedder of queries: the one by which the column `vector` was made.",
        examples=["granite"],
    )
    exact: int = Field(
        default=20_000,
        ge=1,
        le=1_000_000,
        description="Number of rows, the newest ones, whose vectors are compared where the database has "
        "no pgvector.",
    )
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")
