"""Blocks whose path, title or text is spelt like the query."""

from __future__ import annotations

from collections.abc import Iterable

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.retrieval.analysis.query_analysis import file_names_of
from biblicus_context.retrieval.trigrams import likeness, trigrams
from biblicus_context.spec.retriever_settings import TrigramSpec
from biblicus_context.stores import Block, Document, search_text


def trigram(query: SearchQuery, spec: TrigramSpec, most: int) -> list[RankedBlock]:
    """By the share of trigrams in common, best first; ties by id."""
    del most
    wanted = [trigrams(each) for each in (query.text, *file_names_of(query.text))]
    scored = [
        (block, max(likeness(one, other) for one in wanted for other in _spelt(block, document)))
        for block, document in _candidates(query, spec)
    ]
    alike = [(block, score) for block, score in scored if score > spec.similarity]
    return [
        _found(block, score)
        for block, score in sorted(alike, key=lambda each: (-each[1], each[0].id))
    ]


def _spelt(block: Block, document: Document) -> Iterable[frozenset[str]]:
    for text in {document.path, document.title, block.text} - {None, ""}:
        yield trigrams(text or "")


def _candidates(query: SearchQuery, spec: TrigramSpec) -> Iterable[tuple[Block, Document]]:
    """The best blocks with a word that is spelt like one of the query."""
    if not query.terms:
        return
    hits = search_text(
        query.store,
        query.principal,
        query.terms,
        filters=query.filters,
        limit=spec.candidates,
        weights=WEIGHTS,
        similarity=spec.word_similarity,
        at=query.at,
    )
    blocks = query.store.blocks(query.principal, [each.block_id for each in hits], at=query.at)
    named = [*dict.fromkeys(each.document_id for each in blocks)]
    documents = query.store.documents(query.principal, named, at=query.at)
    by_id = {each.id: each for each in documents}
    yield from ((block, by_id[block.document_id]) for block in blocks)


def _found(block: Block, score: float) -> RankedBlock:
    return RankedBlock(block.id, block.document_id, score, lambda _: {"trigram": score})
