"""The policy: which model, how many tokens, and what happens when they do not suffice."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from biblicus_context.spec.base import NameOrSettings, Spec, name_or, table
from biblicus_context.spec.budget import ContextBudgetSpec, ContextPackBudgetSpec, ReserveSpec
from biblicus_context.spec.dedupe import Dedupe


class ContextExpansionSpec(Spec):
    """How far a retriever is paged while its share is not full."""

    max_pages: int = Field(default=1, ge=1, description="Pages at most.", examples=[3])
    min_fill_ratio: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Stop asking once this part of the share is filled (1.0 when absent).",
        examples=[0.9],
    )


class FramingSpec(Spec):
    """Tokens a model's message format adds around contents."""

    per_message: int = Field(default=0, ge=0, description="Added for every message.")
    per_name: int = Field(default=0, ge=0, description="Added for a message that has a name.")
    per_reply: int = Field(default=0, ge=0, description="Added once, to open the answer.")
    per_tool_call: int = Field(default=0, ge=0, description="Added for every tool call.")
    per_tools: int = Field(default=0, ge=0, description="Added once where tools are defined.")


FramingReference = Annotated[
    Annotated[FramingSpec, Tag("framing")] | Annotated[str, Tag("name")],
    Discriminator(name_or("framing")),
]


class ContextPolicySpec(Spec):
    """Budgets, overflow, compaction and expansion of one context."""

    model: str | None = Field(
        default=None,
        description="Sets counter, window and message framing from the table of models.",
        examples=["gpt-4o"],
    )
    counter: str | None = Field(
        default=None, description="Counts tokens; overrides the model's.", examples=["o200k_base"]
    )
    window: int | None = Field(
        default=None, ge=1, description="The model's context window; overrides the model's."
    )
    framing: FramingReference | None = Field(
        default=None, description="Message framing, by name or by number.", examples=["openai"]
    )
    input_budget: ContextBudgetSpec | None = Field(
        default=None, description="Tokens for everything that is sent; ratio is of the window."
    )
    reserve: ReserveSpec | None = Field(
        default=None, description="Taken off the window before anything else."
    )
    pack_budget: ContextPackBudgetSpec | None = Field(
        default=None, description="Tokens for all packs together, divided among them."
    )
    overflow: Literal["compact", "error", "none"] | None = Field(
        default=None,
        description="What happens when the budget does not suffice: compact (default when a "
        "budget is set), error, or none (send what was asked and report it).",
    )
    compactor: NameOrSettings | None = Field(
        default=None,
        description="Shortens what is still over: a name, or {type: ...} with its settings.",
        examples=["extractive", {"type": "head_tail"}],
    )
    dedupe: Dedupe | None = Field(
        default=None,
        description="Of blocks with the same text in several packs the best stays (default); "
        "true: of near-duplicates as well; false: all stay.",
        examples=[False, {"near": 0.8}],
    )
    max_iterations: int = Field(
        default=2, ge=1, description="Passes in which a pack that came back too large is asked."
    )
    expansion: ContextExpansionSpec | None = Field(
        default=None, description="Paging of retrievers; one page when absent."
    )


PolicyReference = Annotated[
    Annotated[ContextPolicySpec, Tag("policy")] | Annotated[str, Tag("name")],
    Discriminator(name_or("policy")),
    BeforeValidator(table),
]
"""A policy written in place, or the name of a declared one."""


class PolicyDeclaration(Spec):
    """A policy under a name, for many contexts to share."""

    name: str = Field(min_length=1, description="The name contexts use.")
    policy: ContextPolicySpec
