"""The policy: the model, the budgets, and what happens when they are exceeded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from biblicus_context.spec.base import Name, NameOrSettings, Spec, name_or, table
from biblicus_context.spec.budget import ContextBudgetSpec, ContextPackBudgetSpec, ReserveSpec
from biblicus_context.spec.dedupe import PackDedupe


class ContextExpansionSpec(Spec):
    """How many pages a retriever may fill its share with."""

    max_pages: int = Field(default=1, ge=1, description="Maximum number of pages.", examples=[3])
    min_fill_ratio: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Stop paging once this part of the share is filled. Default: 1.0.",
        examples=[0.9],
    )


class FramingSpec(Spec):
    """Tokens that a model's message format adds."""

    per_message: int = Field(default=0, ge=0, description="Tokens added for each message.")
    per_name: int = Field(default=0, ge=0, description="Tokens added for a message with a name.")
    per_reply: int = Field(default=0, ge=0, description="Tokens added once, to start the answer.")
    per_tool_call: int = Field(default=0, ge=0, description="Tokens added for each tool call.")
    per_tools: int = Field(default=0, ge=0, description="Tokens added once if tools are defined.")


FramingReference = Annotated[
    Annotated[FramingSpec, Tag("framing")] | Annotated[str, Tag("name")],
    Discriminator(name_or("framing")),
]


class ContextPolicySpec(Spec):
    """Budgets, overflow, compaction and expansion of one context."""

    model: str | None = Field(
        default=None,
        description="Model, which sets counter, window and message framing.",
        examples=["gpt-4o"],
    )
    counter: str | None = Field(
        default=None, description="Token counter; overrides the model's.", examples=["o200k_base"]
    )
    fallback_counter: str | None = Field(
        default=None,
        description="Token counter if the model is not in the table; its counts are estimates, and "
        "the receipt says so. Default: a model that is not in the table is an error.",
        examples=["characters"],
    )
    window: int | None = Field(
        default=None, ge=1, description="Context window in tokens; overrides the model's."
    )
    framing: FramingReference | None = Field(
        default=None,
        description="Message framing, by name or in numbers of tokens.",
        examples=["openai"],
    )
    input_budget: ContextBudgetSpec | None = Field(
        default=None,
        description="Maximum tokens of the whole request; ratio is a part of the window.",
    )
    reserve: ReserveSpec | None = Field(
        default=None, description="Tokens subtracted from the window before budgets are computed."
    )
    pack_budget: ContextPackBudgetSpec | None = Field(
        default=None, description="Maximum tokens for all packs together, divided among them."
    )
    overflow: Literal["compact", "error", "none"] | None = Field(
        default=None,
        description="What happens if the budget is exceeded: compact (default if a "
        "budget is set), error, or none (send everything and report the excess).",
    )
    compactor: NameOrSettings | None = Field(
        default=None,
        description="Compactor that shortens texts: a name, or {type: ...} with settings.",
        examples=["extractive", {"type": "head_tail"}],
    )
    dedupe: PackDedupe | None = Field(
        default=None,
        description="Which duplicate blocks of several packs are dropped: those with the same text "
        "(default), near-duplicates as well (true), or none (false).",
        examples=[False, {"near": 0.8}],
    )
    max_iterations: int = Field(
        default=2,
        ge=1,
        description="Maximum number of requests to a retriever whose pack exceeds its share.",
    )
    expansion: ContextExpansionSpec | None = Field(
        default=None, description="Paging of retrievers. Default: one page."
    )


PolicyReference = Annotated[
    Annotated[ContextPolicySpec, Tag("policy")] | Annotated[str, Tag("name")],
    Discriminator(name_or("policy")),
    BeforeValidator(table),
]
"""A policy written in place, or the name of a declared one."""


class PolicyDeclaration(Spec):
    """A named policy that several contexts can share."""

    name: Name = Field(description="The name that contexts use.")
    policy: ContextPolicySpec
