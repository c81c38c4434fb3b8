"""Settings under `config:` that the engine itself reads; any others pass through to the engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

from biblicus_context.spec.retriever_settings import BUILT_IN, SearchSpec
from generators.schemas.shapes import Definitions, Schema, with_property

_OWN: Mapping[str, type[SearchSpec]] = {
    get_args(model.model_fields["retriever_id"].annotation)[0]: model for model in BUILT_IN
}
_RETRIEVER: Schema = {
    "retriever_id": {
        "description": "Kind of retriever.",
        "type": "string",
        "examples": list(_OWN),
    },
    "query": {
        "description": "Query: text with placeholders. Default: input.query, else the user message.",
        "type": ["string", "null"],
        "examples": ["{input.question}"],
    },
    "limit": {
        "description": "Number of blocks in one request at most; absent: the blocks that fill the "
        "share for a retriever over a corpus, 3 for any other and without a budget.",
        "type": ["integer", "null"],
        "minimum": 1,
    },
    "offset": {
        "description": "Number of blocks to skip.",
        "type": "integer",
        "default": 0,
        "minimum": 0,
    },
    "maximum_total_characters": {
        "description": "Maximum number of characters.",
        "type": ["integer", "null"],
        "minimum": 1,
    },
    "join_with": {
        "description": "Text between two blocks.",
        "type": "string",
        "default": "\n\n",
    },
}
_CORPUS: Schema = {
    "root": {
        "description": "Folder of the source files, relative to the declaring file.",
        "type": "string",
        "examples": ["../handbook"],
    },
    "store": {
        "description": "Folder of the index, relative to the declaring file. Default: "
        ".biblicus-context/NAME next to the root.",
        "type": ["string", "null"],
        "examples": ["../indexes/handbook"],
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
    return with_property(definitions, "RetrieverDeclaration", "config", _offering)


def _knowing(settings: Schema, schema: Schema) -> Schema:
    return {**schema, "properties": settings}


def _offering(schema: Schema) -> Schema:
    """What editors offer for the retrievers of this package.

    It forbids nothing: retrievers of other libraries have the same names and other settings. What
    is wrong with settings over a corpus of the project is found by the linter.
    """
    common = _told(SearchSpec, but=_RETRIEVER)
    own = {word: _told(model, but={**_RETRIEVER, **common}) for word, model in _OWN.items()}
    return {
        **schema,
        "allOf": [
            {"if": _is_one_of(list(_OWN)), "then": {"properties": common}},
            *(
                {"if": _is_one_of([word]), "then": {"properties": settings}}
                for word, settings in own.items()
                if settings
            ),
        ],
    }


def _is_one_of(words: Sequence[str]) -> Schema:
    return {"required": ["retriever_id"], "properties": {"retriever_id": {"enum": [*words]}}}


def _told(model: type[SearchSpec], *, but: Schema) -> Schema:
    """Words and examples of settings; never what is wrong with a value."""
    shown: Schema = {}
    for name, field in model.model_fields.items():
        word = field.alias or name
        if word not in but:
            examples = {"examples": list(field.examples)} if field.examples else {}
            shown[word] = {"description": field.description, **examples}
    return shown
