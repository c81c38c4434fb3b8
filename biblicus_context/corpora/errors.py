"""Errors of a corpus as a whole."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from biblicus_context.errors import ContextError, InputError

_NO_ROOT: Final = "It has no root: programs write its documents."
_PUT: Final = "Write documents from Python, with `Corpus.put`."


class NotIndexedError(ContextError):
    """A corpus has no index yet; the message has the command that makes it."""

    def __init__(self, corpus: str, root: Path | None) -> None:
        self.corpus = corpus
        if root is None:
            problem = f"nothing was ever written to corpus '{corpus}'"
            super().__init__(problem, fix=f"{_NO_ROOT} {_PUT}")
        else:
            problem = f"corpus '{corpus}' has never been indexed"
            super().__init__(problem, fix=index_command(corpus, root))


class PartialIndexError(ContextError):
    """The index of a corpus is not complete: what a search finds now would be a part of the evidence."""

    def __init__(self, corpus: str, root: Path, *, is_being_made: bool | None = None) -> None:
        self.corpus = corpus
        fix = f"{finishing(corpus, root, is_being_made=is_being_made)}. To search what is there: `index: partial`."
        super().__init__(partial_index(corpus, is_being_made=is_being_made), fix=fix)


class NoRootError(InputError):
    """A corpus whose documents programs write has no files to read."""

    def __init__(self, corpus: str) -> None:
        self.corpus = corpus
        fix = f"{_PUT} To index files, declare a `root`."
        super().__init__(f"corpus '{corpus}' has no root, so there is nothing to read", fix=fix)


class HasRootError(InputError):
    """Programs do not write into a corpus of files."""

    def __init__(self, corpus: str, root: Path) -> None:
        self.corpus = corpus
        fix = "Write to a corpus without a `root`; it may have the same `store`."
        problem = f"the documents of corpus '{corpus}' are the files of {root}"
        super().__init__(problem, fix=fix)


class OtherEmbedderError(ContextError):
    """The vectors of a corpus are of other models than its embedder, so they cannot be compared."""

    def __init__(self, corpus: str, root: Path | None, *, wanted: str, kept: Iterable[str]) -> None:
        self.corpus = corpus
        models = ", ".join(f"'{model}'" for model in sorted(kept))
        super().__init__(
            f"corpus '{corpus}' was indexed {f'with {models}' if models else 'without an embedder'}, "
            f"but its embedder is '{wanted}'",
            fix=remedy(corpus, root),
        )


class OtherRootError(ContextError):
    """The index of a corpus was made from another folder than the declared one."""

    def __init__(self, corpus: str, root: Path, *, kept: Path) -> None:
        self.corpus = corpus
        super().__init__(
            f"corpus '{corpus}' was indexed from {kept}, not from {root}",
            fix=f"Rename one of them, or replace the index. {index_command(corpus, root)} --replace",
        )


def partial_index(corpus: str, *, is_being_made: bool | None) -> str:
    """What is wrong with an index that is not complete; None: nobody can tell which of both it is."""
    why = {
        True: "it is being made at this moment",
        False: "its making was interrupted",
        None: "it is being made, or that was interrupted",
    }
    return f"the index of corpus '{corpus}' is not complete: {why[is_being_made]}"


def finishing(corpus: str, root: Path | None, *, is_being_made: bool | None) -> str:
    """What to do about an index that is not complete."""
    if is_being_made:
        return "Wait until that has finished"
    again = remedy(corpus, root)
    return (
        again
        if is_being_made is False
        else f"Wait until that has finished, or begin again. {again}"
    )


def waiting_vectors(corpus: str, blocks: int, embedded: int, root: Path | None) -> str:
    """What a search says of blocks that wait for the vectors of the corpus' embedder."""
    those = "1 block" if blocks == 1 else f"{blocks:,} blocks"
    call = "Call `Corpus.embed_waiting`." if root is None else index_command(corpus, root)
    have = "has" if blocks == 1 else "have"
    made = f"; this search embedded {embedded} of them" if embedded else ""
    return f"{those} of corpus '{corpus}' {have} only quick vectors so far{made}. {call}"


def missing_vectors(corpus: str, blocks: int, model: str) -> str:
    """What a search says of blocks that were written without the corpus' embedder."""
    those, have = ("1 block", "has") if blocks == 1 else (f"{blocks:,} blocks", "have")
    return (
        f"{those} of corpus '{corpus}' {have} no vector of its embedder '{model}', so a search by meaning "
        f"does not find {'it' if blocks == 1 else 'them'}. Call `Corpus.embed_waiting`."
    )


def remedy(corpus: str, root: Path | None) -> str:
    """What to do to fill a corpus."""
    return _PUT if root is None else index_command(corpus, root)


def index_command(corpus: str, root: Path) -> str:
    """What to run to bring the index of a corpus up to date."""
    command = ["biblicus-context", "index", str(root), "--corpus", corpus]
    return f"Run: {shlex.join(command)}"
