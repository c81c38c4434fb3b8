"""What Tactus prepares before a procedure runs: indexes of Biblicus, and now ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from biblicus_context.integrations.tactus.declared import ProcedureDeclarations
from biblicus_context.integrations.tactus.own_corpora import open_corpus, own_corpus

if TYPE_CHECKING:
    from biblicus_context.integrations.tactus.engine import Engine


class Runtime(Protocol):
    """What is read of the object that runs a procedure."""

    @property
    def registry(self) -> Any: ...
    @property
    def dependency_mode(self) -> str: ...


def preparing(
    engine: Engine, of_biblicus: Callable[[Any, str], None]
) -> Callable[[Runtime, str], None]:
    """In place of what would make a corpus of Biblicus of the folder of any declared retriever."""

    def prepare(runtime: Runtime, retriever_name: str) -> None:
        declared = ProcedureDeclarations.by_procedure(
            None, runtime.registry.retrievers, runtime.registry.corpora, None
        )
        corpus = own_corpus(declared.retrievers[retriever_name], declared.corpora)
        if corpus is None:
            of_biblicus(runtime, retriever_name)
        elif runtime.dependency_mode == "auto":
            with open_corpus(corpus, engine.principal) as opened:
                opened.ingest()

    return prepare
