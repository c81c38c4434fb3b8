"""The corpora that a project declares, and those that are passed from Python, opened when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.forks import child_lock
from biblicus_context.corpora.corpus import LOCAL, Corpus
from biblicus_context.corpora.stale_watch import StaleWatch
from biblicus_context.errors import InputError
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.corpus_settings import has_index
from biblicus_context.stores import Principal

_MOST_WATCHES: Final = 64

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
