"""A page of evidence as a pack, from a corpus of this package or of Biblicus."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

from biblicus_context.base.doors import door
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.local_indexes import open_local_index
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.errors import InputError
from biblicus_context.retrieval import biblicus_corpus
from biblicus_context.retrieval.biblicus_corpus import BiblicusCorpus
from biblicus_context.retrieval.packs.builders import ContextPackPolicy
from biblicus_context.retrieval.packs.cutting import start_of_best
from biblicus_context.retrieval.packs.fitters import (
    TokenBudget,
    TokenCounter,
    counter_of,
    fit_context_pack_to_token_budget,
)
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.corpus import CorpusDeclaration

_MOST_PAGES: Final = 10
"""How many pages are searched for a block that is not larger than the whole budget."""


@door
def retrieve_context_pack(  # noqa: PLR0913 - the signature is that of Biblicus
    *,
    request: ContextRetrieverRequest,
    corpus: Corpus | CorpusDeclaration | str | Path | BiblicusCorpus,
    retriever_id: str,
    snapshot_id: str | None = None,
    configuration_name: str | None = None,
    configuration: Mapping[str, Any] | None = None,
    join_with: str = "\n\n",
    max_items_per_source: int | None = None,
    include_metadata: bool = False,
    metadata_fields: list[str] | None = None,
    token_counter: TokenCounter | None = None,
) -> ContextPack:
    """One page of evidence within the request; blocks that do not fit are skipped or cut.

    A string or a path is an indexed folder, or the name of a local index; `configuration` is then
    the settings of the retriever. For a Biblicus corpus the named snapshot is queried, the latest
    that matches, or a new one built by `configuration`.
    """
    if not isinstance(corpus, Corpus | CorpusDeclaration | str | Path):
        return biblicus_corpus.retrieve_context_pack(
            request=request,
            corpus=corpus,
            retriever_id=retriever_id,
            snapshot_id=snapshot_id,
            configuration_name=configuration_name,
            configuration=configuration,
            join_with=join_with,
            max_items_per_source=max_items_per_source,
            include_metadata=include_metadata,
            metadata_fields=metadata_fields,
            token_counter=token_counter,
        )
    if snapshot_id is not None:
        problem = "a corpus of this package has no snapshots: its newest version is used"
        raise InputError(problem, place="snapshot_id", found=snapshot_id, fix="Leave it out.")
    given = {
        "join_with": join_with,
        "maximum_items_per_source": max_items_per_source,
        "include_metadata": include_metadata,
        "metadata_fields": metadata_fields,
        **(configuration or {}),
        "retriever_id": retriever_id,
    }
    settings = {name: value for name, value in given.items() if value is not None}
    with nullcontext(corpus) if isinstance(corpus, Corpus) else _open(corpus) as opened:
        return _retrieve(
            opened.retriever(settings), request, counter_of(request.counter, token_counter)
        )


def _open(corpus: CorpusDeclaration | str | Path) -> Corpus:
    if isinstance(corpus, CorpusDeclaration) or os.path.exists(corpus):
        return Corpus.open(corpus)
    return open_local_index(str(corpus))


def _retrieve(
    retriever: CorpusRetriever, request: ContextRetrieverRequest, counter: TokenCounter
) -> ContextPack:
    """The first page of which a block fits; if there is none, the start of the best block."""
    if request.max_tokens is None:
        return retriever(request)
    policy = ContextPackPolicy(join_with=retriever.spec.join_with)
    budget = TokenBudget(max_tokens=request.max_tokens)
    best = ContextPack(text="", evidence_count=0)
    for page in range(_MOST_PAGES):
        offset = request.offset + page * request.limit
        update = {"offset": offset, "counter": counter.counter.name}
        found = retriever(request.model_copy(update=update))
        fitted = fit_context_pack_to_token_budget(
            found, policy=policy, token_budget=budget, token_counter=counter
        )
        if fitted.blocks:
            return fitted
        best = best if best.blocks else found
        if found.evidence_count < request.limit:
            break
    return start_of_best(best, request.max_tokens, counter.counter)
