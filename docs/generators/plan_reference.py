"""The reference of the plan language, made from the schemas: the page docs/plan-reference.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from biblicus_context.lint.rules import shipped_rules
from biblicus_context.reading.mistakes import Mistake
from generators.plan_values import Schema, mistakes, targets, values, written
from generators.rule_pages import links
from generators.schemas.compactors import DEFINITIONS as COMPACTOR_DEFINITIONS
from generators.schemas.documents import schemas
from generators.schemas.shapes import Definitions

_BEGIN = """\
# Reference of the plan language

<!-- Made from the schemas: python docs/generate.py -->

Every key of a plan: its type and default, what it is for, an example, and the rules that
report anything else. Keys in **bold** are required. If `null` is allowed and there is no
default, `null` means the same as omitting the key. This page is generated from the models that the engine
reads plans with; [the plan language](plan-language.md) explains them.

In every mapping the engine rejects [unknown keys]({unknown-key}), [repeated keys]({duplicate-key})
and [keys that are not text]({non-text-key}).
"""
_DOCUMENTS = {
    "ContextDeclaration": "kind: context",
    "PolicyDeclaration": "kind: policy",
    "FormatDeclaration": "kind: format",
    "RetrieverDeclaration": "kind: retriever",
    "CorpusDeclaration": "kind: corpus",
    "CompactorDeclaration": "kind: compactor",
}
_PARTS = {
    "InputSpec": "an input",
    "TextFileSpec": "a text from a file",
    "SystemMessageSpec": "type: system",
    "UserMessageSpec": "type: user",
    "AssistantMessageSpec": "type: assistant",
    "ContextInsertSpec": "type: context",
    "HistoryInsertSpec": "type: history",
    "FirstSpec": "first",
    "ContextPackSpec": "a pack of the default plan",
    "FormatSpec": "format",
    "ContextPolicySpec": "policy",
    "ContextBudgetSpec": "a budget",
    "PackShareSpec": "budget of a pack",
    "HistoryBudgetSpec": "budget of the history",
    "ContextPackBudgetSpec": "pack_budget",
    "ReserveSpec": "reserve",
    "ContextExpansionSpec": "expansion",
    "PackDedupeSpec": "dedupe",
    "QuerySpec": "a query",
    "CorpusSettings": "corpus settings",
    "ChunksSpec": "chunks",
    "EmbedderSpec": "embedder settings",
    "GraniteEmbedderSpec": "embedder granite",
    "OpenAIEmbedderSpec": "embedder openai",
    "FramingSpec": "framing",
    "CompactorSettings": "compactor settings",
    **{name: f"compactor {word}" for word, name in COMPACTOR_DEFINITIONS.items()},
}
SECTIONS: Mapping[str, str] = {**_DOCUMENTS, **_PARTS}
"""The heading of every definition, in the order of the page."""


class Key(NamedTuple):
    """One key of a mapping, and the mistakes that are refused there."""

    path: str
    schema: Schema
    required: bool
    refused: list[Mistake]


def page() -> str:
    """The whole page."""
    definitions = schemas()["project"]["definitions"]
    anchors = links()
    rules = {rule.name: f"[{rule.code}]({anchors[rule.name]})" for rule in shipped_rules()}
    headings = {name: f"[{title}](#{_anchor(title)})" for name, title in SECTIONS.items()}
    sections = (_section(name, definitions, headings, rules) for name in SECTIONS)
    return "\n".join([_BEGIN.format_map(anchors), *sections])


def keys(name: str, definitions: Definitions) -> Iterator[Key]:
    """Every key of a definition; known settings come after the mapping that holds them."""
    required = definitions[name].get("required", ())
    for path, schema in _properties(definitions[name]):
        refused = [*mistakes(schema)]
        if path in required:
            refused.insert(0, _when_missing(name, path, definitions))
        yield Key(path, schema, path in required, refused)


def _when_missing(name: str, path: str, definitions: Definitions) -> Mistake:
    """An entry of `messages` that does not say what it is could have meant any of them."""
    entries = targets(definitions["ContextDeclaration"]["properties"]["messages"]["items"])
    tells = path in ("type", "first") and name in entries
    return "conflicting-keys" if tells else "missing-key"


def _properties(definition: Schema, before: str = "") -> Iterator[tuple[str, Schema]]:
    for key, schema in definition["properties"].items():
        yield f"{before}{key}", schema
        if "properties" in schema:
            yield from _properties(schema, f"{before}{key}.")


def _section(
    name: str, definitions: Definitions, links: Mapping[str, str], rules: Mapping[str, str]
) -> str:
    together = rules["conflicting-keys"]
    parts = [
        f"## {SECTIONS[name]}\n\n{definitions[name]['description']}\n",
        "| key | value | meaning |",
        "|---|---|---|",
        *(_row(key, links, rules) for key in keys(name, definitions)),
        "",
        *(f"{together}: {message}.\n" for message in dict.fromkeys(_messages(definitions[name]))),
    ]
    return "\n".join(parts)


def _row(key: Key, links: Mapping[str, str], rules: Mapping[str, str]) -> str:
    name = f"**`{key.path}`**" if key.required else f"`{key.path}`"
    value = values(key.schema, links)
    if "default" in key.schema:
        value = f"{value}; default {written(key.schema['default'])}"
    refused = " ".join(rules[mistake] for mistake in key.refused)
    meaning = f"{_meaning(key.schema)} Checked by {refused}" if refused else _meaning(key.schema)
    cells = [name, value, meaning]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _meaning(schema: Schema) -> str:
    """What a key is for, with examples; for a word that decides, what each word means."""
    words = zip(schema.get("enum", ()), schema.get("enumDescriptions", ()), strict=False)
    meaning = schema.get("description") or " ".join(f"`{word}`: {about}" for word, about in words)
    examples = ", ".join(map(written, schema.get("examples", ())))
    return f"{meaning} Example: {examples}." if examples else meaning


def _messages(schema: Any) -> Iterator[str]:
    """What a schema says of keys that do not fit together."""
    if isinstance(schema, list):
        for part in schema:
            yield from _messages(part)
    if isinstance(schema, dict):
        if "errorMessage" in schema:
            yield schema["errorMessage"]
        for part in schema.values():
            yield from _messages(part)


def _anchor(title: str) -> str:
    return title.replace(":", "").replace(" ", "-")
