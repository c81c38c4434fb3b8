"""Errors of a corpus as a whole."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from biblicus_context.errors import ContextError


class NotIndexedError(ContextError):
    """A corpus has no index yet; the message has the command that makes it."""

    def __init__(self, corpus: str, root: Path) -> None:
        self.corpus = corpus
        super().__init__(
            f"corpus '{corpus}' has never been indexed", fix=index_command(corpus, root)
        )


class OtherEmbedderError(ContextError):
    """The vectors of a corpus are of other models than its embedder, so they cannot be compared."""

    def __init__(self, corpus: str, root: Path, *, wanted: str, kept: Iterable[str]) -> None:
        self.corpus = corpus
        models = ", ".join(f"'{model}'" for model in sorted(kept))
        super().__init__(
            f"corpus '{corpus}' was indexed {f'with {models}' if models else 'without an embedder'}, "
            f"but its embedder is '{wanted}'",
            fix=index_command(corpus, root),
        )


class OtherRootError(ContextError):
    """The index of a corpus was made from another folder than the declared one."""

    def __init__(self, corpus: str, root: Path, *, kept: Path) -> None:
        self.corpus = corpus
        super().__init__(
            f"corpus '{corpus}' was indexed from {kept}, not from {root}",
            fix=f"Rename one of them, or replace the index. {index_command(corpus, root)} --replace",
        )


def index_command(corpus: str, root: Path) -> str:
    """What to run to bring the index of a corpus up to date."""
    command = ["biblicus-context", "index", str(root), "--corpus", corpus]
    return f"Run: {shlex.join(command)}"
