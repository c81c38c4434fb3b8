"""The declarations of a project, with the names that Python code passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from biblicus_context.assembly.limits import Yardsticks
from biblicus_context.lint.engine.settings import LintSettings, PythonNames
from biblicus_context.lint.facts.project.declarations import DeclarationEntry, Declarations
from biblicus_context.reading.outline import Noun
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import Counters
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from biblicus_context.text.compactors import CompactionRequest
    from biblicus_context.text.compactors.registry import CompactorEntry


def declarations_of(
    entries: Sequence[DeclarationEntry],
    settings: LintSettings,
    *,
    partly_read: Sequence[DeclarationEntry] = (),
    is_whole: bool = True,
) -> Declarations:
    """The declarations of a project with its settings, as rules receive them."""
    known = settings.known
    table = model_table(known)
    compactors = Compaction(_compactors(entries, known), _unseen)
    return Declarations(
        entries,
        Yardsticks(Counters(models=table), table, compactors, Conversation()),
        from_python=names_from_python(known),
        counters=frozenset(known.counters),
        model=settings.model,
        partly_read=partly_read,
        is_whole=is_whole,
    )


def names_from_python(known: PythonNames) -> Mapping[Noun, frozenset[str]]:
    """The names that Python code passes, by what they name."""
    return {
        "pack": frozenset((*known.contexts, *known.retrievers)),
        "policy": frozenset(known.policies),
        "format": frozenset(known.formats),
        "corpus": frozenset(known.corpora),
        "compactor": frozenset(known.compactors),
    }


def model_table(known: PythonNames) -> ModelTable:
    """The models that policies may name; raises LoadError where their file is wrong."""
    return ModelTable.from_file(known.models_file) if known.models_file else ModelTable.shipped()


def _compactors(
    entries: Sequence[DeclarationEntry], known: PythonNames
) -> Mapping[str, CompactorEntry]:
    """By name; a function from Python is never called here, its name only has to exist."""
    declared = (entry.declaration for entry in entries if entry.kind == "compactor")
    return {
        **dict.fromkeys(known.compactors, _unseen),
        **{each.name: each.config for each in declared if isinstance(each, CompactorDeclaration)},
    }


def _unseen(request: CompactionRequest) -> str:
    raise NotImplementedError(f"the linter shortens nothing: {request}")
