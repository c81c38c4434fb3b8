"""A golden test: cases that say what contexts come to."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import Settings, Spec, name_or
from biblicus_context.spec.expectation import Expectation
from biblicus_context.spec.recorded import Answer, Conversation, MessageSpec

TEST_KIND = "contexts-test"
"""What a golden test says under `kind`."""


ToolsOrFile = Annotated[
    Annotated[tuple[Settings, ...], Tag("list")] | Annotated[str, Tag("name")],
    Discriminator(name_or("list")),
]
Paths = Annotated[
    Annotated[tuple[str, ...], Tag("list")] | Annotated[str, Tag("name")],
    Discriminator(name_or("list")),
]


class CallSpec(Spec):
    """What is handed in to one assembly, and what is expected of it."""

    inputs: Settings | None = Field(
        default=None,
        description="The inputs of the context.",
        examples=[{"question": "Where is my order?"}],
    )
    user_message: str | None = Field(
        default=None, description="The caller's user message, for a plan that has none."
    )
    base_system_prompt: str | None = Field(
        default=None, description="The caller's base system prompt."
    )
    template_context: Settings | None = Field(
        default=None, description="Further names that templates may use."
    )
    tools: ToolsOrFile | None = Field(
        default=None, description="Tool definitions that are sent along, or a file that holds them."
    )
    packs: dict[str, Answer] | None = Field(
        default=None,
        description="What each retriever answers: blocks, best first, or a file that holds them.",
        examples=[{"handbook": [{"id": "lost", "text": "A parcel is lost after ten days."}]}],
    )
    summarizer: str | None = Field(
        default=None, description="What the summarizer writes (compactor type summarize)."
    )
    compactors: dict[str, str] | None = Field(
        default=None, description="What compactors that Python hands in write, by name."
    )
    model: str | None = Field(
        default=None, description="Instead of the policy's model.", examples=["gpt-4o"]
    )
    budget: int | None = Field(
        default=None, ge=1, description="Tokens, instead of the policy's input budget."
    )
    expect: Expectation | None = Field(default=None, description="What has to be so.")


class TurnSpec(CallSpec):
    """One call of a conversation; what it does not say is as in its case."""

    messages: tuple[MessageSpec, ...] = Field(
        default=(), description="Added to the history, for this call and those after it."
    )


class MatrixSpec(Spec):
    """The same case with each of several values; with two lists, each pair of them."""

    budget: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        default=(), description="Budgets in tokens.", examples=[[500, 2000]]
    )
    model: tuple[str, ...] = Field(
        default=(), description="Models.", examples=[["gpt-4o", "gpt-4"]]
    )


class DefaultsSpec(CallSpec):
    """What every case of a file has unless it says otherwise."""

    context: str | None = Field(
        default=None, description="The context under test.", examples=["support"]
    )
    history: Conversation | None = Field(
        default=None,
        description="The conversation so far: messages, or a file that holds them.",
        examples=[[{"role": "user", "content": "Hello"}], "long-conversation.jsonl"],
    )
    matrix: MatrixSpec | None = Field(
        default=None, description="Runs the case once for each budget and model."
    )


class CaseSpec(DefaultsSpec):
    """One case: what is handed in, and what has to come of it."""

    name: str = Field(
        min_length=1, description="Says what is true.", examples=["the newest turns stay"]
    )
    description: str | None = Field(default=None, description="Why it matters.")
    skip: str | None = Field(
        default=None, min_length=1, description="The reason not to run it for now."
    )
    turns: tuple[TurnSpec, ...] | None = Field(
        default=None,
        min_length=1,
        description="The calls of one conversation; without it there is one call.",
    )


class ContextsTest(Spec):
    """Golden tests: what contexts come to, case by case."""

    description: str | None = Field(default=None, description="What this file is about.")
    contexts: Paths | None = Field(
        default=None,
        description="Files or folders of plans, relative to this file. Absent: a folder named "
        "contexts that this file is in, its own folder, or a folder contexts further up.",
        examples=["../contexts"],
    )
    defaults: DefaultsSpec | None = Field(
        default=None,
        description="What every case has unless it says otherwise; inputs, template_context, "
        "packs, compactors and expect are taken key by key.",
    )
    cases: tuple[CaseSpec, ...] = Field(min_length=1, description="The cases.")
