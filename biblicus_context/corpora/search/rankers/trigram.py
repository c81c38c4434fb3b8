"""Blocks whose path, title or text is spelt like the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.corpora.search.rankers.named import meeting_filters
from biblicus_context.retrieval.analysis.query_analysis import file_names_of
from biblicus_context.retrieval.trigrams import likeness, trigrams
from biblicus_context.spec.retriever_settings import TrigramSpec
from biblicus_context.stores import Block, Document, Hit, search_text


def trigram(query: SearchQuery, spec: TrigramSpec, _: int) -> list[RankedBlock]:
    """By the share of trigrams in common, best first; ties by id."""
    wanted = [trigrams(each) for each in (query.text, *file_names_of(query.text))]
    # A text with more trigrams than this shares too small a part of them.
    most = max(map(len, wanted)) / spec.similarity if spec.similarity else inf
    scored = [
        (block, max(likeness(one, other) for one in wanted for other in texts))
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
    return [trigrams(each, most) for each in texts]


def _candidates(query: SearchQuery, spec: TrigramSpec) -> Iterable[tuple[Block, Document]]:
    """The blocks of the files that the query names, and those with words that are spelt like its own."""
    store, who, at = query.store, query.principal, query.at
    files = _named(query)
    named = store.places_of(who, files, most=spec.candidates, at=at) if files else ()
    alike = (each.block_id for each in _alike(query, spec))
    found = store.blocks(who, [*(each.block_id for each in named), *alike], at=at)
    blocks = {each.id: each for each in found}
    of = [*dict.fromkeys(each.document_id for each in blocks.values())]
    documents = {each.id: each for each in store.documents(who, of, at=at)}
    yield from ((block, documents[block.document_id]) for block in blocks.values())


def _named(query: SearchQuery) -> list[str]:
    """The documents that the query names by id, as files of a folder are by their whole path."""
    names = file_names_of(query.text)
    found = query.store.documents(query.principal, names, at=query.at) if names else ()
    return meeting_filters(query, [each.id for each in found])


def _alike(query: SearchQuery, spec: TrigramSpec) -> Iterator[Hit]:
    """Hits of the words as they are, and by spelling of those that no block has.

    A word that is there is not misspelt, and comparing it with all others costs most of a search.
    """
    counts = query.store.count_terms(query.principal, query.terms, at=query.at).found
    known = [each for each in query.terms if counts.get(each)]
    misspelt = [each for each in query.terms if not counts.get(each)]
    for terms, similarity in ((misspelt, spec.word_similarity), (known, None)):
        if terms:
            yield from search_text(
                query.store,
                query.principal,
                terms,
                filters=query.filters,
                limit=spec.candidates,
                weights=WEIGHTS,
                similarity=similarity,
                at=query.at,
            )


def _found(block: Block, score: float) -> RankedBlock:
    return RankedBlock(block.id, block.document_id, score, lambda _: {"trigram": score})
