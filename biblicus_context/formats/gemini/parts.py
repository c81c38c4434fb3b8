"""From parts to Gemini's parts."""

from __future__ import annotations

import re
from typing import Any, Final

from biblicus_context.formats.conversation import (
    ConversationTurn,
    ImagePart,
    MessageText,
    OtherPart,
    Part,
    ReasoningPart,
    ToolCall,
    ToolResult,
    kind_of,
)
from biblicus_context.formats.dialect import Dialect
from biblicus_context.formats.gemini.results import leading_texts, response_with
from biblicus_context.formats.pictures import type_by_ending

SIGNATURE: Final = "thought_signature"
_OF_ALL: Final = frozenset({SIGNATURE, "part_metadata"})
GEMINI: Final = Dialect(
    name="Gemini",
    families=frozenset({"gemini"}),
    extras={
        MessageText: _OF_ALL,
        ImagePart: _OF_ALL | {"media_resolution", "mime_type"},
        ToolCall: _OF_ALL,
        ToolResult: frozenset({"scheduling", "will_continue"}),
    },
    tool_name=re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
)
_FILES: Final = frozenset({"inline_data", "file_data"})
OTHER_PARTS: Final = _FILES | frozenset(
    {"executable_code", "code_execution_result", "tool_call", "tool_response"}
)
"""Parts without a counterpart elsewhere; they are kept unchanged."""


def part_of(turn: ConversationTurn, part: Part) -> dict[str, Any]:
    """A part of a user's or a model's turn."""
    match part:
        case MessageText(words, extra) if words or SIGNATURE in extra:
            return {"text": words, **extra}
        case MessageText():
            raise GEMINI.refusal(turn, "does not take empty text", fix="Leave the message out.")
        case ImagePart(extra=extra):
            shown = {key: item for key, item in extra.items() if key != "mime_type"}
            return {**_picture(turn, part), **shown}
        case ToolCall(id=identity, name=name, extra=extra):
            call = {"id": identity, "name": name, "args": GEMINI.arguments(turn, part)}
            return {"function_call": call, **extra}
        case ReasoningPart(block=block):
            return dict(block)
        case OtherPart(block=block) if OTHER_PARTS & block.keys() and "type" not in block:
            return dict(block)
    found = kind_of(part)
    fix = "Write it as content." if found == "refusal" else None
    raise GEMINI.refusal(turn, f"takes no {found}", fix=fix)


def response_part(turn: ConversationTurn, name: str) -> dict[str, Any]:
    """The part of a tool's result."""
    result = turn.result
    divided = leading_texts(result.content)
    response = None
    if divided is not None:
        texts, files = divided
        response = response_with(texts, failed=result.failed, files=bool(files))
    if divided is None or response is None:
        raise GEMINI.refusal(
            turn,
            "takes a tool's result as texts followed by files, and a failure as one text",
            ", ".join(map(kind_of, result.content)),
        )
    body = {"id": result.call_id, "name": name, "response": response}
    attached = {"parts": [_attached(turn, file) for file in files]} if files else {}
    return {"function_response": {**body, **attached, **result.extra}}


def _attached(turn: ConversationTurn, file: ImagePart | OtherPart) -> dict[str, Any]:
    if isinstance(file, ImagePart) and file.extra.keys() <= {"mime_type"}:
        return _picture(turn, file)
    if isinstance(file, OtherPart) and file.kind in _FILES:
        return dict(file.block)
    found = file.kind if isinstance(file, OtherPart) else dict(file.extra)
    raise GEMINI.refusal(turn, "takes only files after the text of a tool's result", found)


def _picture(turn: ConversationTurn, image: ImagePart) -> dict[str, Any]:
    if image.data:
        return {"inline_data": {"mime_type": image.media_type, "data": image.data}}
    media_type = image.extra.get("mime_type") or type_by_ending(image.url)
    if not media_type.startswith("image/"):
        raise GEMINI.refusal(
            turn,
            "needs the media type of an image with an address",
            image.url,
            "Add mime_type to the part, or pass the image as a data URL.",
        )
    return {"file_data": {"mime_type": media_type, "file_uri": image.url}}
