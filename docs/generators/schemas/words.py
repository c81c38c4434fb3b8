"""The words that editors show for the parts of a file; nobody who writes YAML knows our classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from generators.schemas.compactors import DEFINITIONS as COMPACTORS
from generators.schemas.shapes import Schema

_REF: Final = "#/definitions/"
WORDS: Final[Mapping[str, str]] = {
    "ContextDeclaration": "context",
    "PolicyDeclaration": "policy",
    "RetrieverDeclaration": "retriever",
    "CorpusDeclaration": "corpus",
    "CompactorDeclaration": "compactor",
    "InputSpec": "input",
    "SystemMessageSpec": "system message",
    "UserMessageSpec": "user message",
    "AssistantMessageSpec": "assistant message",
    "ContextInsertSpec": "pack",
    "HistoryInsertSpec": "history",
    "FirstSpec": "first that fits",
    "TextFileSpec": "text from a file",
    "ContextPackSpec": "pack of the default plan",
    "BlockFormatSpec": "format",
    "ContextPolicySpec": "policy in place",
    "ContextBudgetSpec": "budget",
    "ContextPackBudgetSpec": "pack budget",
    "ReserveSpec": "reserve",
    "ContextExpansionSpec": "expansion",
    "DedupeSpec": "dedupe",
    "FramingSpec": "framing",
    "CorpusSettings": "corpus settings",
    "EmbedderSpec": "embedder settings",
    "OpenAIEmbedderSpec": "embedder openai",
    "CompactorSettings": "compactor settings",
    **{name: f"compactor {word}" for word, name in COMPACTORS.items()},
    "ContextsTest": "golden tests",
    "DefaultsSpec": "defaults",
    "CaseSpec": "case",
    "TurnSpec": "turn",
    "MatrixSpec": "matrix",
    "MessageSpec": "recorded message",
    "RepeatedMessagesSpec": "repeated messages",
    "AnswerSpec": "answer",
    "BlockSpec": "block",
    "FailureSpec": "failure",
    "Expectation": "expectations",
    "TextExpectation": "expected text",
    "TokenExpectation": "expected tokens",
    "ErrorExpectation": "expected error",
    "HistoryExpectation": "expected history",
    "PackExpectation": "expected pack",
    "PrefixExpectation": "expected prefix",
}
"""The word for each class whose fields an author may write."""


def in_words(schema: Schema) -> Schema:
    """A schema whose definitions are named and titled in the words of the plan language."""
    named: Schema = _renamed(schema)
    named["definitions"] = {
        _key(name): {"title": WORDS[name], **_renamed(definition)}
        for name, definition in schema["definitions"].items()
    }
    return named


def _key(name: str) -> str:
    return WORDS[name].replace(" ", "-")


def _renamed(part: Any) -> Any:
    if isinstance(part, list):
        return [_renamed(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _REF + _key(value.removeprefix(_REF)) if key == "$ref" else _renamed(value)
        for key, value in part.items()
    }
