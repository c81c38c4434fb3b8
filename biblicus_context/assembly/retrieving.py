"""Asks one retriever of the registries without a context around it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from biblicus_context.assembly.call import Call
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.limits import limits_of
from biblicus_context.assembly.packs.asking import first_answer
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.gather import call_for
from biblicus_context.assembly.steps.parts import PackPart, RetrieverSource
from biblicus_context.assembly.steps.resolve import resolve
from biblicus_context.base.effects import Effectful
from biblicus_context.base.options import require_counts
from biblicus_context.errors import UnknownNameError
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec
from biblicus_context.spec.policy import ContextPolicySpec

_ALONE: Final = "retrieve"


def retrieved(
    registries: Registries,
    name: str,
    query: str,
    inputs: Mapping[str, Any],
    *,
    limit: int | None,
    max_tokens: int | None,
) -> Effectful[ContextPack]:
    """The first answer of a retriever, with its declared settings."""
    require_counts(
        **{
            key: each
            for key, each in (("limit", limit), ("max_tokens", max_tokens))
            if each is not None
        }
    )
    if name not in registries.retrievers:
        raise UnknownNameError("Retriever", name, registries.retrievers)
    context = ContextDeclaration(
        name=_ALONE, messages=(ContextInsertSpec(type="context", name=name),)
    )
    registries = replace(registries, contexts={_ALONE: context}, _checked=set())
    registries.context(_ALONE)
    names = {"input": {**inputs, "query": query}}
    call = Call(names, datetime.now(UTC), assembly=os.urandom(8).hex())
    limits = limits_of(ContextPolicySpec(), registries.yardsticks, ())
    draft = resolve(Draft(context, call, limits), registries)
    (part,) = (each for each in draft.parts if isinstance(each, PackPart))
    assert isinstance(part.source, RetrieverSource)
    if limit is not None:
        settings = part.source.settings._replace(limit=limit)
        part = part._replace(source=part.source._replace(settings=settings))
    part = part._replace(copies=1)
    draft = draft._replace(parts=(part,), shares={0: max_tokens})
    return (yield from first_answer(call_for(draft, 0, part)))
