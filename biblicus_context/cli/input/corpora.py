"""The corpus that a command uses: declared in a project, or indexed from a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from biblicus_context.assembly.combinations import with_inline_sources
from biblicus_context.base.paths import resolved
from biblicus_context.cli.help_texts import PROGRAM
from biblicus_context.cli.input.projects import NoProjectError, has_project, project_at
from biblicus_context.cli.options.shared import PrincipalOptions, ProjectOptions
from biblicus_context.cli.output.terminal import detail, note
from biblicus_context.corpora import AT_ONCE, LOCAL, Corpus, NotIndexedError
from biblicus_context.corpora.declared import DeclaredRetrievers
from biblicus_context.corpora.index_location import store_of
from biblicus_context.corpora.local_indexes import (
    local_index_folder,
    local_index_names,
    open_local_index,
)
from biblicus_context.corpora.search.settings import Parts
from biblicus_context.embedders import AllowedKeys
from biblicus_context.errors import ContextError, InputError, UnknownNameError
from biblicus_context.reading import Project
from biblicus_context.reading.shipped import shipped
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import Principal, StoreError
from biblicus_context.text.compaction import Compaction

_INDEX_ONE: Final = f"Index a folder with '{PROGRAM} index PATH', or pass --path or --shipped."
_ELSEWHERE: Final = "Set XDG_CACHE_HOME to a writable folder."


def principal_of(options: PrincipalOptions) -> Principal:
    """The principal that a store expects."""
    return Principal(options.workspace, options.reader, frozenset(options.group or ()))


def allowed_keys(options: Iterable[str] | None) -> AllowedKeys:
    """What `--allow-key` says."""
    return AllowedKeys.parsed(options or ())


def declaring_project(place: ProjectOptions, needs: str | None = None) -> Project | None:
    """The project that declares corpora, where there is one; `needs` is the name that is used."""
    return project_at(place, needs=needs) if has_project(place) else None


def declared_names(project: Project | None) -> list[str]:
    """The names of all declared corpora; an error if there is none."""
    if project is None:
        raise NoProjectError
    if not project.corpora:
        raise InputError("no corpus is declared", fix="Pass the folder to index.")
    return [*project.corpora]


def corpus_to_index(
    root: Path | None,
    name: str | None,
    project: Project | None,
    store: str | Path | None = None,
    allowed: AllowedKeys | None = None,
) -> Corpus:
    """The corpus of a folder, or the declared one of this name; `store` is where its index goes."""
    declared = project.corpora if project else {}
    if root is None:
        assert name is not None
        if name not in declared:
            raise UnknownNameError("Corpus", name, declared)
        return opened(declared[name], store=store, allowed=allowed)
    said = resolved(root).name if name is None else name
    if said in declared:
        return opened(_same_root(declared[said], root), store=store, allowed=allowed)
    return Corpus.open(root, name=name, store=store or _outside_the_package(root, said))


def known_corpora(project: Project | None) -> list[str]:
    """The names of the declared corpora, then those of the other indexes that are kept here."""
    declared = project.corpora if project else {}
    theirs = {store for each in declared.values() if (store := _store_of(each))}
    kept = (name for name in local_index_names() if local_index_folder(name) not in theirs)
    return [*dict.fromkeys([*declared, *kept])]


def indexed_corpus(
    name: str | None,
    project: Project | None,
    principal: Principal = LOCAL,
    allowed: AllowedKeys | None = None,
) -> Corpus:
    """The declared corpus of this name, or the one that was indexed from a folder here."""
    known = known_corpora(project)
    declared = [*project.corpora] if project else []
    of_files = [each for each in declared if project and "root" in project.corpora[each].config]
    for only in (of_files, declared, known):
        if name is None and len(only) == 1:
            (name,) = only
    if name is None:
        problem = (
            f"{len(known)} corpora are known" if known else "no corpus is declared or indexed here"
        )
        fix = "Pass --corpus NAME." if known else _INDEX_ONE
        raise InputError(problem, fix=fix, valid=known)
    if project and name in project.corpora:
        return opened(project.corpora[name], principal, allowed=allowed)
    if local_index_folder(name) is None:
        raise UnknownNameError("Corpus", name, known)
    return open_local_index(name, principal)


def opened(
    declared: CorpusDeclaration,
    principal: Principal = LOCAL,
    store: str | Path | None = None,
    allowed: AllowedKeys | None = None,
) -> Corpus:
    """The corpus with its index where this user may write: never inside the package."""
    root = declared.config.get("root")
    if isinstance(root, str):
        store = store or _outside_the_package(Path(root), declared.name)
    return Corpus.open(declared, principal=principal, store=store, allow_keys=allowed)


def name_of(corpus: Corpus, project: Project | None) -> str:
    """What the other commands call a corpus whose index was just made."""
    if project and corpus.name in project.corpora:
        return corpus.name
    for name in (corpus.name, *local_index_names()):
        if local_index_folder(name) == corpus.place.absolute():
            return name
    return corpus.store_name


def _store_of(declared: CorpusDeclaration) -> Path | None:
    """Where the index of a declared corpus is, if it is one of this package."""
    try:
        return opened(declared).place.absolute()
    except ContextError:
        return None


def ready_corpora(
    project: Project,
    names: Iterable[str],
    allowed: AllowedKeys,
    principal: Principal | None = None,
) -> DeclaredRetrievers:
    """A project's declared retrievers; a corpus that was never indexed is indexed when it is opened.

    Those of these names are opened now: nobody's time limit is to run meanwhile.
    """
    corpora: list[Corpus] = []

    def opened_ready(declared: CorpusDeclaration, principal: Principal) -> Corpus:
        corpora.append(ready_corpus(opened(declared, principal, allowed=allowed)))
        return corpora[-1]

    retrievers = DeclaredRetrievers(
        with_inline_sources(project.retrievers),
        project.corpora,
        principal,
        open_corpus=opened_ready,
        allow_keys=allowed,
        parts=Parts.of(None, compactors=Compaction(project.compactors)),
    )
    for name in names:
        if retrievers.knows(name):
            retrievers.get(name)
    if corpora and all(_is_empty(each) for each in corpora):
        _note_empty(corpora)
    return retrievers


def _is_empty(corpus: Corpus) -> bool:
    return corpus.index.is_awaited or corpus.index.state.version == 0


def _note_empty(corpora: Sequence[Corpus]) -> None:
    """Otherwise a context without evidence looks like a plan that finds nothing."""
    workspace = corpora[0].principal.workspace
    names = ", ".join(f"'{each.name}'" for each in corpora)
    kind = "corpus" if len(corpora) == 1 else "corpora"
    note(f"nothing is in workspace '{workspace}' of {kind} {names}; --workspace reads another one")


def ready_corpus(corpus: Corpus, *, at_once: int | None = AT_ONCE) -> Corpus:
    """The corpus; its files are read where that never happened, and standard error says so."""
    # Files are indexed for everybody of this machine; another workspace is filled by a program.
    is_local = corpus.principal.workspace == LOCAL.workspace
    if not (is_local and corpus.root and corpus.root.is_dir() and _never_indexed(corpus)):
        detail(f"index of {corpus.name}: {corpus.store_name}")
        return corpus
    try:
        summary = corpus.ingest(at_once=at_once)
    except StoreError as error:
        never = NotIndexedError(corpus.name, corpus.root)
        problem = f"{never.problem}, and its index cannot be created: {error}"
        fix = _ELSEWHERE if corpus.place.is_relative_to(_cache()) else never.fix
        raise ContextError(problem, fix=fix) from None
    note(f"indexed {corpus.name}: {len(summary.added):,} files, {summary.blocks:,} blocks")
    return corpus


def _never_indexed(corpus: Corpus) -> bool:
    """Whether nothing was ever written; a run that was stopped early leaves an empty store."""
    is_absent = corpus.index.is_in_folder and not corpus.place.is_dir()
    return is_absent or corpus.index.state.version == 0


def _same_root(declared: CorpusDeclaration, root: Path) -> CorpusDeclaration:
    if resolved(Path(str(declared.config.get("root", "")))) != resolved(root):
        raise InputError(
            f"corpus '{declared.name}' is declared with another root",
            found=str(root),
            fix=f"Omit the path, or choose another name than '{declared.name}'.",
        )
    return declared


def _outside_the_package(root: Path, name: str) -> Path | None:
    """The folder for a corpus that comes with the package; None for every other one.

    Its name follows from the files, so that another release never meets an older index.
    """
    root = resolved(root)
    if not root.is_relative_to(shipped("contexts").resolve()):
        return None
    digest = blake2b(digest_size=6)
    for file in sorted(root.rglob("*")):
        if file.is_file():
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes())
    name = store_of(root, name).name
    return _cache() / "biblicus-context" / f"{name}-{digest.hexdigest()}"


def _cache() -> Path:
    """The user's folder for what can be made again; one that is not absolute does not count."""
    said = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return said if said.is_absolute() else Path.home() / ".cache"
