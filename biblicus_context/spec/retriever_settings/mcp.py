"""The settings of a retriever that calls a tool of an MCP server."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from biblicus_context.base.connections import connection_schema
from biblicus_context.spec.base import Settings, StrictSpec
from biblicus_context.spec.choosing import RequestSpec
from biblicus_context.spec.retriever_settings.sql import TenantIs

_CONNECTION: Final = r"^connection:[A-Za-z][A-Za-z0-9_-]*$"

KeyPath = Annotated[str, StringConstraints(pattern=r"^[^.\s]+(\.[^.\s]+)*$")]
"""Keys, with dots between them, from the outside in."""


class McpFieldsSpec(StrictSpec):
    """Where an item of an answer has what."""

    text: KeyPath = Field(default="text", description="The evidence.")
    id: KeyPath | None = Field(
        default=None, description="Names an item. Default: a number made of its text."
    )
    title: KeyPath | None = Field(default=None, description="A title.")
    source: KeyPath | None = Field(
        default=None, description="Where it is from, such as its address.", examples=["url"]
    )
    score: KeyPath | None = Field(default=None, description="How well it fits, as a number.")


class McpSpec(RequestSpec):
    """Settings of a retriever that calls a tool of an MCP server."""

    retriever_id: Literal["mcp"] = Field(description="Kind of retriever.")
    connection: str = Field(
        pattern=_CONNECTION,
        description="Connection to the server, by name; its URL is in the environment variable "
        "BIBLICUS_CONTEXT_CONNECTION_NAME.",
        examples=["connection:wiki"],
        json_schema_extra=connection_schema((), "a plan names a connection: connection:NAME"),
    )
    tool: str = Field(
        min_length=1,
        max_length=128,
        description="Tool that is called: one that says it only reads, or one that the connection allows.",
        examples=["search"],
    )
    query_argument: str = Field(
        default="query", min_length=1, description="Argument of the tool that gets the query."
    )
    arguments: Settings = Field(
        default_factory=dict,
        description="Further arguments of the tool.",
        examples=[{"space": "handbook", "max_results": 10}],
    )
    tenant_argument: str | None = Field(
        default=None,
        min_length=1,
        description="Argument that gets who asks. Required unless `everybody` is true.",
        examples=["account"],
    )
    tenant_is: TenantIs = Field(
        default="workspace",
        description="What of the principal `tenant_argument` gets: its workspace or its user.",
    )
    everybody: bool = Field(
        default=False,
        description="Whether all answers of the tool are for everybody who may use the plan.",
    )
    items: KeyPath | None = Field(
        default=None,
        description="Where the structured answer has the list of items. Default: the list under "
        "`items` or `results`, or the only list that there is, else each text of the answer is one item.",
        examples=["data.results"],
    )
    fields: McpFieldsSpec = Field(
        default=McpFieldsSpec(),
        description="Where an item has its text, id, title, source and score.",
        examples=[{"text": "snippet", "source": "url"}],
    )
    seconds: float = Field(
        default=10.0, gt=0, le=300, description="Time for a call of the tool, in seconds."
    )
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")
