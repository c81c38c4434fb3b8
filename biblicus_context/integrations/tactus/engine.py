"""The engine of Tactus: assemblers for what procedures declare, remembered between turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import Any, Final

from biblicus_context import (
    ContextAssembler,
    ContextAssemblyResult,
    Principal,
    Project,
    load_project,
)
from biblicus_context.integrations.tactus.declared import ProcedureDeclarations, Registry
from biblicus_context.integrations.tactus.library import retriever_router
from biblicus_context.integrations.tactus.own_corpora import own_retrievers
from biblicus_context.integrations.tactus.turn import TurnAssembler

_REMEMBERED: Final = 16
"""Procedures whose assemblers are kept, with their open corpora and summaries."""

_NO_FILES: Final = Project(
    contexts={},
    retrievers={},
    corpora={},
    compactors={},
    policies={},
    formats={},
    sources={},
    declared_roots={},
)

Observer = Callable[[ContextAssemblyResult], None]


class Engine:
    """Assembles for every procedure of a process.

    `paths` are files and folders of YAML whose contexts, retrievers, corpora, compactors and
    policies a procedure can use by name; `on_assembled` sees every result.
    """

    def __init__(
        self,
        paths: Iterable[str | Path] = (),
        *,
        principal: Principal | None = None,
        on_assembled: Observer | None = None,
    ) -> None:
        given = tuple(paths)
        self.project = load_project(*given) if given else _NO_FILES
        self.principal = principal
        self.on_assembled = on_assembled
        self._known: list[tuple[ProcedureDeclarations, ContextAssembler]] = []
        self._lock = Lock()

    def for_registries(
        self,
        context_registry: Registry,
        retriever_registry: Registry = None,
        corpus_registry: Registry = None,
        compactor_registry: Registry = None,
        default_retriever: Callable[[Any], Any] | None = None,
    ) -> TurnAssembler:
        """What an agent makes in each turn, in place of Tactus' own `ContextAssembler`."""
        declared = ProcedureDeclarations.by_procedure(
            context_registry, retriever_registry, corpus_registry, compactor_registry
        )
        contexts = {**self.project.contexts, **declared.contexts}
        return TurnAssembler(
            self.assembler(declared, default_retriever), contexts, self.on_assembled
        )

    def assembler(
        self, declared: ProcedureDeclarations, default_retriever: Callable[[Any], Any] | None = None
    ) -> ContextAssembler:
        """The assembler for these declarations and the project's: the one that is known, or new."""
        whole = declared.within(self.project)
        if default_retriever is not None:
            return self._made(whole, default_retriever)
        with self._lock:
            for place, (known, assembler) in enumerate(self._known):
                if known == whole:
                    self._known.append(self._known.pop(place))
                    return assembler
            assembler = self._made(whole, None)
            self._known = [*self._known[1 - _REMEMBERED :], (whole, assembler)]
            return assembler

    def _made(
        self, declared: ProcedureDeclarations, default_retriever: Callable[[Any], Any] | None
    ) -> ContextAssembler:
        return ContextAssembler(
            declared.contexts,
            declared.retrievers,
            declared.corpora,
            declared.compactors,
            default_retriever or retriever_router(declared.corpora, declared.retrievers),
            policy_registry=self.project.policies,
            format_registry=self.project.formats,
            retriever_functions=own_retrievers(
                declared.retrievers, declared.corpora, self.principal
            ),
        )
