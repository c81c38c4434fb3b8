"""Settings under `config:` that the engine itself reads; any others pass through to the engines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from biblicus_context.reading.schema_shapes import Definitions, Schema, with_property

_RETRIEVER: Schema = {
    "retriever_id": {"description": "Which retriever it is.", "type": "string"},
    "query": {
        "description": "What is asked: text with placeholders; absent: input.query or the message.",
        "type": ["string", "null"],
        "examples": ["{input.question}"],
    },
    "limit": {
        "description": "Blocks asked for in one request.",
        "type": "integer",
        "default": 3,
        "minimum": 1,
    },
    "offset": {
        "description": "Blocks skipped before the first.",
        "type": "integer",
        "default": 0,
        "minimum": 0,
    },
    "maximum_total_characters": {
        "description": "Characters asked for at most.",
        "type": ["integer", "null"],
        "minimum": 1,
    },
    "join_with": {
        "description": "What stands between two blocks.",
        "type": "string",
        "default": "\n\n",
    },
}
_CORPUS: Schema = {
    "root": {
        "description": "The folder of its files; a relative one begins at the declaring file.",
        "type": "string",
        "examples": ["../handbook"],
    },
}
_SETTINGS: Mapping[str, Schema] = {
    "RetrieverDeclaration": _RETRIEVER,
    "CorpusDeclaration": _CORPUS,
}


def with_settings(definitions: Definitions) -> Definitions:
    """The known settings among the free ones."""
    for name, settings in _SETTINGS.items():
        definitions = with_property(definitions, name, "config", partial(_knowing, settings))
    return definitions


def _knowing(settings: Schema, schema: Schema) -> Schema:
    return {**schema, "properties": settings}
