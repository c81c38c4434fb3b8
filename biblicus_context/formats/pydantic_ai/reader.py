"""From pydantic-ai's messages to a history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from biblicus_context.base.doors import door
from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats.arguments import text_of
from biblicus_context.formats.conversation import (
    ConversationTurn,
    ImagePart,
    MessageText,
    Part,
    ReasoningPart,
    ToolCall,
    ToolResult,
)
from biblicus_context.formats.dialect import ForeignParts
from biblicus_context.formats.openai.chat_writer import write
from biblicus_context.formats.pictures import image_at, image_of
from biblicus_context.formats.plain import beside, items, plain
from biblicus_context.formats.pydantic_ai.library import messages_of_library
from biblicus_context.formats.pydantic_ai.thoughts import reasoning_in

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


@door
def history_from_pydantic_ai(
    messages: Iterable[ModelMessage], *, foreign: ForeignParts = "error"
) -> list[dict[str, Any]]:
    """Pydantic-ai's messages as a history for the engine.

    It leaves out an agent's instructions, which belong to its next request, and what is not sent to
    a model, such as timestamps and token counts.
    """
    library = messages_of_library()
    turns: list[ConversationTurn] = []
    for number, message in enumerate(items(messages, "messages")):
        reader = _Reader(library, number, foreign)
        if isinstance(message, library.ModelRequest):
            turns += (turn for part in message.parts for turn in reader.asked(part))
        elif isinstance(message, library.ModelResponse):
            parts = tuple(reader.said(message.parts))
            turns += [ConversationTurn("assistant", parts, number)] if parts else []
        else:
            raise InputError(
                "this is not a message of pydantic-ai", place=reader.place, found=message
            )
    return write(tuple(turns))


class _Reader:
    """Reads the parts of one message."""

    def __init__(self, library: Any, number: int, foreign: ForeignParts) -> None:
        self.place = f"messages[{number}]"
        self._library = library
        self._number = number
        self._foreign = foreign

    def asked(self, part: Any) -> Iterator[ConversationTurn]:
        """The turn of a part of a request."""
        match part.part_kind:
            case "system-prompt":
                is_developer = (part.metadata or {}).get("role") == "developer"
                words = (self._text(part.content),)
                yield ConversationTurn(
                    "developer" if is_developer else "system", words, self._number
                )
            case "user-prompt":
                yield ConversationTurn("user", tuple(self._content(part.content)), self._number)
            case "tool-return":
                yield ConversationTurn("tool", (self._result(part),), self._number)
            case "retry-feedback":
                yield ConversationTurn("user", (self._text(part.model_response()),), self._number)
            case "retry-prompt":
                yield self._retried(part)
            case kind:
                self._strange(kind)

    def said(self, parts: Iterable[Any]) -> Iterator[Part]:
        """The parts of a response."""
        for kind, run in groupby(parts, lambda part: part.part_kind):
            if kind == "thinking":
                yield from self._thoughts(list(run))
                continue
            for part in run:
                yield from self._one(part)

    def _one(self, part: Any) -> Iterator[Part]:
        is_google = part.provider_name == "google"
        extra = plain(part.provider_details or {}, self.place) if is_google else {}
        match part.part_kind:
            case "text":
                yield MessageText(self._text(part.content).text, extra)
            case "tool-call":
                yield ToolCall(
                    part.tool_call_id, part.tool_name, self._arguments(part), extra=extra
                )
            case "file":
                yield self._image(part.content)
            case kind:
                self._strange(kind)

    def _thoughts(self, parts: list[Any]) -> Iterator[Part]:
        for reasoning in reasoning_in(parts):
            if reasoning is None:
                self._strange("thinking of an unknown provider")
            else:
                yield ReasoningPart(reasoning.family, plain(reasoning.block, self.place))

    def _arguments(self, part: Any) -> str:
        if isinstance(part.args, str):
            return self._text(part.args).text
        return text_of(plain(part.args or {}, f"{self.place}.args"))

    def _result(self, part: Any) -> ToolResult:
        images = tuple(map(self._image, part.files))
        held = part.content if isinstance(part.content, list) else [part.content]
        is_only_images = images and len(held) == len(images)
        words = part.model_response_str(wrap_if_error=False)
        texts = () if is_only_images else (self._text(words),)
        failed = part.outcome in {"failed", "retried"}
        return ToolResult(part.tool_call_id, (*texts, *images), failed)

    def _retried(self, part: Any) -> ConversationTurn:
        words = self._text(part.model_response())
        if part.tool_name is None:
            return ConversationTurn("user", (words,), self._number)
        return ConversationTurn(
            "tool", (ToolResult(part.tool_call_id, (words,), failed=True),), self._number
        )

    def _content(self, content: Any) -> Iterator[Part]:
        for part in [content] if isinstance(content, str) else content:
            if isinstance(part, str):
                yield self._text(part)
            elif part.kind == "text-content":
                yield self._text(part.content)
            elif part.kind != "cache-point":  # it belongs to one request only
                yield self._image(part)

    def _image(self, file: Any) -> ImagePart:
        extra = plain(file.vendor_metadata or {}, self.place)
        if beside({"detail"}, extra):
            self._strange("vendor_metadata")
        extra = {key: item for key, item in extra.items() if key == "detail"}
        match file.kind:
            case "image-url":
                return image_at(file.url, self.place, _media_type(file), extra)
            case "binary" if file.is_image:
                return image_of(file.base64, file.media_type, self.place, extra)
        raise FormatError(
            "the engine does not support this kind of file", place=self.place, found=file.kind
        )

    def _text(self, words: str) -> MessageText:
        return MessageText(plain(words, self.place))

    def _strange(self, kind: str) -> None:
        if self._foreign == "error":
            raise FormatError(
                "only pydantic-ai can read this part",
                place=self.place,
                found=kind,
                fix="Remove it, or pass foreign='drop'.",
            )


def _media_type(file: Any) -> str:
    try:
        return str(file.media_type)
    except ValueError:  # the ending of the address does not say it
        return ""
