"""Settings under `config:` that the engine itself reads; any others pass through to the engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from biblicus_context.corpora.outside.kinds import OUTSIDE
from biblicus_context.corpora.search.rankers.registry import RETRIEVERS, RetrieverKind
from biblicus_context.spec.combined import CombinedSpec, SourceSpec
from biblicus_context.spec.corpus import (
    FILES_NEED_A_ROOT,
    FILES_ONLY,
    GIT_NEEDS_A_ROOT,
    GIT_ONLY,
    OF_BIBLICUS,
    OF_FILES,
    CorpusSettings,
)
from biblicus_context.spec.embedder import EmbedderSpec, GraniteEmbedderSpec, OpenAIEmbedderSpec
from biblicus_context.spec.retriever import COMBINED, RetrieverSettings
from biblicus_context.spec.retriever_settings import SearchSpec
from generators.schemas.offers import offered
from generators.schemas.shapes import (
    Definitions,
    Schema,
    reference,
    simple_definition,
    with_property,
)

_OWN: Mapping[str, type[SearchSpec]] = {
    name: kind.settings
    for name, kind in RETRIEVERS.entries.items()
    if isinstance(kind, RetrieverKind)
}
_EMBEDDERS: Mapping[str, type[EmbedderSpec]] = {
    "granite": GraniteEmbedderSpec,
    "openai": OpenAIEmbedderSpec,
}
_SETTINGS: tuple[type[BaseModel], ...] = (
    RetrieverSettings,
    CorpusSettings,
    EmbedderSpec,
    *_EMBEDDERS.values(),
)


def with_settings(definitions: Definitions) -> Definitions:
    """The settings of retrievers and corpora, from their models."""
    _, generated = models_json_schema([(model, "validation") for model in _SETTINGS])
    own: Definitions = {
        name: simple_definition(name, generated["$defs"]) for name in generated["$defs"]
    }
    read = own["RetrieverSettings"]["properties"]
    added: Definitions = {
        **definitions,
        **{each.__name__: _with_type(own[each.__name__]) for each in _EMBEDDERS.values()},
        "EmbedderSpec": _of_kinds(own["EmbedderSpec"]),
        "QuerySpec": own["QuerySpec"],
        "ChunksSpec": own["ChunksSpec"],
        "CorpusSettings": {**own["CorpusSettings"], "allOf": [_files_have_a_root(), _of_source()]},
    }
    added = with_property(added, "CorpusSettings", "embedder", _embedder)
    rooted = {key: own["CorpusSettings"]["properties"][key] for key in ("root", "store")}
    added = with_property(added, "CorpusDeclaration", "config", partial(_of_own_corpora, rooted))
    return with_property(added, "RetrieverDeclaration", "config", partial(_offering, read))


def _files_have_a_root() -> Schema:
    none = {"maxItems": 0, "not": {"const": True}}
    return {
        "if": {"properties": dict.fromkeys(OF_FILES, none)},
        "else": {"required": ["root"], "errorMessage": FILES_NEED_A_ROOT},
    }


def _of_source() -> Schema:
    """Settings of files belong to files, those of commits to git."""
    a_list = {"not": {"type": "array", "minItems": 1}}
    files = {"include": a_list, "exclude": a_list, "hidden": {"not": {"const": True}}}
    git = {"since": {"not": {"type": "string"}}, "paths": a_list}
    root = {"required": ["root"], "errorMessage": GIT_NEEDS_A_ROOT}
    return {
        "if": {"properties": {"source": {"const": "files"}}},
        "then": _refusing(git, GIT_ONLY),
        "else": {
            "if": {"properties": {"source": {"const": "git"}}},
            "then": {"allOf": [_refusing(files, FILES_ONLY), root]},
        },
    }


def _refusing(properties: Schema, message: str) -> Schema:
    """The first of the settings that breaks its rule is reported, as all of them are one mistake."""
    schema: Schema = {}
    for key, rule in reversed(properties.items()):
        told = {"properties": {key: {**rule, "errorMessage": message}}}
        schema = {"if": {"properties": {key: rule}}, "then": schema, "else": told}
    return schema


def _with_type(definition: Schema) -> Schema:
    kind = {"description": definition["description"], "type": "string"}
    return {
        **definition,
        "required": ["type", *definition.get("required", [])],
        "properties": {**definition["properties"], "type": kind},
    }


def _of_kinds(definition: Schema) -> Schema:
    """Settings of other packages are their own, so only those of this one are named."""
    return {
        "description": definition["description"],
        "required": definition["required"],
        "properties": definition["properties"],
        "allOf": [
            {"if": _is_one_of("type", [word]), "then": reference(model.__name__)}
            for word, model in _EMBEDDERS.items()
        ],
    }


def _embedder(schema: Schema) -> Schema:
    said = {key: schema[key] for key in ("description", "default", "examples")}
    return {
        "description": said.pop("description"),
        "type": ["string", "object", "null"],
        **said,
        "allOf": [reference("EmbedderSpec")],
    }


def _of_own_corpora(own: Schema, schema: Schema) -> Schema:
    """A corpus with a root is a folder of files, and one with a store alone is written by programs."""
    theirs: Schema = {key: {"not": {}} for key in OF_BIBLICUS} | {"index": {"type": "string"}}
    written = {"required": ["store"], "properties": {**theirs, "root": {"not": {}}}}
    rules = [
        {"if": each, "then": reference("CorpusSettings")}
        for each in ({"required": ["root"], "properties": theirs}, written)
    ]
    return {**schema, "properties": own, "allOf": rules}


def _offering(read: Schema, schema: Schema) -> Schema:
    """What editors offer for the retrievers of this package.

    It forbids nothing: retrievers of other libraries have the same names and other settings. What
    is wrong with settings over a corpus of the project is found by the linter.
    """
    common = offered(SearchSpec, but=read)
    own = {word: offered(model, but={**read, **common}) for word, model in _OWN.items()}
    own[COMBINED] = offered(CombinedSpec, but=read)
    own[COMBINED]["of"]["items"] = {"properties": offered(SourceSpec)}
    own |= {name: offered(kind.settings, but=read) for name, kind in OUTSIDE.items()}
    return {
        **schema,
        "properties": read,
        "allOf": [
            {"if": _is_one_of("retriever_id", list(_OWN)), "then": {"properties": common}},
            *(
                {"if": _is_one_of("retriever_id", [word]), "then": {"properties": settings}}
                for word, settings in own.items()
                if settings
            ),
        ],
    }


def _is_one_of(key: str, words: Sequence[str]) -> Schema:
    return {"required": [key], "properties": {key: {"enum": [*words]}}}
