"""From parts to Anthropic's content blocks."""

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

_CACHED: Final = frozenset({"cache_control"})
ANTHROPIC: Final = Dialect(
    name="Anthropic",
    families=frozenset({"anthropic"}),
    extras={
        MessageText: _CACHED | {"citations"},
        ImagePart: _CACHED | {"transformations"},
        ToolCall: _CACHED | {"caller", "toolset_name"},
        ToolResult: _CACHED | {"toolset_name"},
    },
    late_system=True,
    call_id=re.compile(r"[a-zA-Z0-9_-]+"),
    ids_once=True,
)
OF_USERS: Final = frozenset({"document", "search_result", "container_upload", "image"})
OF_RESULTS: Final = frozenset(
    {"document", "search_result", "image", "tool_reference", "browser_state"}
)
OF_MODELS: Final = frozenset(
    {
        *("server_tool_use", "mcp_tool_use", "mcp_tool_result", "container_upload"),
        *("web_search_tool_result", "web_fetch_tool_result", "tool_search_tool_result"),
        *("code_execution_tool_result", "bash_code_execution_tool_result"),
        "text_editor_code_execution_tool_result",
        "compaction",
    }
)
_PICTURES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")


def block_of(turn: ConversationTurn, part: Part) -> dict[str, Any]:
    """A part as a content block."""
    match part:
        case MessageText(words, extra):
            if not words.strip():
                raise ANTHROPIC.refusal(
                    turn, "does not take empty text", words, "Leave out the message or the part."
                )
            return {"type": "text", "text": words, **extra}
        case ImagePart() if turn.role in {"user", "tool"}:
            return _image(turn, part)
        case ToolCall() if turn.role == "assistant":
            return _use(turn, part)
        case ToolResult():
            return _result(turn, part)
        case ReasoningPart(block=block) if turn.role == "assistant":
            return dict(block)
        case OtherPart(kind, block) if kind in _others(turn):
            return dict(block)
    found = kind_of(part)
    fix = "Write it as content." if found == "refusal" else None
    raise ANTHROPIC.refusal(turn, f"takes no {found} in a message of role {turn.role}", fix=fix)


def _others(turn: ConversationTurn) -> frozenset[str]:
    return {"user": OF_USERS, "assistant": OF_MODELS, "tool": OF_RESULTS}.get(
        turn.role, frozenset()
    )


def _image(turn: ConversationTurn, image: ImagePart) -> dict[str, Any]:
    if image.url:
        if not image.url.startswith("https://"):
            raise ANTHROPIC.refusal(turn, "fetches images only over https", image.url)
        source = {"type": "url", "url": image.url}
    elif image.media_type in _PICTURES:
        source = {"type": "base64", "media_type": image.media_type, "data": image.data}
    else:
        problem = f"takes images as {', '.join(_PICTURES)}"
        raise ANTHROPIC.refusal(turn, problem, image.media_type, "Convert the image.")
    return {"type": "image", "source": source, **image.extra}


def _use(turn: ConversationTurn, call: ToolCall) -> dict[str, Any]:
    given = ANTHROPIC.arguments(turn, call)
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": given, **call.extra}


def _result(turn: ConversationTurn, result: ToolResult) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call_id}
    match result.content:
        case (MessageText(words, extra),) if not extra:
            block["content"] = words
        case several:
            block["content"] = [block_of(turn, part) for part in several]
    if result.failed:
        block["is_error"] = True
    return {**block, **result.extra}
