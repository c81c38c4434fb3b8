"""The retrievers that a project declares over its own corpora; they need no Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from copy import copy
from typing import Final, Literal, Self, TypeAlias

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.forks import child_lock
from biblicus_context.base.joining import holding
from biblicus_context.base.logs import logger
from biblicus_context.corpora.answer_cache import RememberedAnswers
from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.errors import remedy
from biblicus_context.corpora.outside.kinds import Outside, outside, outside_kind
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.corpora.search.settings import BUILT_IN, Parts, SearchSettings
from biblicus_context.corpora.staleness import Staleness, measure_staleness
from biblicus_context.embedders import AllowedKeys, KeyHosts
from biblicus_context.errors import ContextError, InputError, PlanError
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.corpus import CorpusDeclaration, has_index
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.stores import Principal, checks
from biblicus_context.text.counters import Counters

__all__ = ["DeclaredCorpora", "DeclaredRetrievers", "Parts"]


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
        allow_keys: KeyHosts | AllowedKeys | None = None,
    ) -> None:
        """`open_corpus` opens a declared corpus when it is first searched; by default `Corpus.open`.

        The corpora that are `passed` come before those declared under their names.
        """
        self._retrievers = retrievers
        self._allowed = AllowedKeys.of(allow_keys)
        opener = open_corpus or _opener(self._allowed)
        self._corpora = DeclaredCorpora(corpora, passed or {}, opener)
        self._principal = principal
        self._parts = parts
        self._counters = counters
        self._settings: dict[str, SearchSettings] = {}
        self._answers: dict[str, RememberedAnswers] = {}
        self._outside: dict[str, Outside] = {}
        self._built: dict[str, DeclaredRetriever] = {}
        self._lock = child_lock()

    def for_principal(self, principal: Principal) -> Self:
        """The same retrievers as another principal; stores, embedders and answers are shared."""
        found = copy(self)
        found._principal = checks.known(principal)
        found._built = {}
        found._lock = child_lock()  # of `_built` alone: the entries of the shared ones never change
        return found

    def knows(self, name: str) -> bool:
        """Whether a retriever of this name is declared: with a known `retriever_id`, and a corpus if it needs one."""
        declaration = self._retrievers.get(name)
        return declaration is not None and (
            outside_kind(declaration.config) is not None or self._searches_corpus(declaration)
        )

    def _searches_corpus(self, declaration: RetrieverDeclaration) -> bool:
        return self._parts.kind(
            declaration.config.get("retriever_id")
        ) is not None and self._corpora.knows(_corpus_name(declaration))

    def get(self, name: str) -> DeclaredRetriever | None:
        """The retriever of this name, or None if it is of another library.

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
        used = {
            _corpus_name(each) for each in self._retrievers.values() if self._searches_corpus(each)
        }
        for name in sorted(used):
            corpus = self._corpora.get(name, self._principal)
            is_there = corpus.index.exists and not corpus.index.is_partial
            if corpus.root and (which == "stale" or not is_there):
                done = corpus.ingest()
                read = len(done.added) + len(done.changed)
                said = "corpus '%s' is indexed (files: %d read, %d removed)"
                logger("corpora").info(said, corpus.name, read, len(done.removed))

    def _build(self, name: str) -> DeclaredRetriever | None:
        declaration = self._retrievers.get(name)
        if declaration is None or declaration.config.get("retriever_id") is None:
            return None
        if outside_kind(declaration.config) is not None:
            return self._build_outside(name, declaration)
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

    def _build_outside(self, name: str, declaration: RetrieverDeclaration) -> DeclaredRetriever:
        """What all principals share of it, such as connections, is made once."""
        kind = outside_kind(declaration.config)
        assert kind is not None
        if declaration.corpus is not None:
            raise PlanError(
                f"'{declaration.config['retriever_id']}' searches no corpus",
                place=f"retriever '{name}' corpus",
                found=declaration.corpus,
                fix="Remove it.",
            )
        if name not in self._outside:
            place = f"retriever '{name}' config"
            made = outside(kind, declaration.config, place=place, allow_keys=self._allowed)
            self._outside[name] = made
        return self._outside[name].retriever(self._principal or LOCAL)


