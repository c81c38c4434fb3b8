"""A page of evidence of a Biblicus corpus, as a pack."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from biblicus_context.retrieval.biblicus_corpus import snapshots
from biblicus_context.retrieval.biblicus_corpus.library import (
    BiblicusCorpus,
    SnapshotConfiguration,
    query_budget,
    retriever_named,
)
from biblicus_context.retrieval.packs.builders import ContextPackPolicy, build_context_pack
from biblicus_context.retrieval.packs.cutting import start_of_best, within_characters
from biblicus_context.retrieval.packs.fitters import (
    TokenBudget,
    TokenCounter,
    counter_of,
    fit_context_pack_to_token_budget,
)
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

_CHARACTERS_PER_TOKEN: Final = 4
_FULL_TEXT: Final = "sqlite-full-text-search"
_INSIDE_A_WORD: Final = re.compile(r"(?<=\S)[^\w\s\x80-\U0010ffff](?=\S)")
"""Marks that SQLite reads as operators; Biblicus itself strips only those at the ends of a word."""


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
    words = _words_of(request.query, snapshot.configuration)

    def query(limit: int, characters: int | None) -> ContextPack:
        budget = query_budget(
            max_total_items=limit,
            offset=request.offset,
            maximum_total_characters=characters,
            max_items_per_source=max_items_per_source,
        )
        found = retriever.query(corpus, snapshot=snapshot, query_text=words, budget=budget)
        return build_context_pack(found, policy=policy)

    return _within(request, query, policy, token_counter)


def _within(
    request: ContextRetrieverRequest,
    query: Callable[[int, int | None], ContextPack],
    policy: ContextPackPolicy,
    token_counter: TokenCounter | None,
) -> ContextPack:
    """What fits into the request; if every block is too large, the start of the best one.

    `query` takes limits of blocks and of characters. It knows no tokens, so characters are guessed.
    """
    characters, most = request.maximum_total_characters, request.max_tokens
    guess = most * _CHARACTERS_PER_TOKEN if characters is None and most is not None else characters
    pack = query(request.limit, guess)
    if guess is not None and not pack.blocks:
        # Biblicus leaves out a block above the limit; without a limit it returns the best one whole.
        pack = _cut_to_characters(query(1, None), characters)
    if most is None:
        return pack
    counter = counter_of(request.counter, token_counter)
    fitted = fit_context_pack_to_token_budget(
        pack,
        policy=policy,
        token_budget=TokenBudget(max_tokens=most),
        token_counter=counter,
    )
    return fitted if fitted.blocks else start_of_best(pack, most, counter.counter)


def _cut_to_characters(pack: ContextPack, most: int | None) -> ContextPack:
    if most is None:
        return pack
    blocks = [
        block.model_copy(
            update={"text": within_characters(block.text, most, block.source or "the same source")}
        )
        for block in pack.blocks
    ]
    return pack.model_copy(
        update={"text": "".join(block.text for block in blocks), "blocks": blocks}
    )


def _words_of(query: str, configuration: SnapshotConfiguration) -> str:
    """The query without marks inside its words, if SQLite would read them as operators.

    The index separates words at such marks, so "what's" is found as before.
    """
    return _INSIDE_A_WORD.sub(" ", query) if _uses_sqlite(configuration) else query


def _uses_sqlite(snapshot: SnapshotConfiguration) -> bool:
    lexical = (
        snapshot.configuration.get("lexical_retriever")
        if snapshot.retriever_id == "hybrid"
        else None
    )
    return _FULL_TEXT in (snapshot.retriever_id, lexical)
