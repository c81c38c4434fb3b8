"""Where a corpus lives: beside the file that declares it, whatever folder a program runs in."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.spec.corpus import CorpusDeclaration


def declared_root(corpus: CorpusDeclaration) -> str | None:
    """The root as the author wrote it."""
    root = corpus.config.get("root")
    return root if isinstance(root, str) else None


def with_root_resolved(corpus: CorpusDeclaration, file: str) -> CorpusDeclaration:
    """The corpus with an absolute root; one that is an address stays as it is."""
    root = declared_root(corpus)
    if root is None or "://" in root:
        return corpus
    absolute = str((Path(file).parent / root).resolve())
    return corpus.model_copy(update={"config": {**corpus.config, "root": absolute}})
