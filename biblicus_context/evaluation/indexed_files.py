"""The files of an indexed corpus that questions name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from biblicus_context.corpora import Corpus
from biblicus_context.errors import MOST_LISTED, InputError, closest
from biblicus_context.evaluation.indexed import IndexedCollection
from biblicus_context.evaluation.questions import Question


def indexed_files(corpus: Corpus, questions: Sequence[Question]) -> IndexedCollection:
    """The blocks of these files; a name that no indexed file has is an error.

    Several files of which one is enough are one record, with the blocks of all of them.
    """
    with corpus.index.view() as view:
        known = view.fingerprints()
        for question in questions:
            for name in chain.from_iterable(question.files):
                if name not in known:
                    raise _not_indexed(name, question, known, corpus)
        named = {name for each in questions for name in chain.from_iterable(each.files)}
        own = {name: view.blocks_of([name]) for name in sorted(named)}
    blocks = {
        gold_of(group): tuple(block.id for name in group for block in own[name])
        for question in questions
        for group in question.files
    }
    texts = {block.id: block.text for found in own.values() for block in found}
    return IndexedCollection(corpus, blocks, texts, {}, any_block=True)


def gold_of(group: Sequence[str]) -> str:
    """The id of one piece of gold evidence: a file, or several of which one is enough."""
    return " | ".join(group)


def _not_indexed(
    name: str, question: Question, known: Mapping[str, str], corpus: Corpus
) -> InputError:
    return InputError(
        "no file with this name is in the index",
        place=f"question in line {question.line}, corpus '{corpus.name}'",
        found=name,
        valid=sorted(known) if len(known) <= MOST_LISTED else [*closest(name, known), "..."],
    )
