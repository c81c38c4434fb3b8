"""The reference of the plan language is complete, and right about what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from biblicus_context.errors import LoadError
from biblicus_context.reading import read_documents
from generators.plan_reference import SECTIONS, Key, keys
from generators.schemas.compactors import DEFINITIONS as COMPACTOR_DEFINITIONS
from generators.schemas.documents import schemas

Mapping = dict[str, Any]
DEFINITIONS: Mapping = schemas()["project"]["definitions"]


def test_every_mapping_that_a_plan_may_have_has_a_section():
    assert set(SECTIONS) == set(DEFINITIONS)


def message(entry: Mapping) -> Mapping:
    return {"kind": "context", "name": "page", "messages": [entry]}


def policy(fields: Mapping) -> Mapping:
    return {"kind": "policy", "name": "small", **fields}


def compactor(settings: Mapping) -> Mapping:
    return {"kind": "compactor", "name": "careful", "config": settings}


def compactor_of(word: str) -> Mapping:
    return {"type": word, **({"steps": ["tail"]} if word == "chain" else {})}


def one(key: str, place: Callable[[Mapping], Mapping] = policy) -> Callable[[Mapping], Mapping]:
    return lambda inner: place({key: inner})


def formed(inner: Mapping) -> Mapping:
    return message({"type": "context", "name": "kb", "format": inner})


def asked(inner: Mapping) -> Mapping:
    return {"kind": "retriever", "name": "kb", "config": {"query": inner}}


def limited(inner: Mapping) -> Mapping:
    return message({"type": "context", "name": "kb", "budget": inner})


def declared(inner: Mapping) -> Mapping:
    return {"kind": "context", "name": "page", "inputs": {"question": inner}}


def packed(inner: Mapping) -> Mapping:
    return {"kind": "context", "name": "page", "packs": [inner]}


def in_place(fields: Mapping) -> Mapping:
    return {"kind": "context", "name": "page", "policy": fields}


def corpus(settings: Mapping) -> Mapping:
    return {"kind": "corpus", "name": "handbook", "config": settings}


def embedded(settings: Mapping) -> Mapping:
    return corpus({"root": "handbook", "embedder": settings})


TEXT = {"content": "Hello."}
PLACES: dict[str, tuple[Mapping, Callable[[Mapping], Mapping]]] = {
    "ContextDeclaration": ({"kind": "context", "name": "page"}, dict),
    "PolicyDeclaration": ({"kind": "policy", "name": "small"}, dict),
    "RetrieverDeclaration": ({"kind": "retriever", "name": "kb"}, dict),
    "CorpusDeclaration": ({"kind": "corpus", "name": "handbook"}, dict),
    "CompactorDeclaration": (compactor({"type": "tail"}), dict),
    "InputSpec": ({}, declared),
    "SystemMessageSpec": ({"type": "system", **TEXT}, message),
    "UserMessageSpec": ({"type": "user", **TEXT}, message),
    "AssistantMessageSpec": ({"type": "assistant", **TEXT}, message),
    "ContextInsertSpec": ({"type": "context", "name": "kb"}, message),
    "HistoryInsertSpec": ({"type": "history"}, message),
    "FirstSpec": ({"first": ["Hello."]}, message),
    "TextFileSpec": (
        {"file": "README.md"},
        lambda inner: message({"type": "user", "content": inner}),
    ),
    "ContextPackSpec": ({"name": "kb"}, packed),
    "QuerySpec": ({}, asked),
    "FormatDeclaration": ({"kind": "format", "name": "notes"}, dict),
    "FormatSpec": ({}, formed),
    "ContextPolicySpec": ({}, in_place),
    "ContextBudgetSpec": ({"max_tokens": 9, "ratio": 0.5}, one("input_budget")),
    "PackShareSpec": ({"min_tokens": 5, "max_tokens": 9, "ratio": 0.5}, limited),
    "HistoryBudgetSpec": (
        {"min_tokens": 5, "max_tokens": 9, "ratio": 0.5},
        lambda inner: message({"type": "history", "budget": inner}),
    ),
    "ContextPackBudgetSpec": (
        {"default_max_tokens": 9, "default_ratio": 0.5},
        one("pack_budget"),
    ),
    "ReserveSpec": ({}, one("reserve")),
    "ContextExpansionSpec": ({}, one("expansion")),
    "PackDedupeSpec": ({}, one("dedupe")),
    "FramingSpec": ({}, one("framing")),
    "CorpusSettings": ({"root": "handbook"}, corpus),
    "ChunksSpec": ({}, lambda inner: corpus({"root": "handbook", "chunks": inner})),
    "EmbedderSpec": ({"type": "minilm"}, embedded),
    "GraniteEmbedderSpec": ({"type": "granite", "tokens": 192}, embedded),
    "OpenAIEmbedderSpec": ({"type": "openai", "model": "small", "dimensions": 8}, embedded),
    "CompactorSettings": ({"type": "tail"}, compactor),
    **{name: (compactor_of(word), compactor) for word, name in COMPACTOR_DEFINITIONS.items()},
}
OTHERS: dict[str, Any] = {
    "boolean": True,
    "number": 1.5,
    "string": "text",
    "array": [1],
    "object": {"key": 1},
}


def wrong(schema: Mapping, mistake: str) -> Any:
    """A value that is this mistake, and no other, under a key."""
    match mistake:
        case "wrong-type":
            said = schema["type"]
            kinds = {said} if isinstance(said, str) else set(said)
            return next(value for kind, value in OTHERS.items() if kind not in kinds)
        case "value-out-of-range":
            beyond = {"minimum": -1, "exclusiveMinimum": 0, "maximum": 1, "exclusiveMaximum": 0}
            return next(schema[limit] + step for limit, step in beyond.items() if limit in schema)
        case "empty-value":
            return [] if schema["type"] == "array" else ""
    return "no such word"


def cases() -> Iterator[Any]:
    for name in PLACES:
        for key in keys(name, DEFINITIONS):
            for mistake in key.refused:
                yield pytest.param(name, key, mistake, id=f"{SECTIONS[name]}-{key.path}-{mistake}")


@pytest.mark.parametrize(("name", "key", "mistake"), list(cases()))
def test_what_the_page_says_is_refused_is_refused(name: str, key: Key, mistake: str):
    valid, place = PLACES[name]
    assert found(place(valid)) == set()
    changed = json.loads(json.dumps(valid))
    *outer, last = key.path.split(".")
    inner = changed.setdefault(outer[0], {}) if outer else changed
    if key.required and mistake == key.refused[0]:
        del inner[last]
    else:
        inner[last] = wrong(key.schema, mistake)
    assert mistake in found(place(changed))


def found(document: Mapping) -> set[str | None]:
    """The names of what is wrong with a document."""
    read = read_documents(json.dumps(document), "page.yaml")
    return {each.mistake for each in read if isinstance(each, LoadError)}


def test_every_mapping_has_a_place_to_be_tried_in():
    assert set(PLACES) == set(SECTIONS)
