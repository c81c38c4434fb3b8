"""The retrievers that a project declares over its own corpora; they need no Python."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Literal, Self

from biblicus_context.base.forks import child_lock
from biblicus_context.base.logs import logger
from biblicus_context.corpora.answer_cache import RememberedAnswers
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.declared_corpora import DeclaredCorpora, OpenCorpus
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.corpora.search.parts import BUILT_IN, Parts
from biblicus_context.corpora.search.settings import SearchSettings
from biblicus_context.embedders import AllowedKeys, KeyHosts
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.stores import Principal, checks
from biblicus_context.text.counters import Counters

__all__ = ["DeclaredRetrievers", "Parts"]


class DeclaredRetrievers:
    """Builds retrievers when they are first used; those of one corpus share its store."""

    def __init__(
        self,
        retrievers: Mapping[str, RetrieverDeclaration],
        corpora: Mapping[str, CorpusDeclaration],
        principal: Principal | None = None,
        *,
        passed: Mapping[str, Corpus] | None = None,
        open_corpus: OpenCorpus | None = None,
        parts: Parts = BUILT_IN,
        counters: Counters | None = None,
        allow_keys: KeyHosts | None = None,
    ) -> None:
        """`open_corpus` opens a declared corpus when it is first searched; by default `Corpus.open`.

        The corpora that are `passed` come before those declared under their names.
        """
        self._retrievers = retrievers
        opener = open_corpus or _opener(AllowedKeys.of(allow_keys))
        self._corpora = DeclaredCorpora(corpora, passed or {}, opener)
        self._principal = principal
        self._parts = parts
        self._counters = counters
        self._settings: dict[str, SearchSettings] = {}
        self._answers: dict[str, RememberedAnswers] = {}
        self._built: dict[str, CorpusRetriever] = {}
        self._lock = child_lock()

    def for_principal(self, principal: Principal) -> Self:
        """The same retrievers as another principal; stores, embedders and answers are shared."""
        found = copy(self)
        found._principal = checks.known(principal)
        found._built = {}
        found._lock = child_lock()  # of `_built` alone: the entries of the shared ones never change
        return found

    def knows(self, name: str) -> bool:
        """Whether a retriever of this name is declared, with a known `retriever_id` and a corpus."""
        declaration = self._retrievers.get(name)
        return (
            declaration is not None
            and self._parts.kind(declaration.config.get("retriever_id")) is not None
            and self._corpora.knows(_corpus_name(declaration))
        )

    def get(self, name: str) -> CorpusRetriever | None:
        """The retriever of this name, or None if it is not declared over a corpus of ours.

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
        """Index every corpus of files that a retriever uses: those without an index, or stale ones too."""
        used = {_corpus_name(each) for name, each in self._retrievers.items() if self.knows(name)}
        for name in sorted(used):
            corpus = self._corpora.get(name, self._principal)
            is_there = corpus.index.exists and not corpus.index.is_partial
            if corpus.root and (which == "stale" or not is_there):
                done = corpus.ingest()
                read = len(done.added) + len(done.changed)
                said = "corpus '%s' is indexed (files: %d read, %d removed)"
                logger("corpora").info(said, corpus.name, read, len(done.removed))

    def _build(self, name: str) -> CorpusRetriever | None:
        declaration = self._retrievers.get(name)
        if declaration is None or declaration.config.get("retriever_id") is None:
            return None
        corpus = _corpus_name(declaration)
        if not self._corpora.knows(corpus):
            return None
        if name not in self._settings:
            # Parsed before the corpus is opened: a mistake in a plan needs no index to be reported.
            place = f"retriever '{name}' config"
            self._settings[name] = SearchSettings.parse(
                declaration.config, self._parts, place=place
            )
        built = CorpusRetriever(
            self._corpora.get(corpus, self._principal).index,
            self._settings[name],
            counters=self._counters,
            warning=self._corpora.warning(corpus, self._principal),
            answers=self._answers.get(name),
        )
        if built.answers is not None:
            # Two principals may build it at once: both use what the first one remembers.
            built.answers = self._answers.setdefault(name, built.answers)
        return built


def _corpus_name(retriever: RetrieverDeclaration) -> str:
    return str(retriever.config.get("corpus") or retriever.corpus)


def _opener(allowed: AllowedKeys) -> OpenCorpus:
    return lambda declaration, principal: Corpus.open(
        declaration, principal=principal, allow_keys=allowed
    )
