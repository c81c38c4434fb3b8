"""The folders of a corpus, relative to the file that declares it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from biblicus_context.base.connections import is_connection
from biblicus_context.base.paths import resolved
from biblicus_context.spec.corpus import CorpusDeclaration


def declared_root(corpus: CorpusDeclaration) -> str | None:
    """The root as the author wrote it, before it is resolved."""
    root = corpus.config.get("root")
    return root if isinstance(root, str) else None


def declared_folders(corpus: CorpusDeclaration, file: str) -> Iterator[tuple[str, Path]]:
    """Each setting that names a folder, with that folder; an address of a store names none."""
    for setting in ("root", "store"):
        written = corpus.config.get(setting)
        if isinstance(written, str) and not is_connection(written):
            yield setting, Path(file).parent / written


def with_root_resolved(corpus: CorpusDeclaration, file: str) -> CorpusDeclaration:
    """The corpus with an absolute root and store; one that is an address stays as it is."""
    absolute = {
        setting: str(resolved(folder, setting))
        for setting, folder in declared_folders(corpus, file)
    }
    return corpus.model_copy(update={"config": {**corpus.config, **absolute}})
