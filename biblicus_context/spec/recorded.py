"""What a golden test hands in instead of the outside world: messages, and answers of retrievers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import Settings, Spec, name_or

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "model", "tool", "function"]


TextOrParts = Annotated[
    Annotated[tuple[Any, ...], Tag("list")] | Annotated[str, Tag("name")],
    Discriminator(name_or("list")),
]


class MessageSpec(Spec):
    """One message of a conversation."""

    role: Role = Field(description="Who says it.")
    content: TextOrParts | None = Field(
        default=None, description="What is said: a text, or a list of parts.", examples=["Hello"]
    )
    name: str | None = Field(default=None, description="The speaker's or the function's name.")
    tool_calls: tuple[Settings, ...] | None = Field(
        default=None, description="The tools an assistant calls."
    )
    tool_call_id: str | None = Field(
        default=None, description="The call that a message of role tool answers."
    )
    function_call: Settings | None = Field(
        default=None, description="The function an assistant calls."
    )
    refusal: str | None = Field(default=None, description="Why an assistant does not answer.")
    reasoning_content: str | None = Field(
        default=None, description="What a model thought before it answered."
    )


MessagesOrFile = Annotated[
    Annotated[tuple[MessageSpec, ...], Tag("list")] | Annotated[str, Tag("name")],
    Discriminator(name_or("list")),
]


class RepeatedMessagesSpec(Spec):
    """Messages that come again and again, for a conversation that is too long."""

    messages: MessagesOrFile = Field(description="The messages, or a file that holds them.")
    times: int = Field(ge=1, description="How often they come.", examples=[50])


def _kind_of_history(value: Any) -> str:
    if isinstance(value, str):
        return "file"
    return "messages" if isinstance(value, list | tuple) else "repeated"


Conversation = Annotated[
    Annotated[tuple[MessageSpec, ...], Tag("messages")]
    | Annotated[RepeatedMessagesSpec, Tag("repeated")]
    | Annotated[str, Tag("file")],
    Discriminator(_kind_of_history),
]
"""Messages: listed, repeated, or in a file (.json, .jsonl, .yaml) beside the test."""


class BlockSpec(Spec):
    """One block of evidence."""

    id: str | None = Field(
        default=None,
        min_length=1,
        description="Its name in receipts and expectations; absent: the pack's name and a number, "
        "from 1, such as handbook-1.",
        examples=["lost"],
    )
    text: str = Field(min_length=1, description="The evidence itself.")
    source: str | None = Field(default=None, description="Where it comes from.")
    score: float | None = Field(default=None, description="How well it matches.")
    metadata: Settings | None = Field(default=None, description="What else is known of it.")


Block = Annotated[
    Annotated[BlockSpec, Tag("block")]
    | Annotated[Annotated[str, Field(min_length=1)], Tag("name")],
    Discriminator(name_or("block")),
]
"""A block, or only its text."""


class FailureSpec(Spec):
    """A retriever that fails."""

    message: str = Field(min_length=1, description="What it says.", examples=["connection lost"])
    offset: int = Field(
        default=0,
        ge=0,
        description="It answers requests for blocks before this one, such as the first page.",
    )


Failure = Annotated[
    Annotated[FailureSpec, Tag("failure")] | Annotated[str, Tag("name")],
    Discriminator(name_or("failure")),
]
BlocksOrFile = Annotated[
    Annotated[tuple[Block, ...], Tag("list")] | Annotated[str, Tag("name")],
    Discriminator(name_or("list")),
]


class AnswerSpec(Spec):
    """What a retriever answers, and how."""

    blocks: BlocksOrFile = Field(
        default=(), description="What it finds, best first; or a file that holds it."
    )
    fails: Failure | None = Field(
        default=None, description="It raises an error that says this.", examples=["connection lost"]
    )
    delay_seconds: float | None = Field(
        default=None,
        gt=0,
        description="How long it takes. Nobody waits: it is compared with timeout_seconds.",
    )


def _kind_of_answer(value: Any) -> str:
    if isinstance(value, str):
        return "file"
    return "blocks" if isinstance(value, list | tuple) else "answer"


Answer = Annotated[
    Annotated[AnswerSpec, Tag("answer")]
    | Annotated[tuple[Block, ...], Tag("blocks")]
    | Annotated[str, Tag("file")],
    Discriminator(_kind_of_answer),
]
"""What a retriever answers: its blocks, a file that holds them, or blocks and how they come."""
