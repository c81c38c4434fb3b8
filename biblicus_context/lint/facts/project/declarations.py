"""What a project declares as a whole: names, who uses them, and what policies come to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from unicodedata import normalize

from biblicus_context.assembly.graph import DEEPEST, MOST_PACKS, Extent, extents
from biblicus_context.assembly.limits import Limits, Yardsticks, limits_of, with_model
from biblicus_context.base.cycles import find_cycles
from biblicus_context.errors import ContextError
from biblicus_context.lint.facts.project.combined_retrievers import source_name, sources_in
from biblicus_context.reading.compactor_settings import functions_used
from biblicus_context.reading.kinds import Declaration, Kind
from biblicus_context.reading.load import PlanDocument
from biblicus_context.reading.names import NOUN_OF
from biblicus_context.reading.outline import Noun, Outline, outline
from biblicus_context.reading.yaml.tree import Place
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.format import FormatDeclaration, FormatSpec
from biblicus_context.spec.pack import PackOptions
from biblicus_context.spec.policy import ContextPolicySpec, PolicyDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration

_SEPARATORS = re.compile(r"[\W_]+")
_NO_POLICY = ContextPolicySpec()


@dataclass(frozen=True, slots=True)
class DeclarationEntry:
    """A declaration, and its outline: the names it declares and uses."""

    outline: Outline
    declaration: Declaration = field(repr=False, compare=False)
    lost: frozenset[str] = frozenset()
    """The keys under which something that is wrong was left out."""

    @property
    def kind(self) -> Kind:
        return self.outline.kind

    @property
    def name(self) -> str:
        return self.outline.name

    @property
    def file(self) -> str:
        return self.outline.file

    @property
    def place(self) -> Place:
        """Where the name is."""
        return self.outline.place


def entry_of(document: PlanDocument) -> DeclarationEntry:
    """The entry of a document."""
    return DeclarationEntry(outline(document), document.declaration, document.lost or frozenset())


@dataclass(frozen=True, eq=False)
class Declarations:
    """Every declaration of a project, in file order, and the names from Python."""

    entries: Sequence[DeclarationEntry]
    yardsticks: Yardsticks
    from_python: Mapping[Noun, frozenset[str]] = field(default_factory=dict)
    counters: frozenset[str] = frozenset()
    """Names of counters that Python code passes."""
    model: str | None = None
    """Counts tokens instead of the model that a policy names."""
    partly_read: Sequence[DeclarationEntry] = ()
    """Declarations with mistakes, without what is wrong: enough to know what kind of thing they declare."""
    is_whole: bool = True
    """Whether every file could be read; otherwise a name that seems unused may be used."""
    _limits: dict[int, tuple[ContextPolicySpec, Limits | None]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def by_name(self) -> Mapping[tuple[Kind, str], DeclarationEntry]:
        """The first declaration of each kind and name."""
        found: dict[tuple[Kind, str], DeclarationEntry] = {}
        for entry in self.entries:
            found.setdefault((entry.kind, entry.name), entry)
        return found

    @cached_property
    def partly_read_by_name(self) -> Mapping[tuple[Kind, str], DeclarationEntry]:
        """The declarations with mistakes, where no other has the name."""
        found = {(entry.kind, entry.name): entry for entry in self.partly_read}
        return {key: entry for key, entry in found.items() if key not in self.by_name}

    @cached_property
    def used(self) -> Mapping[tuple[Noun, str], Sequence[DeclarationEntry]]:
        """The declarations that use each name."""
        found: dict[tuple[Noun, str], list[DeclarationEntry]] = {}
        for entry in self.entries:
            for use in entry.outline.uses:
                found.setdefault((use.noun, use.name), []).append(entry)
            for base in entry.outline.bases:
                found.setdefault(("pack", base), []).append(entry)
        return found

    @cached_property
    def too_large(self) -> Mapping[str, Extent]:
        """The contexts and combined retrievers with more inside than the engine asks for."""
        return too_large(entry.declaration for entry in self.by_name.values())

    @cached_property
    def functions(self) -> frozenset[str]:
        """The functions that compactors name under `using`."""
        return functions_used([entry.declaration for entry in self.entries])

    def similar(self, kind: Kind, name: str) -> DeclarationEntry | None:
        """The first declaration of the same noun with a confusable name."""
        return self._by_folded_name.get((NOUN_OF[kind], _folded(name)))

    def context(self, name: str) -> ContextDeclaration | None:
        """A declared context."""
        entry = self.by_name.get(("context", name))
        declaration = entry.declaration if entry else None
        return declaration if isinstance(declaration, ContextDeclaration) else None

    def policy(self, context: ContextDeclaration) -> ContextPolicySpec | None:
        """The policy of a context, inside it or by name."""
        if not isinstance(context.policy, str):
            return context.policy
        entry = self.by_name.get(("policy", context.policy))
        declaration = entry.declaration if entry else None
        return declaration.policy if isinstance(declaration, PolicyDeclaration) else None

    def format(self, options: PackOptions) -> FormatSpec | None:
        """The format of a pack, inside its options or by name; None if it is not known."""
        if not isinstance(options.format, str):
            return options.format
        entry = self.by_name.get(("format", options.format))
        declaration = entry.declaration if entry else None
        return declaration.format if isinstance(declaration, FormatDeclaration) else None

    def limits(self, context: ContextDeclaration) -> Limits | None:
        """The limits of a context; None where they cannot be computed."""
        policy = self.policy(context)
        if policy is None:
            if context.policy is not None:  # a name that is declared nowhere, or in Python
                return None
            policy = _NO_POLICY
        if id(policy) not in self._limits:  # the policy is kept, so that its id stays its own
            self._limits[id(policy)] = policy, self._compute_limits(policy)
        return self._limits[id(policy)][1]

    def inserted_by(self, name: str) -> Iterator[DeclarationEntry]:
        """The contexts that insert a pack of this name."""
        yield from self.used.get(("pack", name), ())

    @cached_property
    def _by_folded_name(self) -> Mapping[tuple[Noun, str], DeclarationEntry]:
        found: dict[tuple[Noun, str], DeclarationEntry] = {}
        for entry in self.entries:
            found.setdefault((NOUN_OF[entry.kind], _folded(entry.name)), entry)
        return found

    def _compute_limits(self, policy: ContextPolicySpec) -> Limits | None:
        if self.model is not None:  # as in `assemble(model=...)`
            policy = with_model(policy, self.model)
        try:
            return limits_of(policy, self.yardsticks, ())
        except ContextError:
            return None


def _folded(name: str) -> str:
    """A name without case, width, dashes, underscores, dots and spaces, which people confuse."""
    return _SEPARATORS.sub("", normalize("NFKC", name)).casefold() or name


def too_large(declarations: Iterable[Declaration]) -> Mapping[str, Extent]:
    """What the engine refuses to ask for; not what only contains something of that kind.

    Names in a cycle have findings of their own, and no extent.
    """
    inside: dict[str, list[str]] = {}
    for declaration in declarations:
        for name, names in _inside(declaration):
            inside.setdefault(name, names)
    while cycle := next(find_cycles(inside), None):
        for name in cycle:
            inside[name] = []
    # Contexts count their own levels, and combined retrievers theirs.
    found = extents(inside)
    large = {name for name, extent in found.items() if _is_too_large(extent)}
    return {name: found[name] for name in large if not large & {*inside[name]}}


def _is_too_large(extent: Extent) -> bool:
    return extent.packs > MOST_PACKS or extent.depth > DEEPEST


def _inside(declaration: Declaration) -> Iterator[tuple[str, list[str]]]:
    """The names inside a declaration, and inside sources that it declares in place."""
    if isinstance(declaration, ContextDeclaration):
        yield declaration.name, [insert.name for insert in declaration.inserts]
    elif isinstance(declaration, RetrieverDeclaration):
        yield from _sources(declaration.name, declaration.config)


def _sources(name: str, config: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    names: list[str] = []
    waiting = []
    for index, source in sources_in(config):
        named = source_name(source)
        names.append(named[1] if named else f"{name}\0{index}")
        if named is None and isinstance(source, Mapping):
            waiting.append((names[-1], source))
    if names:
        yield name, names
    for own, settings in waiting:
        yield from _sources(own, settings)
