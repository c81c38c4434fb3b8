"""A conversation, typed: turns of parts, whatever provider's shape it came in or goes out in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
Family: TypeAlias = Literal["anthropic", "openai", "gemini", "reasoning_content", "plain"]
"""Who can read a piece of reasoning back."""
Keys: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Words."""

    text: str
    extra: Keys = field(default_factory=dict)
    """What only some provider knows of this part, by the provider's own key."""


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture: its bytes in base64, or the address it is found at."""

    data: str = ""
    url: str = ""
    media_type: str = ""
    """Of the bytes; an address has it among the extra keys, where its ending does not say it."""
    extra: Keys = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefusalPart:
    """Words with which a model declined."""

    text: str
    extra: Keys = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """A block of reasoning, exactly as its provider wrote it."""

    family: Family
    block: Keys


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A block that one provider has and the others do not, exactly as it was."""

    kind: str
    block: Keys


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool; the arguments are the model's own text."""

    id: str
    name: str
    arguments: str
    kind: Literal["function", "custom", "legacy"] = "function"
    """Custom tools take any text; legacy calls have no id and are found again by name."""
    extra: Keys = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered to one call."""

    call_id: str
    content: tuple[TextPart | ImagePart | OtherPart, ...]
    failed: bool = False
    kind: Literal["function", "legacy"] = "function"
    name: str = ""
    """Of the tool, where it was stated."""
    extra: Keys = field(default_factory=dict)


Part: TypeAlias = (
    TextPart | ImagePart | RefusalPart | ReasoningPart | OtherPart | ToolCall | ToolResult
)


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """What one party says at once; a turn of role tool holds one result and nothing else."""

    role: Role
    parts: tuple[Part, ...]
    number: int
    """Of the message it was read from."""
    name: str = ""
    extra: Keys = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it stands, as errors say it."""
        return f"messages[{self.number}]"

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Its tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def result(self) -> ToolResult:
        """The result that a turn of role tool is made of."""
        (part,) = self.parts
        assert isinstance(part, ToolResult)
        return part


Conversation: TypeAlias = tuple[ConversationTurn, ...]
