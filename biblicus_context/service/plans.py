"""The plans that are served: read again when their files change, all of them or none."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from biblicus_context import ContextAssembler, load_project
from biblicus_context.assembly import IndexWhen
from biblicus_context.base import BoundedMemory, logger, state_of, wait_for_change
from biblicus_context.corpora import LOCAL, Corpus
from biblicus_context.errors import ContextError
from biblicus_context.reading import Project, revision
from biblicus_context.spec import CorpusDeclaration, InputSpec
from biblicus_context.stores import Principal

_MOST_PRINCIPALS: Final = 128
_MOST_REVISIONS: Final = 4
"""Of which the plans are kept, so that a slider need not ask git again."""


class SharedCorpus(Corpus):
    """Files of the operator, which callers of every workspace read: as themselves, in the workspace of the files."""

    def for_principal(self, principal: Principal) -> Self:
        """The same corpus as another principal, whose workspace does not matter."""
        return super().for_principal(replace(principal, workspace=self.principal.workspace))


@dataclass(frozen=True)
class ServedPlans:
    """The plans of one moment."""

    project: Project
    assembler: ContextAssembler
    corpora: Mapping[str, Corpus]
    _as: BoundedMemory[Principal, ContextAssembler] = field(
        default_factory=lambda: BoundedMemory(_MOST_PRINCIPALS)
    )

    def assembler_of(self, principal: Principal) -> ContextAssembler:
        """The assembler of a principal: its retrievers are made once, and remember what they ranked."""
        return self._as.get_or_compute(principal, lambda: self.assembler.for_principal(principal))

    def inputs(self, context: str) -> Mapping[str, InputSpec]:
        """The inputs of a context."""
        return self.assembler.inputs(context)


class LivePlans:
    """The plans of some files; while they have a mistake, those of before are served."""

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        principal: Principal = LOCAL,
        index: IndexWhen = "missing",
        corpora: Mapping[str, Corpus] | None = None,
        seconds: float = 1.0,
        **registries: Any,
    ) -> None:
        """`registries` are the other arguments of an assembler, such as `default_retriever`."""
        self.paths = [Path(each) for each in paths]
        self._principal, self._index, self._seconds = principal, index, seconds
        self._passed, self._registries = dict(corpora or {}), registries
        self._opened: dict[str, tuple[CorpusDeclaration, Corpus]] = {}
        self._earlier = BoundedMemory[str, ServedPlans](_MOST_REVISIONS)
        self.problem: ContextError | None = None
        """Why the newest files are not served."""
        self._stop = threading.Event()
        self._state = state_of(self.paths)
        self.now = self._read()

    def look(self) -> None:
        """Look for changed files in a thread, until `close`."""
        threading.Thread(target=self._look, name="biblicus-context-plans", daemon=True).start()

    def reload(self) -> bool:
        """Read the files again; False if they have a mistake, which is in `problem`."""
        try:
            self.now = self._read()
        except ContextError as error:
            self.problem = error
            logger("service").error("the plans are as they were: %s", error)
            return False
        self.problem = None
        logger("service").info(
            "the plans were read again: %d contexts", len(self.now.project.contexts)
        )
        return True

    def at(self, name: str) -> ServedPlans:
        """The plans as they were at a revision of their repository, over the corpora of now."""
        where = self.paths[0].resolve()
        found = revision(name, where if where.is_dir() else where.parent)
        if (known := self._earlier.get(found.commit)) is not None:
            return known
        folders = [str(each.resolve().relative_to(found.top)) for each in self.paths]
        with found.checked_out(folders) as home:
            places = [home / each for each in folders]
            plans = self._served(places, self._project(places), self.now.corpora)
        self._earlier.put(found.commit, plans)
        return plans

    def close(self) -> None:
        """Stop looking for changes, and close the corpora that were opened here."""
        self._stop.set()
        for _, corpus in self._opened.values():
            corpus.close()

    def _look(self) -> None:
        state: Any = self._state
        while state is not None:
            seconds = {"interval": self._seconds, "quiet": self._seconds / 4}
            state = wait_for_change(lambda: state_of(self.paths), state, stop=self._stop, **seconds)
            if state is not None:
                self.reload()

    def _read(self) -> ServedPlans:
        project = self._project(self.paths)
        plans = self._served(self.paths, project, self._open(project))
        plans.assembler.warm_up()  # a mistake is reported now, and the first caller waits for nothing
        return plans

    def _project(self, paths: Sequence[Path]) -> Project:
        return load_project(*paths, also={*self._passed, *self._names_from_python})

    def _served(
        self, paths: Sequence[Path], project: Project, corpora: Mapping[str, Corpus]
    ) -> ServedPlans:
        declared = {name: each for name, each in corpora.items() if name in project.corpora}
        own = {**declared, **self._passed}
        assembler = ContextAssembler.from_path(
            *paths, corpora=own, principal=self._principal, **self._registries
        )
        return ServedPlans(project, assembler, own)

    @property
    def _names_from_python(self) -> set[str]:
        registries = self._registries.values()
        return {name for each in registries if isinstance(each, Mapping) for name in each}

    def _open(self, project: Project) -> dict[str, Corpus]:
        """The declared corpora; one that is declared as before stays open."""
        found: dict[str, Corpus] = {}
        for name, declared in project.corpora.items():
            if name in self._passed or not {"root", "store"} & declared.config.keys():
                continue
            before = self._opened.get(name)
            if before is None or before[0] != declared:
                self._opened[name] = declared, self._opened_corpus(declared)
            found[name] = self._opened[name][1]
        return found

    def _opened_corpus(self, declared: CorpusDeclaration) -> Corpus:
        kind = SharedCorpus if "root" in declared.config else Corpus
        allowed = self._registries.get("allow_keys")
        corpus = kind.open(declared, principal=self._principal, allow_keys=allowed)
        is_there = corpus.index.exists and not corpus.index.is_partial
        if corpus.root and (self._index == "stale" or (self._index == "missing" and not is_there)):
            corpus.ingest()
        return corpus
