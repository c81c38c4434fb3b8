"""What an author or a caller names, in the order of the names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from biblicus_context.corpora.search.evidence import Found
from biblicus_context.corpora.search.query import Question
from biblicus_context.corpora.search.rankers.named import documents_named, meeting_filters
from biblicus_context.errors import InputError
from biblicus_context.spec.retriever_settings import ExplicitSpec
from biblicus_context.stores import Block

_PARTS: Final = {"named": 1.0}


def explicit(question: Question, spec: ExplicitSpec, most: int) -> list[Found]:
    """The blocks of the named documents, then the named blocks; each block once."""
    del most
    documents = documents_named(question, spec.documents)
    blocks = [
        block
        for document in meeting_filters(question, documents)
        for block in question.store.blocks_of(question.principal, document, at=question.at)
    ]
    return _found([*blocks, *_named(question, spec.blocks)])


def _named(question: Question, names: Sequence[str]) -> list[Block]:
    blocks = question.store.blocks(question.principal, names, at=question.at)
    known = {block.id for block in blocks}
    for name in names:
        if name not in known:
            raise InputError("the corpus has no such block", found=name)
    documents = meeting_filters(question, [*dict.fromkeys(each.document_id for each in blocks)])
    return [block for block in blocks if block.document_id in documents]


def _found(blocks: Iterable[Block]) -> list[Found]:
    once = {block.id: block for block in blocks}
    return [Found(block.id, block.document_id, 1.0, lambda _: _PARTS) for block in once.values()]
