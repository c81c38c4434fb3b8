"""Where a corpus lives: beside the file that declares it, whatever folder a program runs in."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.spec.corpus import CorpusDeclaration


def declared_root(corpus: CorpusDeclaration) -> str | None:
    """The root as the author wrote it."""
    root = corpus.config.get("root")
    return root if isinstance(root, str) else None


def with_root_resolved(corpus: CorpusDeclaration, file: str) -> CorpusDeclaration:
    """The corpus with an absolute root and store; one that is an address stays as it is."""
    absolute = {
        setting: str((Path(file).parent / said).resolve())
        for setting in ("root", "store")
        if isinstance(said := corpus.config.get(setting), str) and "://" not in said
    }
    return corpus.model_copy(update={"config": {**corpus.config, **absolute}})
