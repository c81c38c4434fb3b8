"""What can be wrong with a corpus itself."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from biblicus_context.errors import ContextError


class NotIndexedError(ContextError):
    """A corpus is asked before its files were read; the message has the command that reads them."""

    def __init__(self, corpus: str, root: Path) -> None:
        self.corpus = corpus
        super().__init__(f"corpus '{corpus}' has never been indexed", fix=_run_index(corpus, root))


class OtherEmbedderError(ContextError):
    """The vectors of a corpus are of other models than its embedder's, so they cannot be compared."""

    def __init__(self, corpus: str, root: Path, *, wanted: str, kept: Iterable[str]) -> None:
        self.corpus = corpus
        models = ", ".join(f"'{model}'" for model in sorted(kept))
        super().__init__(
            f"corpus '{corpus}' was indexed {f'by {models}' if models else 'without an embedder'}, "
            f"and is asked by '{wanted}'",
            fix=_run_index(corpus, root),
        )


class OtherRootError(ContextError):
    """The index of a corpus is of other files than those it is declared with."""

    def __init__(self, corpus: str, root: Path, *, kept: Path) -> None:
        self.corpus = corpus
        super().__init__(
            f"corpus '{corpus}' was indexed from {kept}, and is asked for {root}",
            fix=f"Give one of them another name, or replace the index. "
            f"{_run_index(corpus, root)} --replace",
        )


def _run_index(corpus: str, root: Path) -> str:
    command = ["biblicus-context", "index", str(root), "--corpus", corpus]
    return f"Run: {shlex.join(command)}"
