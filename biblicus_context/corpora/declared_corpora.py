"""The corpora that a project declares, and those that are passed from Python, opened when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from biblicus_context.base.forks import child_lock
from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.stale_watch import StaleWatch
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.stores import Principal

OpenCorpus: TypeAlias = Callable[[CorpusDeclaration, Principal], Corpus]


class DeclaredCorpora:
    """Corpora by name; each is opened once, whoever reads it."""

    def __init__(
        self,
        declared: Mapping[str, CorpusDeclaration],
        passed: Mapping[str, Corpus],
        open_corpus: OpenCorpus,
    ) -> None:
        self._declared = declared
        self._passed = passed
        self._open = open_corpus
        self._opened: dict[str, Corpus] = {}
        self._watches: dict[str, StaleWatch] = {}
        self._lock = child_lock()

    def knows(self, name: str) -> bool:
        """Whether a corpus of this name is passed, or declared with a root or a store."""
        declared = self._declared.get(name)
        return name in self._passed or (
            declared is not None and ("root" in declared.config or "store" in declared.config)
        )

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
        with self._lock:
            # One for all principals of a workspace: what it compares are the files.
            if name not in self._watches:
                self._watches[name] = StaleWatch(corpus)
            return self._watches[name].warning
