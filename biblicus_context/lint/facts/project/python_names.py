"""What a project declares, together with what its settings say that Python hands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biblicus_context.assembly.compaction import Compaction
from biblicus_context.assembly.limits import Yardsticks
from biblicus_context.lint.engine.settings import Known, Settings
from biblicus_context.lint.facts.project.declarations import Declared, Entry
from biblicus_context.reading.uses import Noun
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.text.compactors.registry import Entry as Compactor
from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.counters import Counters
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.models.table import ModelTable


def declared_by(entries: Sequence[Entry], settings: Settings, *, is_whole: bool = True) -> Declared:
    """Everything that rules may ask of a project."""
    known = settings.known
    table = model_table(known)
    compactors = Compaction(_compactors(entries, known), _unseen)
    return Declared(
        entries,
        Yardsticks(Counters(models=table), table, compactors, Conversation()),
        handed_in=names_handed_in(known),
        counters=frozenset(known.counters),
        model=settings.model,
        is_whole=is_whole,
    )


def names_handed_in(known: Known) -> Mapping[Noun, frozenset[str]]:
    """The names that Python adds, by what they are names of."""
    return {
        "pack": frozenset((*known.contexts, *known.retrievers)),
        "policy": frozenset(known.policies),
        "corpus": frozenset(known.corpora),
        "compactor": frozenset(known.compactors),
    }


def model_table(known: Known) -> ModelTable:
    """The models that policies may name; raises LoadError where their file is wrong."""
    return ModelTable.from_file(known.models_file) if known.models_file else ModelTable.shipped()


def _compactors(entries: Sequence[Entry], known: Known) -> Mapping[str, Compactor]:
    """By name; those of Python are never called here, they only have to be there."""
    declared = (entry.declaration for entry in entries if entry.kind == "compactor")
    return {
        **dict.fromkeys(known.compactors, _unseen),
        **{each.name: each.config for each in declared if isinstance(each, CompactorDeclaration)},
    }


def _unseen(request: CompactionRequest) -> str:
    raise NotImplementedError(f"the linter shortens nothing: {request}")
