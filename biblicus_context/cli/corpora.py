"""The corpus that a command works on: declared in a project, or named by its folder."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.cli.options import Place
from biblicus_context.cli.projects import HERE, project_at
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.places import FOLDER
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.reading import Project
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.corpus_settings import CorpusSettings


def project_of(place: Place) -> Project | None:
    """The project that declares corpora, where there is one."""
    if place.path or place.shipped or HERE.is_dir():
        return project_at(place)
    return None


def corpus_to_index(root: Path | None, name: str | None, project: Project | None) -> Corpus:
    """The corpus of a folder, or the declared one of this name."""
    declared = project.corpora if project else {}
    if root is None and name is None:
        raise InputError(
            "which files?", fix="Say which: a path, or --corpus and the name of a declared corpus."
        )
    if root is None:
        assert name is not None
        if name not in declared:
            raise UnknownNameError("Corpus", name, declared)
        return Corpus.open(declared[name])
    name = name or root.resolve().name
    if name in declared:
        return Corpus.open(_same_root(declared[name], root))
    return Corpus.open(root, name=name)


def indexed_corpus(name: str | None, project: Project | None) -> Corpus:
    """The declared corpus of this name, or the one that was indexed from a folder here."""
    declared = project.corpora if project else {}
    indexed = sorted(each.name for each in Path(FOLDER).glob("*") if each.is_dir())
    known = [*dict.fromkeys([*declared, *indexed])]
    if name is None and len(known) == 1:
        name = known[0]
    if name is None:
        raise InputError("which corpus?", fix="Say which: --corpus NAME.", valid=known)
    if name in declared:
        return Corpus.open(declared[name])
    if name not in indexed:
        raise UnknownNameError("Corpus", name, known)
    return Corpus(name, CorpusSettings(root="."), store=Path(FOLDER) / name)


def _same_root(declared: CorpusDeclaration, root: Path) -> CorpusDeclaration:
    if Path(str(declared.config.get("root", ""))).resolve() != root.resolve():
        raise InputError(
            f"corpus '{declared.name}' is declared with another root",
            found=str(root),
            fix=f"Leave the path out, or give the corpus another name than '{declared.name}'.",
        )
    return declared
