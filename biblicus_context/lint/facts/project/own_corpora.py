"""Corpora that are folders of the project, and the files in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.lint.facts.memoize import once_per_project
from biblicus_context.reading.load import PlanDocument
from biblicus_context.spec.corpus import CorpusDeclaration, CorpusSettings, has_index, is_own_corpus

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import DeclarationEntry, Declarations
    from biblicus_context.reading.kinds import Kind
    from biblicus_context.spec.retriever import RetrieverDeclaration

_MOST_ENTRIES: Final = 10_000
"""In a larger folder nothing is looked up: a rule must not take longer than the linter."""


class CorpusFiles(NamedTuple):
    """What is in the folder of a corpus."""

    files: frozenset[str]
    """Paths below the root."""
    entries: frozenset[str]
    """The same and the folders, with a `/` at their ends; those that are not indexed as well."""


def own_settings(corpus: object, declared: Declarations) -> CorpusSettings | None:
    """The settings of a corpus that this package indexes, unless Python passes one of its name."""
    if not isinstance(corpus, CorpusDeclaration) or not is_own_corpus(corpus.config):
        return None
    if corpus.name in declared.from_python.get("corpus", ()):
        return None
    return CorpusSettings.model_validate(corpus.config)


def root_folder(corpus: CorpusDeclaration, declared: Declarations) -> Path | None:
    """The root as the engine resolves it; None if it is an address."""
    settings = own_settings(corpus, declared)
    entry = declared.by_name.get(("corpus", corpus.name))
    root = settings.root if settings else None
    if root is None or entry is None or "://" in root or "\0" in root:
        return None
    return Path(entry.file).parent / root


@once_per_project
def corpus_files(corpus: CorpusDeclaration, declared: Declarations) -> CorpusFiles | None:
    """The files of a corpus; None if it has commits, or there is no such folder, nothing or too much in it."""
    root = root_folder(corpus, declared)
    settings = own_settings(corpus, declared)
    if root is None or settings is None or settings.source == "git":
        return None
    if root.is_file():
        return CorpusFiles(frozenset({root.name}), frozenset({root.name}))
    entries = list(islice(_entries(root), _MOST_ENTRIES + 1))
    if not entries or len(entries) > _MOST_ENTRIES:
        return None
    files = frozenset(entry for entry in entries if not entry.endswith("/"))
    return CorpusFiles(files, frozenset(entries))


def _entries(root: Path) -> Iterator[str]:
    """Every file and folder below a root; those that are not indexed as well, but for git's own."""
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        before = "" if below == "." else f"{below}/"
        yield from (f"{before}{name}/" for name in folders)
        yield from (f"{before}{name}" for name in files)


def corpus_searched_by(
    retriever: RetrieverDeclaration, declared: Declarations
) -> CorpusDeclaration | None:
    """The declared corpus that a retriever names, without settings that are wrong."""
    entry = _corpus_entry(retriever, declared)
    declaration = entry.declaration if entry else None
    return declaration if isinstance(declaration, CorpusDeclaration) else None


def names_own_corpus(retriever: RetrieverDeclaration, declared: Declarations) -> bool:
    """Whether the declared corpus of a retriever has a root or a store, right or wrong.

    Settings of other corpora are not checked, so that a wrong one says whose corpus it is.
    """
    entry = _corpus_entry(retriever, declared)
    if entry is None or not isinstance(entry.declaration, CorpusDeclaration):
        return False
    return has_index(entry.declaration.config) or "config" in entry.lost


def _corpus_entry(
    retriever: RetrieverDeclaration, declared: Declarations
) -> DeclarationEntry | None:
    key: tuple[Kind, str] = ("corpus", str(retriever.config.get("corpus", retriever.corpus)))
    return declared.by_name.get(key) or declared.partly_read_by_name.get(key)


def texts_under(
    document: PlanDocument, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The text at a path, or each text of a list there, with its path."""
    node = document.tree.at(path)
    if isinstance(node.value, str):
        yield path, node.value
    for index, item in enumerate(node.items):
        if isinstance(item.value, str):
            yield (*path, index), item.value
