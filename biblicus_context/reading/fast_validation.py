"""Typed reading that proves that a document fits its schema, so that few files need a schema check.

Models convert for Python's sake: "5" to 5, and Lua's empty list to a mapping. Read strictly, as
JSON, they convert nothing, and the schema accepts what they accept: a property test compares both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields as settings_in
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from biblicus_context.reading.compactor_settings import compactors_of
from biblicus_context.reading.kinds import MODELS, Declaration, Kind, fields_of
from biblicus_context.reading.yaml.tree import Value
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.corpus import CorpusDeclaration, CorpusSettings, is_own_corpus
from biblicus_context.spec.retriever import RetrieverDeclaration, RetrieverSettings
from biblicus_context.text.compaction import COMPACTORS


def proven(document: Value) -> tuple[Kind, Declaration] | None:
    """What a document declares, if typed reading alone shows that it fits the schema.

    >>> proven({"kind": "corpus", "name": "handbook", "config": {"root": "handbook"}})[0]
    'corpus'
    >>> proven({"kind": "policy", "name": "small", "max_iterations": "2"}) is None
    True
    """
    if not isinstance(document, dict) or str(document.get("kind")) not in MODELS:
        return None
    kind, content = fields_of(document)
    try:
        declaration = MODELS[kind].model_validate_json(json.dumps(content), strict=True)
        return (kind, declaration) if _settings_fit(declaration) else None
    except (ValidationError, TypeError):
        return None


def _settings_fit(declaration: Declaration) -> bool:
    """Whether the settings fit that models keep as they are written; may raise ValidationError."""
    match declaration:
        case CorpusDeclaration(config=config):
            return _corpus_fits(config)
        case RetrieverDeclaration(config=config):
            return bool(RetrieverSettings.model_validate(config))
        case CompactorDeclaration(config=config) if not config:
            return False
    return all(_compactor_fits(settings) for _, settings in compactors_of(declaration))


def _corpus_fits(config: Mapping[str, Any]) -> bool:
    if is_own_corpus(config):
        return bool(CorpusSettings.model_validate_json(json.dumps(config), strict=True))
    return not config.keys() & {"root", "store"}


def _compactor_fits(settings: Mapping[str, Any]) -> bool:
    options = {key: value for key, value in settings.items() if key != "type"}
    names, adapter = _settings_of(settings.get("type"))
    return (
        adapter is not None
        and names.issuperset(options)
        and bool(adapter.validate_json(json.dumps(options), strict=True))
    )


@cache
def _settings_of(kind: str | None) -> tuple[frozenset[str], TypeAdapter[Any] | None]:
    """The names of the settings of a built-in type, and what reads them."""
    entry: Any = COMPACTORS.entries.get(kind or "")
    if entry is None:
        return frozenset(), None
    return frozenset(field.name for field in settings_in(entry)), TypeAdapter(entry)
