"""From a conversation to pydantic-ai's messages."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.base.doors import door
from biblicus_context.errors import FormatError
from biblicus_context.formats.conversation import (
    ConversationTurn,
    ImagePart,
    Keys,
    MessageText,
    Part,
    ReasoningPart,
    ToolCall,
    kind_of,
)
from biblicus_context.formats.dialect import ANYTHING, Dialect, ForeignParts, own
from biblicus_context.formats.gemini.parts import SIGNATURE
from biblicus_context.formats.gemini.results import leading_texts
from biblicus_context.formats.openai.chat_reader import read
from biblicus_context.formats.pairs import paired
from biblicus_context.formats.pydantic_ai.library import messages_of_library
from biblicus_context.formats.pydantic_ai.thoughts import fields_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

PYDANTIC_AI: Final = Dialect(
    name="pydantic-ai",
    families=frozenset({"anthropic", "openai", "gemini", "reasoning_content", "plain"}),
    extras={
        MessageText: frozenset({SIGNATURE}),
        ToolCall: frozenset({SIGNATURE}),
        ImagePart: frozenset({"detail", "mime_type"}),
    },
    tool_name=ANYTHING,
)


@door
def to_pydantic_ai(
    messages: Iterable[Mapping[str, Any]], *, foreign: ForeignParts = "error"
) -> list[ModelMessage]:
    """Messages for `agent.run(message_history=...)`; needs the library `pydantic-ai-slim`."""
    library = messages_of_library()
    turns = paired(own(read(messages), PYDANTIC_AI, foreign), PYDANTIC_AI)
    names = {call.id: call.name for turn in turns for call in turn.calls}
    writer = _Writer(library, names)
    written: list[ModelMessage] = []
    for is_response, run in groupby(turns, lambda turn: turn.role == "assistant"):
        if is_response:
            written += [library.ModelResponse(parts=[*writer.said(turn)]) for turn in run]
        else:
            written.append(library.ModelRequest(parts=[writer.asked(turn) for turn in run]))
    return written


class _Writer:
    """Makes the library's parts."""

    def __init__(self, library: Any, names: Mapping[str, str]) -> None:
        self._library = library
        self._names = names

    def asked(self, turn: ConversationTurn) -> Any:
        """The one part of a turn that is not the model's."""
        match turn.role, turn.parts:
            case "system", (MessageText(words, extra),) if not extra:
                return self._library.SystemPromptPart(words)
            case "developer", (MessageText(words, extra),) if not extra:
                return self._library.SystemPromptPart(words, metadata={"role": "developer"})
            case "user", parts if parts:
                return self._library.UserPromptPart(self._content(turn, parts))
            case "tool", _:
                return self._returned(turn)
        raise PYDANTIC_AI.refusal(turn, f"takes one text in a message of role {turn.role}")

    def said(self, turn: ConversationTurn) -> Iterator[Any]:
        """The parts of a model's turn."""
        if not turn.parts:
            fix = "Leave the message out."
            raise PYDANTIC_AI.refusal(turn, "wants content in each message", fix=fix)
        for part in turn.parts:
            match part:
                case ReasoningPart():
                    yield from self._thoughts(turn, part)
                case MessageText(words, extra):
                    yield self._library.TextPart(words, **_signed(extra))
                case ToolCall(id=identity, name=name, arguments=arguments, extra=extra):
                    signed = _signed(extra)
                    yield self._library.ToolCallPart(name, arguments, identity, **signed)
                case ImagePart() if part.data:
                    yield self._library.FilePart(self._image(part))
                case _:
                    raise _untakable(turn, part)

    def _thoughts(self, turn: ConversationTurn, part: ReasoningPart) -> list[Any]:
        fields = fields_of(part)
        if fields is None:
            problem = "has no fields for this reasoning"
            raise PYDANTIC_AI.refusal(turn, problem, dict(part.block), "Take it out.")
        return [self._library.ThinkingPart(**each) for each in fields]

    def _returned(self, turn: ConversationTurn) -> Any:
        result = turn.result
        divided = leading_texts(result.content)
        files = divided[1] if divided else ()
        images = [file for file in files if isinstance(file, ImagePart)]
        if divided is None or len(divided[0]) > 1 or len(images) < len(files):
            raise PYDANTIC_AI.refusal(
                turn,
                "takes a tool's result as one text followed by images",
                ", ".join(map(kind_of, result.content)),
            )
        content = [*divided[0], *map(self._image, images)]
        return self._library.ToolReturnPart(
            tool_name=self._names[result.call_id],
            content=content[0] if not images else content,
            tool_call_id=result.call_id,
            outcome="failed" if result.failed else "success",
        )

    def _content(self, turn: ConversationTurn, parts: Iterable[Part]) -> Any:
        match list(parts):
            case [MessageText(text=words, extra=extra)] if not extra:
                return words
            case several:
                return [self._user_part(turn, part) for part in several]

    def _user_part(self, turn: ConversationTurn, part: Part) -> Any:
        match part:
            case MessageText(words, extra) if not extra:
                return words
            case ImagePart():
                return self._image(part)
        raise _untakable(turn, part)

    def _image(self, image: ImagePart) -> Any:
        detail = {key: image.extra[key] for key in ("detail",) if key in image.extra}
        about = {"vendor_metadata": detail or None}
        if image.url:
            media_type = image.extra.get("mime_type")
            return self._library.ImageUrl(image.url, media_type=media_type, **about)
        data = base64.b64decode(image.data)
        return self._library.BinaryImage(data, media_type=image.media_type, **about)


def _signed(extra: Keys) -> dict[str, Any]:
    """Gemini's signature in the fields where pydantic-ai keeps it."""
    return {"provider_name": "google", "provider_details": dict(extra)} if extra else {}


def _untakable(turn: ConversationTurn, part: Part) -> FormatError:
    found = kind_of(part)
    return PYDANTIC_AI.refusal(turn, f"takes no {found} in a message of role {turn.role}")
