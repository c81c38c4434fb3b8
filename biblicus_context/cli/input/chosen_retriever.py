"""The retriever that a command asks: a declared one, or one by its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from biblicus_context.corpora import Corpus, CorpusRetriever
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.reading import Project
from biblicus_context.spec.retriever import RetrieverDeclaration


class ChosenRetriever(NamedTuple):
    """Settings, where they stand, and the corpus that they are for."""

    settings: Mapping[str, Any]
    place: str
    corpus: str | None = None

    def over(self, corpus: Corpus) -> CorpusRetriever:
        """What answers from a corpus by these settings."""
        return corpus.retriever(self.settings, place=self.place)


def plain(retriever_id: str, *, limit: int) -> ChosenRetriever:
    """A retriever with nothing but its defaults."""
    return ChosenRetriever(
        {"retriever_id": retriever_id, "limit": limit}, f"retriever '{retriever_id}'"
    )


def declared_retriever(name: str, project: Project | None) -> ChosenRetriever:
    """The retriever that a project declares under this name."""
    if project is None or name not in project.retrievers:
        raise UnknownNameError("Retriever", name, project.retrievers if project else ())
    source = project.sources["retriever", name]
    return retriever_of(project.retrievers[name], source.file, source.line)


def retriever_of(declaration: RetrieverDeclaration, file: str, line: int) -> ChosenRetriever:
    """The retriever of a declaration, which is at this place."""
    settings, name, place = declaration.config, declaration.name, f"{file}:{line}"
    if settings.get("retriever_id") is None:
        raise InputError(
            f"retriever '{name}' has no retriever_id",
            place=place,
            fix="It is passed from Python; the command line can only use declared retrievers.",
        )
    where = f"{place}: retriever '{name}' config"
    return ChosenRetriever(settings, where, settings.get("corpus") or declaration.corpus)
