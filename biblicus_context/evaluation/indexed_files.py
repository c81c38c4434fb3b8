"""The files of an indexed corpus that questions name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biblicus_context.corpora import Corpus
from biblicus_context.errors import MOST_LISTED, InputError, closest
from biblicus_context.evaluation.indexed import IndexedCollection
from biblicus_context.evaluation.questions import Question


def indexed_files(corpus: Corpus, questions: Sequence[Question]) -> IndexedCollection:
    """The blocks of these files; a name that no indexed file has is an error."""
    with corpus.index.view() as view:
        known = view.fingerprints()
    blocks: dict[str, tuple[str, ...]] = {}
    texts: dict[str, str] = {}
    for question in questions:
        for name in question.files:
            if name not in known:
                raise _not_indexed(name, question, known, corpus)
            if name not in blocks:
                with corpus.index.view() as view:
                    own = view.blocks_of([name])
                blocks[name] = tuple(each.id for each in own)
                texts.update((each.id, each.text) for each in own)
    return IndexedCollection(corpus, blocks, texts, {}, any_block=True)


def _not_indexed(
    name: str, question: Question, known: Mapping[str, str], corpus: Corpus
) -> InputError:
    return InputError(
        "no file with this name is in the index",
        place=f"question in line {question.line}, corpus '{corpus.name}'",
        found=name,
        valid=sorted(known) if len(known) <= MOST_LISTED else [*closest(name, known), "..."],
    )
