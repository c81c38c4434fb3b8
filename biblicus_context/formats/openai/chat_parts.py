"""From parts of chat messages, in any provider's shape, to typed parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from biblicus_context.errors import InputError
from biblicus_context.formats.conversation import (
    Family,
    ImagePart,
    MessageText,
    OtherPart,
    Part,
    ReasoningPart,
    RefusalPart,
    ToolResult,
    kind_of,
)
from biblicus_context.formats.openai.chat_calls import call_in_content
from biblicus_context.formats.pictures import image_at, image_of
from biblicus_context.formats.plain import beside, filled, flag, items, mapping, text


def parts_of(content: object, place: str) -> list[Part]:
    """The parts of a message's content: a text, a list of parts, or null."""
    if content is None:
        return []
    if isinstance(content, str):
        return [MessageText(text(content, place))]
    return [part_of(part, f"{place}[{at}]") for at, part in enumerate(items(content, place))]


def part_of(written: object, place: str) -> Part:
    """One part of any provider's shape."""
    if isinstance(written, str):
        return MessageText(text(written, place))
    block = filled(written, place)
    family = family_of(block)
    if family is not None:
        return ReasoningPart(family, mapping(written, place))
    kind = block.get("type") or next((key for key in block if key in _READERS), "")
    if not block or not isinstance(kind, str):
        raise InputError("a part needs a type", place=place, found=written)
    return _READERS.get(kind, _other)(block, place)


def family_of(block: Mapping[str, Any]) -> Family | None:
    """The provider of a block of reasoning; None for any other block."""
    match block:
        case {"thought": True}:
            return "gemini"
        case {"type": "thinking" | "redacted_thinking"}:
            return "anthropic"
        case {"type": "reasoning", "reasoning": str()}:
            return "plain"
        case {"type": "reasoning"}:
            return "openai"
    return None


def _text(block: Mapping[str, Any], place: str) -> Part:
    return MessageText(text(block.get("text"), f"{place}.text"), beside({"type", "text"}, block))


def _refusal(block: Mapping[str, Any], place: str) -> Part:
    words = text(block.get("refusal"), f"{place}.refusal")
    return RefusalPart(words, beside({"type", "refusal"}, block))


def _image_url(block: Mapping[str, Any], place: str) -> Part:
    holder = block.get("image_url")
    if holder is None and "file_id" in block:
        return _other(block, place)
    inner = filled(holder, place) if isinstance(holder, Mapping) else {"url": holder}
    extra = {
        **beside({"type", "image_url", "detail", "mime_type"}, block),
        **beside({"url", "detail"}, inner),
    }
    detail = inner.get("detail", block.get("detail", "auto"))
    if detail != "auto":  # the same as without it
        extra["detail"] = detail
    url = text(inner.get("url"), f"{place}.image_url")
    return image_at(url, place, str(block.get("mime_type", "")), extra)


def _image(block: Mapping[str, Any], place: str) -> Part:
    """Anthropic's or LangChain's image block."""
    source = filled(block.get("source", block), f"{place}.source")
    extra = {**beside(_IMAGE_KEYS, source), **beside(_IMAGE_KEYS, block)}
    media_type = source.get("media_type", source.get("mime_type", ""))
    data = source.get("data", source.get("base64"))
    if isinstance(data, str) and isinstance(media_type, str) and media_type:
        return image_of(data, media_type, place, extra)
    if isinstance(source.get("url"), str):
        return image_at(source["url"], place, str(media_type), extra)
    return _other(block, place)


def _inline(block: Mapping[str, Any], place: str) -> Part:
    blob = filled(block.get("inline_data", block.get("inlineData")), place)
    media_type = blob.get("mime_type", blob.get("mimeType", ""))
    data = blob.get("data")
    if not isinstance(data, str) or not str(media_type).startswith("image/"):
        return _other(block, place)
    extra = {**beside(_IMAGE_KEYS, blob), **beside({"inline_data", "inlineData"}, block)}
    return image_of(data, media_type, place, extra)


def _result(block: Mapping[str, Any], place: str) -> Part:
    return result_of(
        text(block.get("tool_use_id"), f"{place}.tool_use_id"),
        block.get("content"),
        f"{place}.content",
        failed=flag(block.get("is_error"), f"{place}.is_error"),
        extra=beside({"type", "tool_use_id", "content", "is_error"}, block),
    )


def result_of(
    call_id: str, content: object, place: str, *, failed: bool, name: str = "", extra: Any = None
) -> ToolResult:
    """A tool's result; without content it is an empty text."""
    parts = parts_of(content, place) or [MessageText("")]
    wrong = next(
        (part for part in parts if not isinstance(part, MessageText | ImagePart | OtherPart)), None
    )
    if wrong is not None:
        raise InputError(
            "a tool's result holds text, images or files",
            place=place,
            found=kind_of(wrong),
        )
    held = tuple(part for part in parts if isinstance(part, MessageText | ImagePart | OtherPart))
    return ToolResult(call_id, held, failed, name=name, extra=extra or {})


def _other(block: Mapping[str, Any], _: str) -> Part:
    kind = block.get("type")
    return OtherPart(kind if isinstance(kind, str) else next(iter(block)), block)


_IMAGE_KEYS: Final = frozenset(
    {
        *("type", "source", "source_type", "base64", "data", "url"),
        *("media_type", "mime_type", "mimeType"),
    }
)
_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], str], Part]]] = MappingProxyType(
    {
        **dict.fromkeys(("text", "input_text", "output_text"), _text),
        "refusal": _refusal,
        **dict.fromkeys(("image_url", "input_image"), _image_url),
        "image": _image,
        **dict.fromkeys(("inline_data", "inlineData"), _inline),
        **dict.fromkeys(("tool_use", "tool_call"), call_in_content),
        "tool_result": _result,
    }
)
