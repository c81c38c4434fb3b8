"""The retrievers that a project declares over its own corpora; they need no Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from biblicus_context.base.forks import child_lock
from biblicus_context.base.logs import logger
from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.corpora.search.parts import Parts
from biblicus_context.corpora.search.settings import SearchSettings
from biblicus_context.corpora.stale_watch import StaleWatch
from biblicus_context.embedders import AllowedKeys, KeyHosts
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.stores import Principal
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import Counters


class DeclaredRetrievers:
    """Builds retrievers when they are first used; those of one corpus share its store."""

    def __init__(
        self,
        retrievers: Mapping[str, RetrieverDeclaration],
        corpora: Mapping[str, CorpusDeclaration],
        principal: Principal | None = None,
        *,
        open_corpus: Callable[[CorpusDeclaration, Principal], Corpus] | None = None,
        parts: Mapping[str, Mapping[str, Any]] | None = None,
        counters: Counters | None = None,
        allow_keys: KeyHosts | None = None,
        compactors: Compaction | None = None,
    ) -> None:
        """`open_corpus` opens a declared corpus when it is first searched; by default `Corpus.open`."""
        self._retrievers = retrievers
        self._corpora = corpora
        self._principal = principal or LOCAL
        self._open_corpus = open_corpus or _opener(AllowedKeys.of(allow_keys))
        self._parts = Parts.of(parts, compactors=compactors)
        self._counters = counters
        self._opened: dict[str, Corpus] = {}
        self._watches: dict[str, StaleWatch] = {}
        self._built: dict[str, CorpusRetriever] = {}
        self._lock = child_lock()

    def knows(self, name: str) -> bool:
        """Whether a retriever of this name is declared, with a known `retriever_id` and a corpus."""
        declaration = self._retrievers.get(name)
        return (
            declaration is not None
            and self._parts.kind(declaration.config.get("retriever_id")) is not None
            and self._corpus_of(declaration) is not None
        )

    def get(self, name: str) -> CorpusRetriever | None:
        """The retriever of this name, or None if it is not declared over a corpus with a root.

        An unknown `retriever_id` is an error.
        """
        with self._lock:
            if name not in self._built:
                retriever = self._build(name)
                if retriever is None:
                    return None
                self._built[name] = retriever
            return self._built[name]

    def index(self, which: Literal["missing", "stale"]) -> None:
        """Index every corpus that a retriever uses: those without an index, or those that are stale too."""
        used = [
            self._corpus_of(each) for name, each in self._retrievers.items() if self.knows(name)
        ]
        for declaration in {each.name: each for each in used if each is not None}.values():
            corpus = self._corpus(declaration)
            if which == "stale" or not corpus.index.exists:
                done = corpus.ingest()
                read = len(done.added) + len(done.changed)
                said = "corpus '%s' is indexed (files: %d read, %d removed)"
                logger("corpora").info(said, corpus.name, read, len(done.removed))

    def _build(self, name: str) -> CorpusRetriever | None:
        declaration = self._retrievers.get(name)
        if declaration is None or declaration.config.get("retriever_id") is None:
            return None
        corpus = self._corpus_of(declaration)
        if corpus is None:
            return None
        place = f"retriever '{name}' config"
        # Parsed before the corpus is opened: a mistake in a plan needs no index to be reported.
        settings = SearchSettings.parse(declaration.config, self._parts, place=place)
        return CorpusRetriever(
            self._corpus(corpus).index,
            settings,
            counters=self._counters,
            warning=self._watch(corpus).warning,
        )

    def _corpus_of(self, retriever: RetrieverDeclaration) -> CorpusDeclaration | None:
        """The declared corpus that a retriever names, if it has a root."""
        corpus = self._corpora.get(str(retriever.config.get("corpus") or retriever.corpus))
        return corpus if corpus is not None and "root" in corpus.config else None

    def _watch(self, declaration: CorpusDeclaration) -> StaleWatch:
        if declaration.name not in self._watches:
            self._watches[declaration.name] = StaleWatch(self._corpus(declaration))
        return self._watches[declaration.name]

    def _corpus(self, declaration: CorpusDeclaration) -> Corpus:
        if declaration.name not in self._opened:
            self._opened[declaration.name] = self._open_corpus(declaration, self._principal)
        return self._opened[declaration.name]


def _opener(allowed: AllowedKeys) -> Callable[[CorpusDeclaration, Principal], Corpus]:
    return lambda declaration, principal: Corpus.open(
        declaration, principal=principal, allow_keys=allowed
    )
