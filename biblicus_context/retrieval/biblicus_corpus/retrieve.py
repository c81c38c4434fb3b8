"""One page of evidence of a Biblicus corpus as a pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biblicus_context.retrieval.biblicus_corpus import snapshots
from biblicus_context.retrieval.biblicus_corpus.fitting import within
from biblicus_context.retrieval.biblicus_corpus.library import query_budget, retriever_named
from biblicus_context.retrieval.biblicus_corpus.protocols import BiblicusCorpus
from biblicus_context.retrieval.biblicus_corpus.words import words_of
from biblicus_context.retrieval.packs.builders import ContextPackPolicy, build_context_pack
from biblicus_context.retrieval.packs.fitters import TokenCounter
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


def retrieve_context_pack(  # noqa: PLR0913 - the signature is that of Biblicus
    *,
    request: ContextRetrieverRequest,
    corpus: BiblicusCorpus,
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
    """One page of evidence from a snapshot: the named one, the latest that suits, or a new one."""
    retriever = retriever_named(retriever_id)
    snapshot = (
        snapshots.named(snapshot_id, corpus, retriever)
        if snapshot_id
        else snapshots.latest(corpus, retriever, configuration)
        or snapshots.built(corpus, retriever, configuration, configuration_name)
    )
    policy = ContextPackPolicy(
        join_with=join_with, include_metadata=include_metadata, metadata_fields=metadata_fields
    )
    words = words_of(request.query, snapshot.configuration)

    def asked(limit: int, characters: int | None) -> ContextPack:
        budget = query_budget(
            max_total_items=limit,
            offset=request.offset,
            maximum_total_characters=characters,
            max_items_per_source=max_items_per_source,
        )
        found = retriever.query(corpus, snapshot=snapshot, query_text=words, budget=budget)
        return build_context_pack(found, policy=policy)

    return within(request, asked, policy, token_counter)
