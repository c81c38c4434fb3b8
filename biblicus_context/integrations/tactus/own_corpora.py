"""The declared retrievers that this package answers, from folders that it has indexed itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from biblicus_context import Corpus, CorpusDeclaration, Principal, RetrieverDeclaration
from biblicus_context.integrations.tactus.library import retrievers_of_biblicus

_OF_TACTUS: Final = frozenset({"noaa_afd", "wikitext2"})
_OF_BOTH: Final = frozenset({"hybrid"})
"""A `retriever_id` that Biblicus knows as well."""


def own_corpus(
    retriever: RetrieverDeclaration, corpora: Mapping[str, CorpusDeclaration]
) -> CorpusDeclaration | None:
    """The corpus that a retriever is asked from here; None where it is one for Biblicus.

    The `retriever_id` tells; what both know is Biblicus' where the folder is a corpus of Biblicus.
    """
    corpus = corpora.get(str(retriever.config.get("corpus") or retriever.corpus))
    said = retriever.config.get("retriever_id")
    if corpus is None or said is None or "root" not in corpus.config or said in _OF_TACTUS:
        return None
    if said in retrievers_of_biblicus():
        return corpus if said in _OF_BOTH and not _is_biblicus(corpus) else None
    return corpus


def own_retrievers(
    retrievers: Mapping[str, RetrieverDeclaration],
    corpora: Mapping[str, CorpusDeclaration],
    principal: Principal | None,
) -> dict[str, Callable[[Any], Any]]:
    """What answers for them, by name; those over one corpus share its store."""
    opened: dict[str, Corpus] = {}
    answering: dict[str, Callable[[Any], Any]] = {}
    for name, retriever in retrievers.items():
        corpus = own_corpus(retriever, corpora)
        if corpus is not None:
            if corpus.name not in opened:
                opened[corpus.name] = open_corpus(corpus, principal)
            answering[name] = opened[corpus.name].retriever(retriever.config)
    return answering


def open_corpus(declared: CorpusDeclaration, principal: Principal | None) -> Corpus:
    """The corpus, asked as the principal that the host names."""
    return Corpus.open(declared, principal=principal) if principal else Corpus.open(declared)


def _is_biblicus(corpus: CorpusDeclaration) -> bool:
    return (Path(str(corpus.config["root"])) / "metadata" / "config.json").is_file()
