"""Messages, written shortly."""

from __future__ import annotations

from typing import Any

from tests.formats.strategies import PNG, image_part

TOOL = {"type": "function", "function": {"name": "track"}}
THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}
PICTURE = image_part(f"data:image/png;base64,{PNG}")


def user(content: Any = "Hello.", **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def assistant(content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def call(arguments: str = "{}", name: str = "track", identity: str = "c1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": identity, "type": "function", "function": function}


def result(content: Any = "gone", identity: str = "c1", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": content, **more}


def exchange(answer: Any = "gone", **more: Any) -> list[dict[str, Any]]:
    """A question, a call and its result."""
    return [user(), assistant(tool_calls=[call(**more)]), result(answer)]


def marked(sent: dict[str, Any]) -> list[str]:
    """The texts of blocks with a mark; of others, their types; of tools, their names."""
    blocks = [*sent.get("tools", []), *sent.get("system", [])]
    blocks += [block for message in sent["messages"] for block in message["content"]]
    return [
        block.get("text", block.get("name", block.get("type")))
        for block in blocks
        if "cache_control" in block
    ]
