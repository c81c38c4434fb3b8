"""What the models check across fields, said in the schema as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generators.schemas.shapes import Definitions, Schema

# Each says one thing only, so that a value of a wrong type is not reported here as well.
_PRESENT: Schema = {"not": {"type": "null"}}
_NO_TEXT: Schema = {"not": {"type": "string"}}


def _at_least_one(message: str, first: str, *others: str) -> Schema:
    if not others:
        return _needs(first, message)
    return {
        "if": {"properties": {first: {"type": "null"}}},
        "then": _at_least_one(message, *others),
    }


def _exactly_one(first: str, second: str, message: str) -> Schema:
    return {
        "if": {"required": [first], "properties": {first: _PRESENT}},
        "then": _without([second], message),
        "else": _needs(second, message),
    }


def _needs(key: str, message: str) -> Schema:
    return {
        "required": [key],
        "properties": {key: {**_PRESENT, "errorMessage": message}},
        "errorMessage": message,
    }


def _without(keys: Sequence[str], message: str) -> Schema:
    return {"properties": {key: {**_NO_TEXT, "errorMessage": message} for key in keys}}


def _text(noun: str) -> Schema:
    message = f"{noun} message must define either content or template"
    return _exactly_one("content", "template", message)


def _system_text() -> Schema:
    message = "System message must define either content or template (or base: true)"
    return {
        "if": {"required": ["base"], "properties": {"base": {"not": {"const": False}}}},
        "then": _without(["content", "template"], message),
        "else": _exactly_one("content", "template", message),
    }


def _one_plan() -> Schema:
    message = "packs belong to the default plan: with messages, use type: context"
    none = {**_NO_TEXT, "maxItems": 0, "errorMessage": message}
    return {
        "if": {"required": ["messages"], "properties": {"messages": {"type": "array"}}},
        "then": {"properties": {"packs": none}},
    }


_RULES: Mapping[str, Schema] = {
    "SystemMessageSpec": _system_text(),
    "UserMessageSpec": _text("User"),
    "AssistantMessageSpec": _text("Assistant"),
    "ContextBudgetSpec": _at_least_one(
        "Budget must specify ratio or max_tokens", "ratio", "max_tokens"
    ),
    **dict.fromkeys(
        ("PackShareSpec", "HistoryBudgetSpec"),
        _at_least_one(
            "Budget must specify ratio or max_tokens (or min_tokens)",
            "ratio",
            "max_tokens",
            "min_tokens",
        ),
    ),
    "ContextPackBudgetSpec": _at_least_one(
        "Pack budget must specify default_ratio or default_max_tokens",
        "default_ratio",
        "default_max_tokens",
    ),
    "ContextDeclaration": _one_plan(),
    "TokenExpectation": _at_least_one("a range of tokens must specify min or max", "min", "max"),
    "PrefixExpectation": _at_least_one(
        "a stable prefix must specify min_tokens or min_share", "min_tokens", "min_share"
    ),
}


def with_rules(definitions: Definitions) -> Definitions:
    """The rules among the keywords; `errorMessage` is what editors and the loader say."""
    ruled = {name: {**definitions[name], "allOf": [rule]} for name, rule in _RULES.items()}
    return {**definitions, **ruled}
