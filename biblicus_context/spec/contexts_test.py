"""A file of golden tests."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import Name, Settings, Spec, name_or
from biblicus_context.spec.budget import PackShareSpec
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


GivenShare = Annotated[
    Annotated[PackShareSpec, Tag("budget")] | Annotated[int, Field(ge=0), Tag("tokens")],
    Discriminator(lambda value: "tokens" if isinstance(value, int) else "budget"),
]
"""A number of tokens, or what the `budget` of a pack may declare."""


class CallSpec(Spec):
    """Arguments and expectations of one assembly."""

    inputs: Settings | None = Field(
        default=None,
        description="Inputs of the context.",
        examples=[{"question": "Where is my order?"}],
    )
    user_message: str | None = Field(
        default=None, description="User message of the caller, for a plan without one."
    )
    base_system_prompt: str | None = Field(
        default=None, description="Base system prompt of the caller."
    )
    template_context: Settings | None = Field(
        default=None, description="Additional names for templates."
    )
    tools: ToolsOrFile | None = Field(
        default=None,
        description="Tool definitions that are sent with the messages, or a file with them.",
    )
    packs: dict[str, Answer] | None = Field(
        default=None,
        description="Answer of each retriever: blocks, best first, or a file with blocks.",
        examples=[{"handbook": [{"id": "lost", "text": "A parcel is lost after ten days."}]}],
    )
    summarizer: str | None = Field(
        default=None, description="Text that the summarizer returns (compactor type summarize)."
    )
    compactors: dict[str, str] | None = Field(
        default=None, description="Texts that compactors passed from Python return, by name."
    )
    model: str | None = Field(
        default=None, description="Model; overrides the policy.", examples=["gpt-4o"]
    )
    budget: int | None = Field(
        default=None, ge=1, description="Input budget in tokens; overrides the policy."
    )
    shares: dict[str, GivenShare] | None = Field(
        default=None,
        description="Tokens of packs and of the history, by name; override the plan's budgets.",
        examples=[{"kb_search": 3000, "history": 0}],
    )
    expect: Expectation | None = Field(default=None, description="Expectations of this call.")


class TurnSpec(CallSpec):
    """One call of a conversation; missing fields are taken from the case."""

    messages: tuple[MessageSpec, ...] = Field(
        default=(), description="Messages added to the history for this call and later ones."
    )


class MatrixSpec(Spec):
    """Values to run a case with; two lists give every combination."""

    budget: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        default=(), description="Budgets in tokens.", examples=[[500, 2000]]
    )
    model: tuple[str, ...] = Field(
        default=(), description="Models.", examples=[["gpt-4o", "gpt-4"]]
    )


class DefaultsSpec(CallSpec):
    """Defaults for all cases of a file."""

    context: str | None = Field(
        default=None, description="Context under test.", examples=["support"]
    )
    history: Conversation | None = Field(
        default=None,
        description="Conversation so far: messages, or a file with messages.",
        examples=[[{"role": "user", "content": "Hello"}], "long-conversation.jsonl"],
    )
    matrix: MatrixSpec | None = Field(
        default=None, description="Run the case once for each budget and model."
    )
    questions: str | None = Field(
        default=None,
        min_length=1,
        description="File of questions, each with the file that answers it, as `eval` reads it. "
        "The case then has no call, and expects `recall_at`.",
        examples=["../questions.csv"],
    )
    retriever: str | None = Field(
        default=None,
        min_length=1,
        description="Retriever that the questions are asked. Default: the only one of the context.",
        examples=["handbook"],
    )


class CaseSpec(DefaultsSpec):
    """One case: arguments and expectations."""

    name: Name = Field(
        description="A sentence that the case proves.",
        examples=["the newest turns stay"],
    )
    description: str | None = Field(default=None, description="Reason for the case.")
    skip: str | None = Field(default=None, min_length=1, description="Reason to skip the case.")
    turns: tuple[TurnSpec, ...] | None = Field(
        default=None,
        min_length=1,
        description="Calls of one conversation. Default: one call.",
    )


class ContextsTest(Spec):
    """Golden tests: cases that state what a context must produce."""

    description: str | None = Field(default=None, description="Subject of the file.")
    contexts: Paths | None = Field(
        default=None,
        description="Plan files or folders, relative to this file. Default: the folder named "
        "contexts around this file, its own folder, or a contexts folder further up.",
        examples=["../contexts"],
    )
    defaults: DefaultsSpec | None = Field(
        default=None,
        description="Defaults for all cases; inputs, template_context, "
        "packs, compactors and expect are merged key by key.",
    )
    cases: tuple[CaseSpec, ...] = Field(min_length=1, description="Cases.")
