"""Recorded data of golden tests: messages, and answers of retrievers."""

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

    role: Role = Field(description="Role of the author.")
    content: TextOrParts | None = Field(
        default=None, description="Content: a text, or a list of parts.", examples=["Hello"]
    )
    name: str | None = Field(default=None, description="Name of the author or of the function.")
    tool_calls: tuple[Settings, ...] | None = Field(
        default=None, description="Tool calls of an assistant."
    )
    tool_call_id: str | None = Field(
        default=None, description="Id of the tool call that this message answers."
    )
    function_call: Settings | None = Field(
        default=None, description="Function call of an assistant."
    )
    refusal: str | None = Field(default=None, description="Refusal of an assistant.")
    reasoning_content: str | None = Field(
        default=None, description="Reasoning of a model before its answer."
    )


MessagesOrFile = Annotated[
    Annotated[tuple[MessageSpec, ...], Tag("list")] | Annotated[str, Tag("name")],
    Discriminator(name_or("list")),
]


class RepeatedMessagesSpec(Spec):
    """Repeated messages, for a long conversation."""

    messages: MessagesOrFile = Field(description="Messages, or a file with messages.")
    times: int = Field(ge=1, le=100_000, description="Number of repetitions.", examples=[50])


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
"""Messages: listed, repeated, or in a file (.json, .jsonl, .yaml) next to the test."""


class BlockSpec(Spec):
    """One block of evidence."""

    id: str | None = Field(
        default=None,
        min_length=1,
        description="Id in receipts and expectations. Default: the pack's name and a number "
        "from 1, such as handbook-1.",
        examples=["lost"],
    )
    text: str = Field(min_length=1, description="Text of the evidence.")
    source: str | None = Field(default=None, description="Source of the block.")
    score: float | None = Field(default=None, description="Score of the block.")
    metadata: Settings | None = Field(default=None, description="Metadata of the block.")


Block = Annotated[
    Annotated[BlockSpec, Tag("block")]
    | Annotated[Annotated[str, Field(min_length=1)], Tag("name")],
    Discriminator(name_or("block")),
]
"""A block, or only its text."""


class FailureSpec(Spec):
    """A failure of a retriever."""

    message: str = Field(
        min_length=1, description="Message of the error.", examples=["connection lost"]
    )
    offset: int = Field(
        default=0,
        ge=0,
        description="Offset from which requests fail; requests before it succeed.",
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
    """Answer of a retriever."""

    blocks: BlocksOrFile = Field(
        default=(), description="Blocks, best first, or a file with blocks."
    )
    fails: Failure | None = Field(
        default=None, description="Raise an error with this message.", examples=["connection lost"]
    )
    delay_seconds: float | None = Field(
        default=None,
        gt=0,
        description="Simulated duration, compared with timeout_seconds; the test does not wait.",
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
