"""The words that editors show for the parts of a file; nobody who writes YAML knows our classes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from generators.schemas.compactors import DEFINITIONS as COMPACTORS
from generators.schemas.shapes import Schema

_REF: Final = "#/definitions/"
_SUFFIX: Final = re.compile(r"(?<=.)(?:Spec|Declaration)$")
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EXCEPTIONS: Final[Mapping[str, str]] = {
    "ContextInsertSpec": "pack",
    "HistoryInsertSpec": "history",
    "FirstSpec": "first that fits",
    "ContextPackSpec": "pack of the default plan",
    "FormatSpec": "format in place",
    "ContextPolicySpec": "policy in place",
    "ContextBudgetSpec": "budget",
    "ContextPackBudgetSpec": "pack budget",
    "ContextExpansionSpec": "expansion",
    "EmbedderSpec": "embedder settings",
    "GraniteEmbedderSpec": "embedder granite",
    "OpenAIEmbedderSpec": "embedder openai",
    **{name: f"compactor {word}" for word, name in COMPACTORS.items()},
    "ContextsTest": "golden tests",
    "MessageSpec": "recorded message",
    "Expectation": "expectations",
    "TextExpectation": "expected text",
    "TokenExpectation": "expected tokens",
    "ErrorExpectation": "expected error",
    "HistoryExpectation": "expected history",
    "PackExpectation": "expected pack",
    "PrefixExpectation": "expected prefix",
}
"""Where the words of a class are not those of the plan language."""


def words_of(name: str) -> str:
    """The words for the class whose fields an author may write.

    >>> words_of("SystemMessageSpec"), words_of("ContextInsertSpec")
    ('system message', 'pack')
    """
    return _EXCEPTIONS.get(name) or _CAPITAL.sub(" ", _SUFFIX.sub("", name)).lower()


def in_words(schema: Schema) -> Schema:
    """A schema whose definitions are named and titled in the words of the plan language."""
    named: Schema = _renamed(schema)
    named["definitions"] = {
        _key(name): {"title": words_of(name), **_renamed(definition)}
        for name, definition in schema["definitions"].items()
    }
    return named


def _key(name: str) -> str:
    return words_of(name).replace(" ", "-")


def _renamed(part: Any) -> Any:
    if isinstance(part, list):
        return [_renamed(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _REF + _key(value.removeprefix(_REF)) if key == "$ref" else _renamed(value)
        for key, value in part.items()
    }
