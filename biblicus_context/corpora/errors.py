"""What can be wrong with a corpus itself."""

from __future__ import annotations

import shlex
from pathlib import Path

from biblicus_context.errors import ContextError


class NotIndexedError(ContextError):
    """A corpus is asked before its files were read; the message has the command that reads them."""

    def __init__(self, corpus: str, root: Path) -> None:
        self.corpus = corpus
        command = shlex.join(
            ["biblicus-context", "index", str(root), "--corpus", corpus],
        )
        super().__init__(f"corpus '{corpus}' has never been indexed", fix=f"Run: {command}")
