"""Blocks whose path, title or text is spelt like the query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from math import inf
from typing import Final

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.corpora.search.rankers.named import places_meeting_filters
from biblicus_context.retrieval.analysis.query_analysis import file_names_of
from biblicus_context.spec.retriever_settings import TrigramSpec
from biblicus_context.stores import (
    Ahead,
    Block,
    BlockPlace,
    Document,
    Hit,
    SearchRequest,
    text_hits,
)


def trigram(query: SearchQuery, spec: TrigramSpec, _: int) -> list[RankedBlock]:
    """By the share of trigrams in common, best first; ties by id."""
    wanted = [_trigrams(each) for each in (query.text, *file_names_of(query.text))]
    # A text with more trigrams than this shares too small a part of them.
    most = max(map(len, wanted)) / spec.similarity if spec.similarity else inf
    scored = [
        (block, max(_similarity(one, other) for one in wanted for other in texts))
        for block, document in _candidates(query, spec)
        for texts in [_spelt(block, document, most)]
    ]
    alike = [(block, score) for block, score in scored if score > spec.similarity]
    return [
        _found(block, score)
        for block, score in sorted(alike, key=lambda each: (-each[1], each[0].id))
    ]


def _spelt(block: Block, document: Document, most: float) -> list[frozenset[str]]:
    texts = {document.path or "", document.title, block.text}
    return [_trigrams(each, most) for each in texts]


def _candidates(query: SearchQuery, spec: TrigramSpec) -> Iterable[tuple[Block, Document]]:
    """The blocks of the files that the query names, and those with words that are spelt like its own."""
    named, alike = query.view.together(
        lambda: _named(query, spec.candidates), lambda: [*_alike(query, spec)]
    )
    ids = [each.block_id for each in (*named, *(hit.place for hit in alike))]
    yield from ((each.block, each.document) for each in query.view.evidence(ids))


def _named(query: SearchQuery, most: int) -> list[BlockPlace]:
    """The blocks of documents that the query names by id, as files of a folder are by their whole path."""
    names = file_names_of(query.text)
    found = query.view.documents(names) if names else ()
    return places_meeting_filters(query, [each.id for each in found], most)


def _alike(query: SearchQuery, spec: TrigramSpec) -> Iterable[Hit]:
    """Hits of the words as they are, and by spelling of those that no block has.

    A word that is there is not misspelt, and comparing it with all others costs most of a search.
    """
    counts = query.view.count_terms(query.terms).found
    known = [each for each in query.terms if counts.get(each)]
    misspelt = [each for each in query.terms if not counts.get(each)]
    searches = [
        partial(_search, query, spec, terms, similarity)
        for terms, similarity in ((misspelt, spec.word_similarity), (known, None))
        if terms
    ]
    return chain(*query.view.together(*searches))


def _search(
    query: SearchQuery, spec: TrigramSpec, terms: Sequence[str], similarity: float | None
) -> Sequence[Hit]:
    request = SearchRequest(
        terms=tuple(terms),
        filters=query.filters,
        limit=spec.candidates,
        weights=WEIGHTS,
        similarity=similarity,
    )
    return text_hits(query.view, request, Ahead(spec.candidates))


def _found(block: Block, score: float) -> RankedBlock:
    return RankedBlock(block.id, block.document_id, score, lambda _: {"trigram": score})


_WORD: Final = re.compile(r"[^\W_]+")
_MOST_CHARACTERS: Final = 4_000
"""A longer text has so many trigrams that no query is like it."""


def _trigrams(text: str, most: float = inf) -> frozenset[str]:
    """Every three letters in a row of its words, with two spaces before each word and one after it.

    It stops a little after `most`: the rest of a long text cannot make it more like a short one.

    >>> sorted(_trigrams("Cat"))
    ['  c', ' ca', 'at ', 'cat']
    """
    words = dict.fromkeys(_WORD.findall(text[:_MOST_CHARACTERS].lower()))
    found: set[str] = set()
    for word in words:
        padded = f"  {word} "
        found.update(padded[at : at + 3] for at in range(len(padded) - 2))
        if len(found) > most:
            break
    return frozenset(found)


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Trigrams in both / trigrams in either, as `similarity` of Postgres has it.

    >>> round(_similarity(_trigrams("word"), _trigrams("two words")), 2)
    0.36
    """
    together = len(one | other)
    return len(one & other) / together if together else 0.0
