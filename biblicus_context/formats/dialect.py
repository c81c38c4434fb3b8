"""What the format of a provider can express, and the errors for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar

from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats.arguments import ArgumentsError, object_in
from biblicus_context.formats.conversation import (
    Conversation,
    ConversationTurn,
    Family,
    ImagePart,
    Keys,
    MessageText,
    OtherPart,
    Part,
    ReasoningPart,
    RefusalPart,
    ToolCall,
    ToolResult,
)

ForeignParts: TypeAlias = Literal["error", "drop"]
"""What happens to reasoning and to keys that only another provider can read."""
TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ANYTHING: Final = re.compile(r".+", re.DOTALL)
_WAYS: Final = ("error", "drop")
_Keyed = TypeVar("_Keyed", bound=MessageText | ImagePart | RefusalPart | ToolCall | ToolResult)
_BLOCKS: Final = (MessageText, ImagePart, RefusalPart)
_STRANGE_CALLS: Final = {
    "custom": "has no custom tools",
    "legacy": "has no function_call; use tool_calls",
}
_DROP: Final = "Remove it, or pass foreign='drop'."


@dataclass(frozen=True, slots=True)
class Dialect:
    """A provider's format."""

    name: str
    families: frozenset[Family] = frozenset()
    """The provider whose reasoning it reads."""
    extras: Mapping[type, frozenset[str]] = field(default_factory=dict)
    """Keys of a turn and of each kind of part, besides those that every format has."""
    open_blocks: bool = False
    """Whether text and images may have any keys."""
    names: bool = False
    """Whether a message can name its speaker."""
    failures: bool = True
    """Whether a result can be marked as a failure."""
    calls: frozenset[str] = frozenset({"function"})
    """Kinds of tool calls."""
    late_system: bool = False
    """Whether a system message may come after the first user message."""
    tool_name: re.Pattern[str] = TOOL_NAME
    call_id: re.Pattern[str] = ANYTHING
    ids_once: bool = False
    """Whether an id is unique in the whole conversation, not only in its turn."""

    def refusal(
        self, turn: ConversationTurn, problem: str, found: object = None, fix: str | None = None
    ) -> FormatError:
        """The error for a turn that cannot be expressed."""
        return FormatError(f"{self.name} {problem}", place=turn.place, found=found, fix=fix)

    def arguments(self, turn: ConversationTurn, call: ToolCall) -> dict[str, Any]:
        """The arguments of a call as an object."""
        try:
            return object_in(call.arguments)
        except ArgumentsError as error:
            raise self.refusal(
                turn,
                f"takes the arguments of {call.name} only as a JSON object; {error}",
                call.arguments,
                "Leave out this call and its result, or correct the arguments.",
            ) from None


def own(turns: Conversation, dialect: Dialect, foreign: ForeignParts) -> Conversation:
    """What a provider can read of a conversation; the rest is an error, or left out."""
    if foreign not in _WAYS:
        raise InputError("unknown way", place="foreign", found=foreign, valid=_WAYS)
    return tuple(turn for each in turns if (turn := _Reader(dialect, foreign, each).turn()))


@dataclass(frozen=True, slots=True)
class _Reader:
    dialect: Dialect
    foreign: ForeignParts
    read: ConversationTurn

    def turn(self) -> ConversationTurn | None:
        """The turn without foreign parts, or None if nothing is left."""
        if self.read.name and not self.dialect.names:
            raise self.dialect.refusal(
                self.read,
                "has no names of speakers",
                self.read.name,
                "Leave out the name, or write it into the text.",
            )
        parts = tuple(self._parts())
        if self.read.parts and not parts:
            return None
        return replace(self.read, parts=parts, extra=self._keys(ConversationTurn, self.read.extra))

    def _parts(self) -> Iterator[Part]:
        for part in self.read.parts:
            if not isinstance(part, ReasoningPart):
                cleaned = self._part(part)
                if cleaned == part or cleaned != MessageText(""):  # else it had foreign parts only
                    yield cleaned
            elif part.family in self.dialect.families:
                yield part
            elif self.foreign == "error":
                problem = "cannot read the reasoning of another provider"
                raise self.dialect.refusal(self.read, problem, dict(part.block), _DROP)

    def _part(self, part: Part) -> Part:
        match part:
            case ToolResult():
                return self._result(part)
            case ToolCall():
                return self._cleaned(self._call(part))
            case MessageText() | ImagePart() | RefusalPart():
                return self._cleaned(part)
        return part

    def _call(self, call: ToolCall) -> ToolCall:
        if call.kind not in self.dialect.calls:
            raise self.dialect.refusal(self.read, _STRANGE_CALLS[call.kind], call.name)
        if not self.dialect.tool_name.fullmatch(call.name):
            raise self.dialect.refusal(self.read, "does not take a tool of this name", call.name)
        if call.kind != "legacy" and not self.dialect.call_id.fullmatch(call.id):
            raise self.dialect.refusal(self.read, "does not take a call of this id", call.id)
        return call

    def _result(self, result: ToolResult) -> ToolResult:
        if result.failed and not self.dialect.failures:
            if self.foreign == "error":
                problem = "cannot mark a tool's result as failed"
                raise self.dialect.refusal(self.read, problem, {"is_error": True}, _DROP)
            result = replace(result, failed=False)
        content = tuple(
            part if isinstance(part, OtherPart) else self._cleaned(part) for part in result.content
        )
        return self._cleaned(replace(result, content=content))

    def _cleaned(self, part: _Keyed) -> _Keyed:
        return replace(part, extra=self._keys(type(part), part.extra)) if part.extra else part

    def _keys(self, holder: type, extra: Keys) -> dict[str, Any]:
        if self.dialect.open_blocks and holder in _BLOCKS:
            return dict(extra)
        known = self.dialect.extras.get(holder, frozenset())
        strange = [key for key in extra if key not in known]
        if strange and self.foreign == "error":
            found = {key: extra[key] for key in strange}
            raise self.dialect.refusal(self.read, "does not know this", found, _DROP)
        return {key: item for key, item in extra.items() if key not in strange}
