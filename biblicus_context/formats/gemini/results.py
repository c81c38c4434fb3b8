"""A tool's result as Gemini's function_response, and back to exactly the same result.

A response is an object. A text that is the compact JSON of an object becomes that object. Any other
text is under `output`, the text of a failure under `error`. A text that would come back changed is
not written this way: reading undoes writing exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from biblicus_context.formats.arguments import object_or_text, text_of
from biblicus_context.formats.conversation import ImagePart, MessageText, OtherPart


def response_with(texts: Sequence[str], *, failed: bool, files: bool) -> dict[str, Any] | None:
    """The response for these texts, or None if none can be read back.

    >>> response_with(['{"days":3}'], failed=False, files=False)
    {'days': 3}
    >>> response_with(["Three days."], failed=False, files=False)
    {'output': 'Three days.'}
    """
    match list(texts):
        case [words] if failed:
            return {"error": words}
        case _ if failed:
            return None
        case [words]:
            value = _object(words, files=files)
            return {"output": words} if value is None else value
        case [] if files:
            return {}
        case several:
            return {"output": several}


def texts_in(response: Mapping[str, Any], *, files: bool) -> tuple[list[str], bool]:
    """The texts of a response, and whether it reports a failure.

    >>> texts_in({"error": "no such parcel"}, files=False)
    (['no such parcel'], True)
    """
    match dict(response):
        case {"error": str(words), **rest} if not rest:
            return [words], True
        case {"output": str(words), **rest} if not rest and _object(words, files=files) is None:
            return [words], False
        case {"output": [str(), str(), *_] as several, **rest} if not rest and _all_text(several):
            return several, False
        case {} if not response and files:
            return [], False
    return [text_of(response)], False


def _object(words: str, *, files: bool) -> dict[str, Any] | None:
    """The object in a text if it gives the same text back."""
    value = object_or_text(words)
    if isinstance(value, str) or texts_in(value, files=files) != ([words], False):
        return None
    return value


def _all_text(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def leading_texts(
    content: Sequence[MessageText | ImagePart | OtherPart],
) -> tuple[list[str], list[ImagePart | OtherPart]] | None:
    """A result's texts and the files after them, or None for another order."""
    texts = [part.text for part in content if isinstance(part, MessageText) and not part.extra]
    files = [part for part in content[len(texts) :] if not isinstance(part, MessageText)]
    return (texts, files) if len(texts) + len(files) == len(content) else None
