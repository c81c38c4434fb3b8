"""The indexes that are kept in the folder a program runs in, by their names."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.places import FOLDER
from biblicus_context.errors import UnknownNameError
from biblicus_context.spec.corpus_settings import CorpusSettings
from biblicus_context.stores import Principal
from biblicus_context.stores.sqlite.files import MARKER


def kept_here() -> list[str]:
    """The names of the indexes below the current folder."""
    return sorted(mark.parent.name for mark in Path(FOLDER).glob(f"*/{MARKER}"))


def kept_corpus(name: str, principal: Principal = LOCAL) -> Corpus:
    """The corpus of an index, to be asked; where its files are, only a declaration knows."""
    known = kept_here()
    if name not in known:
        raise UnknownNameError("Corpus", name, known)
    store = Path(FOLDER).resolve() / name
    return Corpus(name, CorpusSettings(root="."), principal=principal, store=store)
