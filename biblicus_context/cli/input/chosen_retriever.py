"""The retrievers that a command asks or measures: declared ones, or those of an id."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from biblicus_context.corpora import Corpus, CorpusRetriever
from biblicus_context.errors import InputError, LoadError, UnknownNameError
from biblicus_context.evaluation.run import DEFAULT
from biblicus_context.reading import Project
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.load import read_documents
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


_PLANS: Final = (".yaml", ".yml")


def measured_retrievers(
    named: Sequence[str] | None, project: Project | None, corpus: str | None = None
) -> dict[str, ChosenRetriever]:
    """The retrievers of these names and files, else those declared for the corpus, else the default."""
    if not named:
        declared = project.retrievers if project and corpus else {}
        found = {
            name: declared_retriever(name, project) for name in declared if _is_ours(declared[name])
        }
        own = {name: each for name, each in found.items() if each.corpus == corpus}
        return own or {"hybrid": ChosenRetriever(DEFAULT, "retriever 'hybrid'")}
    chosen: dict[str, ChosenRetriever] = {}
    for name in named:
        if project and name in project.retrievers:
            chosen[name] = declared_retriever(name, project)
        elif name.endswith(_PLANS):
            chosen |= _in_file(Path(name), chosen)
        else:
            raise UnknownNameError("Retriever", name, project.retrievers if project else ())
    return chosen


def _is_ours(declaration: RetrieverDeclaration) -> bool:
    return declaration.config.get("retriever_id") is not None


def _in_file(file: Path, known: Collection[str]) -> dict[str, ChosenRetriever]:
    """The retrievers that a file declares; of the same name, the second shows its place too."""
    found: dict[str, ChosenRetriever] = {}
    for document in read_documents(read_plan(file), str(file)):
        if isinstance(document, LoadError):
            raise document
        if isinstance(document.declaration, RetrieverDeclaration):
            name = document.declaration.name
            if name in known or name in found:
                name = f"{name} ({document.file}:{document.line})"
            found[name] = retriever_of(document.declaration, document.file, document.line)
    if not found:
        raise InputError("no retriever is declared in this file", place=str(file))
    return found
