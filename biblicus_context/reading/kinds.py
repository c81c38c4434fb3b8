"""The kinds of document a file may hold, and the declaration each one makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.format import FormatDeclaration
from biblicus_context.spec.policy import PolicyDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration

Kind: TypeAlias = Literal["context", "policy", "format", "retriever", "corpus", "compactor"]
Declaration: TypeAlias = (
    ContextDeclaration
    | PolicyDeclaration
    | FormatDeclaration
    | RetrieverDeclaration
    | CorpusDeclaration
    | CompactorDeclaration
)

MODELS: Mapping[str, type[Declaration]] = {
    "context": ContextDeclaration,
    "policy": PolicyDeclaration,
    "format": FormatDeclaration,
    "retriever": RetrieverDeclaration,
    "corpus": CorpusDeclaration,
    "compactor": CompactorDeclaration,
}


def declare(document: Mapping[str, Any]) -> tuple[Kind, Declaration]:
    """What a document that fits the schema declares."""
    kind, fields = fields_of(document)
    return kind, MODELS[kind].model_validate(fields)


def fields_of(document: Mapping[str, Any]) -> tuple[Kind, dict[str, Any]]:
    """The kind of a document, and the fields of its model."""
    fields = dict(document)
    kind: Kind = fields.pop("kind")
    if kind in ("policy", "format"):  # in a file, the fields are next to the name
        fields = {"name": fields.pop("name", None), kind: fields}
    return kind, fields
