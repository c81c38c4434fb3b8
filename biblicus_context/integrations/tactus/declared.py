"""What a procedure declares, typed at the door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from biblicus_context import CorpusDeclaration, Project, RetrieverDeclaration


class Dumps(Protocol):
    """A model of Biblicus."""

    def model_dump(self, *, exclude_none: bool) -> dict[str, Any]:
        """Its fields as plain data, in copies."""
        ...


class TactusSettings(Protocol):
    """A declaration of Biblicus that keeps its settings under `config`."""

    @property
    def config(self) -> Mapping[str, Any]: ...


class OverCorpus(TactusSettings, Protocol):
    """A declaration of Biblicus that names a corpus."""

    @property
    def corpus(self) -> str | None: ...


Registry = Mapping[str, Any] | None


@dataclass(frozen=True)
class ProcedureDeclarations:
    """Declarations by name; a name given by Lua's assignment counts, not the temporary one inside.

    They are copies and compare by content, so that what is built of them can be remembered.
    """

    contexts: Mapping[str, Any] = field(default_factory=dict)
    retrievers: Mapping[str, RetrieverDeclaration] = field(default_factory=dict)
    corpora: Mapping[str, CorpusDeclaration] = field(default_factory=dict)
    compactors: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def by_procedure(
        cls, contexts: Registry, retrievers: Registry, corpora: Registry, compactors: Registry
    ) -> Self:
        """What the registries hold that Tactus fills from Lua."""
        return cls(
            {name: _context(name, each) for name, each in (contexts or {}).items()},
            {name: _retriever(name, each) for name, each in (retrievers or {}).items()},
            {name: _corpus(name, each) for name, each in (corpora or {}).items()},
            {name: _copied(each.config) for name, each in (compactors or {}).items()},
        )

    def within(self, project: Project) -> ProcedureDeclarations:
        """Together with a project's declarations; the procedure's own go first."""
        return ProcedureDeclarations(
            {**project.contexts, **self.contexts},
            {**project.retrievers, **self.retrievers},
            {**project.corpora, **self.corpora},
            {**project.compactors, **self.compactors},
        )


def _context(name: str, declared: Dumps | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(declared, Mapping):
        return {**_copied(declared), "name": name}
    return {**declared.model_dump(exclude_none=True), "name": name}


def _retriever(name: str, declared: OverCorpus) -> RetrieverDeclaration:
    config = _copied(declared.config)
    said = config.pop("retriever_type", None)  # an older word for the same
    if said is not None:
        config.setdefault("retriever_id", said)
    return RetrieverDeclaration(name=name, corpus=declared.corpus, config=config)


def _corpus(name: str, declared: TactusSettings) -> CorpusDeclaration:
    config = _copied(declared.config)
    if "corpus_root" in config:  # what Tactus makes of `root`
        config["root"] = config.pop("corpus_root")
    return CorpusDeclaration(name=name, config=config)


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(each) for each in value]
    return value
