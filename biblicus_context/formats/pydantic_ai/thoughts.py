"""Reasoning: from a provider's block to pydantic-ai's fields, and back.

The fields are those that pydantic-ai itself fills for each provider, so that it can send them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from biblicus_context.formats.conversation import ReasoningPart
from biblicus_context.formats.gemini.parts import SIGNATURE

_REDACTED: Final = "redacted_thinking"
_OF_SERVERS: Final = "reasoning_content"
_OPENAI_KEYS: Final = frozenset({"type", "id", "summary", "content", "encrypted_content"})


def fields_of(reasoning: ReasoningPart) -> list[dict[str, Any]] | None:
    """The fields of the thinking parts of a block, or None if they cannot hold all of it."""
    block = {key: item for key, item in reasoning.block.items() if item is not None}
    if reasoning.family == "openai":
        return _openai_fields(block) if block.keys() <= _OPENAI_KEYS and "id" in block else None
    is_anthropic = reasoning.family == "anthropic"
    fields = _anthropic_fields(block) if is_anthropic else _other_fields(block)
    return None if fields is None else [fields]


def _anthropic_fields(block: Mapping[str, Any]) -> dict[str, Any] | None:
    match block:
        case {"type": "thinking", "thinking": str(words), **rest} if rest.keys() <= {"signature"}:
            return {"content": words, "provider_name": "anthropic", **rest}
        case {"type": "redacted_thinking", "data": str(data), **rest} if not rest:
            hidden = {"id": _REDACTED, "signature": data}
            return {"content": "", "provider_name": "anthropic", **hidden}
    return None


def _other_fields(block: Mapping[str, Any]) -> dict[str, Any] | None:
    match block:
        case {"thought": True, "text": str(words), **rest} if rest.keys() <= {SIGNATURE}:
            details = {"provider_details": rest} if rest else {}
            return {"content": words, "provider_name": "google", **details}
        case {"reasoning_content": str(words)}:
            return {"content": words, "id": _OF_SERVERS, "provider_name": "openai"}
        case {"type": _, "reasoning": str(words), **rest} if not rest:
            return {"content": words}
    return None


def _openai_fields(block: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    summary = _texts(block.get("summary", []), "summary_text")
    raw = _texts(block.get("content", []), "reasoning_text")
    if summary is None or raw is None:
        return None
    same = {"id": block["id"], "provider_name": "openai"}
    fields: list[dict[str, Any]] = [{"content": words, **same} for words in summary or [""]]
    if "encrypted_content" in block:
        fields[0]["signature"] = block["encrypted_content"]
    if raw:
        fields[0]["provider_details"] = {"raw_content": raw}
    return fields


def _texts(entries: Any, kind: str) -> list[str] | None:
    """The texts of entries of one kind, or None if one is of another kind."""
    texts: list[str] = []
    for entry in entries if isinstance(entries, list) else [entries]:
        match entry:
            case {"type": str(stated), "text": str(words), **rest} if stated == kind and not rest:
                texts.append(words)
            case _:
                return None
    return texts


def reasoning_in(parts: Sequence[Any]) -> Iterator[ReasoningPart | None]:
    """The blocks of successive thinking parts; None for one of an unknown provider."""
    item: list[Any] = []
    for part in parts:
        if item and (part.id != item[0].id or not _is_openai(part)):
            yield _openai_block(item)
            item = []
        if _is_openai(part):
            item.append(part)
        else:
            yield _block(part)
    if item:
        yield _openai_block(item)


def _is_openai(part: Any) -> bool:
    return part.provider_name == "openai" and part.id not in {None, _OF_SERVERS}


def _openai_block(parts: Sequence[Any]) -> ReasoningPart:
    first = parts[0]
    summary = [{"type": "summary_text", "text": part.content} for part in parts if part.content]
    block: dict[str, Any] = {"type": "reasoning", "id": first.id, "summary": summary}
    raw = (first.provider_details or {}).get("raw_content")
    if raw:
        block["content"] = [{"type": "reasoning_text", "text": words} for words in raw]
    if first.signature is not None:
        block["encrypted_content"] = first.signature
    return ReasoningPart("openai", block)


def _block(part: Any) -> ReasoningPart | None:
    signed = {} if part.signature is None else {"signature": part.signature}
    match part.provider_name, part.id:
        case "anthropic", "redacted_thinking":
            return ReasoningPart("anthropic", {"type": _REDACTED, "data": part.signature})
        case "anthropic", None:
            return ReasoningPart(
                "anthropic", {"type": "thinking", "thinking": part.content, **signed}
            )
        case "google", None if not signed:
            details = part.provider_details or {}
            return ReasoningPart("gemini", {"text": part.content, "thought": True, **details})
        case _, "reasoning_content" if not signed:
            return ReasoningPart("reasoning_content", {"reasoning_content": part.content})
        case None, None if not signed:
            return ReasoningPart("plain", {"type": "reasoning", "reasoning": part.content})
    return None