def _corpus_name(retriever: RetrieverDeclaration) -> str:
    return str(retriever.config.get("corpus") or retriever.corpus)


def _opener(allowed: AllowedKeys) -> OpenCorpus:
    return lambda declaration, principal: Corpus.open(
        declaration, principal=principal, allow_keys=allowed
    )


_MOST_WATCHES: Final = 64

DeclaredRetriever: TypeAlias = CorpusRetriever | Callable[[ContextRetrieverRequest], ContextPack]
"""One over a corpus of ours, or one that asks a database that people already have."""

OpenCorpus: TypeAlias = Callable[[CorpusDeclaration, Principal], Corpus]


class DeclaredCorpora:
    """Corpora by name; each is opened once, whoever reads it."""

    def __init__(
        self,
        declared: Mapping[str, CorpusDeclaration],
        passed: Mapping[str, Corpus],
        open_corpus: OpenCorpus,
    ) -> None:
        for name, corpus in passed.items():
            if not isinstance(corpus, Corpus):
                raise InputError(
                    "an open corpus is expected",
                    place=f"corpora '{name}'",
                    found=type(corpus).__name__,
                    fix="Pass declarations as corpus_registry.",
                )
        self._declared = declared
        self._passed = passed
        self._open = open_corpus
        self._opened: dict[str, Corpus] = {}
        self._watches = BoundedMemory[tuple[str, str], StaleWatch](_MOST_WATCHES)
        self._lock = child_lock()

    def knows(self, name: str) -> bool:
        """Whether a corpus of this name is passed, or declared with a root or a store."""
        declared = self._declared.get(name)
        return name in self._passed or (declared is not None and has_index(declared.config))

    def get(self, name: str, principal: Principal | None) -> Corpus:
        """The corpus as a principal; without one, as whom it was passed."""
        with self._lock:
            if name in self._passed:
                corpus = self._passed[name]
                return corpus if principal is None else corpus.for_principal(principal)
            known = principal or LOCAL
            if name not in self._opened:
                self._opened[name] = self._open(self._declared[name], known)
            return self._opened[name].for_principal(known)

    def warning(self, name: str, principal: Principal | None) -> Callable[[], str | None]:
        """What says, now and then, that the index of a corpus is stale."""
        corpus = self.get(name, principal)
        if corpus.root is None:
            return lambda: None
        # One for all users of a workspace: what it compares are the files.
        of = name, corpus.principal.workspace
        return self._watches.get_or_compute(of, lambda: StaleWatch(corpus)).warning


_SECONDS: Final = 60.0
_PART_OF_TIME: Final = 0.01
"""The part of the time that comparing files with the index may take."""


class StaleWatch:
    """Compares the files of a corpus with its index: at the first request, then now and then.

    A walk through a large folder takes long, so it is repeated after a minute at the earliest, and
    takes 1 % of the time at most.
    """

    def __init__(self, corpus: Corpus, clock: Callable[[], float] = time.monotonic) -> None:
        self._corpus = corpus
        self._clock = clock
        self._next = float("-inf")
        self._known: str | None = None
        self._lock = child_lock()

    def warning(self) -> str | None:
        """What a receipt has to say; None if the index is up to date, or nobody can know."""
        with holding(self._lock):
            began = self._clock()
            if began >= self._next:
                self._known = self._measured()
                if self._known is not None:
                    logger("corpora").warning("%s", self._known)
                took = self._clock() - began
                self._next = began + max(_SECONDS, took / _PART_OF_TIME)
            return self._known

    def _measured(self) -> str | None:
        try:
            found = measure_staleness(self._corpus)
        except (OSError, ContextError):  # what prevents a search is raised by the search
            return None
        if found is None or not found.is_stale:
            return None
        return _said(self._corpus, found)


def _said(corpus: Corpus, found: Staleness) -> str:
    kinds = {"new": found.new, "changed": found.changed, "removed": found.gone}
    listed = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    noun = "file" if corpus.history is None else "commit"
    nouns = noun if sum(kinds.values()) == 1 else f"{noun}s"
    command = remedy(corpus.name, corpus.root)
    return f"the index of corpus '{corpus.name}' is stale ({listed} {nouns}). {command}"
