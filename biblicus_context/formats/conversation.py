"""A typed conversation: turns of parts, independent of the provider it comes from or goes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
Family: TypeAlias = Literal["anthropic", "openai", "gemini", "reasoning_content", "plain"]
"""The providers that can read a block of reasoning."""
Keys: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MessageText:
    """Plain text."""

    text: str
    extra: Keys = field(default_factory=dict)
    """Keys of this part that only some providers have."""


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image: its bytes in base64, or its address."""

    data: str = ""
    url: str = ""
    media_type: str = ""
    """The type of the bytes; for an address it is in `extra`, unless the ending says it."""
    extra: Keys = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefusalPart:
    """The text with which a model declined."""

    text: str
    extra: Keys = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """A block of reasoning, exactly as its provider wrote it: a changed one is refused."""

    family: Family
    block: Keys


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A block that only one provider has, unchanged."""

    kind: str
    block: Keys


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool; the arguments are the model's text, unparsed."""

    id: str
    name: str
    arguments: str
    kind: Literal["function", "custom", "legacy"] = "function"
    """Custom tools take any text; legacy calls have no id and are matched by name."""
    extra: Keys = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one call of a tool."""

    call_id: str
    content: tuple[MessageText | ImagePart | OtherPart, ...]
    failed: bool = False
    kind: Literal["function", "legacy"] = "function"
    name: str = ""
    """The name of the tool, if stated."""
    extra: Keys = field(default_factory=dict)


Part: TypeAlias = (
    MessageText | ImagePart | RefusalPart | ReasoningPart | OtherPart | ToolCall | ToolResult
)


def kind_of(part: Part) -> str:
    """The kind of a part, as errors name it."""
    return part.kind if isinstance(part, OtherPart) else _KINDS[type(part)]


_KINDS: Mapping[type, str] = {
    MessageText: "text",
    ImagePart: "image",
    RefusalPart: "refusal",
    ReasoningPart: "reasoning",
    ToolCall: "tool call",
    ToolResult: "tool result",
}


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """One message of one role; a turn of role tool holds exactly one result."""

    role: Role
    parts: tuple[Part, ...]
    number: int
    """The index of the message it was read from."""
    name: str = ""
    extra: Keys = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The place that errors name."""
        return f"messages[{self.number}]"

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def result(self) -> ToolResult:
        """The result in a turn of role tool."""
        (part,) = self.parts
        assert isinstance(part, ToolResult)
        return part


Conversation: TypeAlias = tuple[ConversationTurn, ...]
