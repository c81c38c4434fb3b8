"""The inputs that a context declares, those that its texts name, and those that a call may leave out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from biblicus_context.assembly.inputs import ALWAYS_ACCEPTED, checked_inputs
from biblicus_context.errors import InputError
from biblicus_context.lint.facts.memoize import (
    once_per_declaration,
    once_per_document,
    once_per_project,
)
from biblicus_context.lint.facts.project.combined_retrievers import source_name, sources_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import (
    enclosing_contexts,
    inserting_contexts,
    nested_contexts,
)
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.format_texts import format_texts
from biblicus_context.lint.facts.templates.parsed_template import ParsedTemplate, TemplateName
from biblicus_context.lint.facts.templates.parsing import parse_template
from biblicus_context.lint.facts.templates.texts import (
    DirectiveText,
    FieldText,
    conditions,
    queries,
    texts,
)
from biblicus_context.reading.kinds import Declaration
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.context import ContextDeclaration, InputSpec
from biblicus_context.spec.retriever import RetrieverDeclaration

_VARS: Final = "vars."
"""Before the names of the call in the texts of a format."""


class DeclaredInput(NamedTuple):
    """An input and its path in the document."""

    name: str
    spec: InputSpec
    path: tuple[Step, ...]


def declared_inputs(plan: Plan) -> Iterator[DeclaredInput]:
    """The inputs of a context; the author can write them as a mapping or as a list."""
    if not isinstance(plan.declaration, ContextDeclaration):
        return
    written = plan.document.tree.at(["inputs"]).items
    numbers = {(entry.part("name") or entry).value: at for at, entry in enumerate(written)}
    for name, spec in (plan.declaration.inputs or {}).items():
        yield DeclaredInput(name, spec, ("inputs", numbers.get(name, name)))


def rejected_value(declared: DeclaredInput, inputs: Mapping[str, Any]) -> str | None:
    """The value that the engine rejects in a call of a context with only this input."""
    context = ContextDeclaration(name="lint", inputs={declared.name: declared.spec})
    try:
        checked_inputs(context, inputs)
    except InputError as error:
        return str(error.found)
    return None


@once_per_declaration
def input_names(context: ContextDeclaration) -> frozenset[str]:
    """The names of the inputs that a context declares."""
    return frozenset(context.inputs or ())


@once_per_project
def inputs_of(
    context: ContextDeclaration, declared: Declarations
) -> Mapping[str, InputSpec] | None:
    """The inputs declared for a context; None where a caller may pass any input."""
    found: dict[str, InputSpec] = {}
    for each in (*reversed(enclosing_contexts(context, declared)), context):
        if each.inputs is None:
            return None
        found |= each.inputs
    return found


@once_per_document
def input_uses(
    plan: Plan, declared: Declarations
) -> tuple[tuple[DirectiveText | FieldText, TemplateName], ...]:
    """Every use of an input in a document, with its text."""
    written: tuple[DirectiveText | FieldText, ...] = (
        *texts(plan.declaration),
        *conditions(plan.declaration),
        *queries(plan.declaration),
    )
    used = tuple(
        (each, use)
        for each in written
        if not (isinstance(each, DirectiveText) and "input" in each.spec.vars)
        for use in each.parsed.uses
        if use.first == "input"
    )
    return (*used, *_in_formats(plan.declaration))


def _in_formats(declaration: Declaration) -> Iterator[tuple[FieldText, TemplateName]]:
    """The inputs that texts around blocks use, as `vars.input.NAME`."""
    for text in format_texts(declaration):
        for use in text.parsed.uses:
            if use.path.startswith(f"{_VARS}input."):
                path, offset = use.path.removeprefix(_VARS), use.offset + len(_VARS)
                yield text, use._replace(path=path, offset=offset)


def contracts(plan: Plan, declared: Declarations) -> Iterator[tuple[str, Mapping[str, InputSpec]]]:
    """The inputs that a document's texts can name, for each context in which they are written."""
    match plan.declaration:
        case ContextDeclaration() as context:
            yield from _contract(context, declared)
        case RetrieverDeclaration(name=name):
            for outer in inserting_contexts(name, declared):
                yield from _contract(outer, declared)


def is_accepted_anyway(name: str) -> bool:
    """Whether every context accepts an input of this name."""
    return name in ALWAYS_ACCEPTED


def names_used(context: ContextDeclaration, declared: Declarations) -> frozenset[str] | None:
    """The inputs that a context and its packs use; None where they may use any of them."""
    used: set[str] = set()
    for each in (context, *nested_contexts(context, declared)):
        for insert in each.inserts:
            if not declared.context(insert.name) and not _retriever(insert.name, declared):
                return None  # a retriever from Python may use any input in its query
        if any(reading.mistakes for reading in _readings(each, declared)):
            return None  # what cannot be parsed may use any input
        for path in _paths(each, declared):
            if path in ("input", "vars"):
                return None
            used |= {path.split(".")[1]} if path.startswith("input.") else set()
    return frozenset(used)


def _paths(context: ContextDeclaration, declared: Declarations) -> Iterator[str]:
    """The dotted paths that a context uses, as its texts name them."""
    for reading in _readings(context, declared):
        yield from (use.path for use in reading.uses)
    for insert in context.inserts:
        form = declared.format(insert)
        for source in (insert.title, *(text for _, text in (form.templates() if form else ()))):
            uses = parse_template(source).uses if source else ()
            yield from (use.path.removeprefix(_VARS) for use in uses)


def _readings(context: ContextDeclaration, declared: Declarations) -> Iterator[ParsedTemplate]:
    yield from (text.parsed for text in texts(context))
    yield from (condition.parsed for condition in conditions(context))
    for insert in context.inserts:
        for retriever in _asked(insert.name, declared):
            yield from (query.parsed for query in queries(retriever))


def searched_inputs(context: ContextDeclaration, declared: Declarations) -> frozenset[str]:
    """The inputs that the packs of a context are searched with."""
    return frozenset(
        use.path.split(".")[1]
        for insert in context.inserts
        for retriever in _asked(insert.name, declared)
        for query in queries(retriever)
        if "query" in query.path
        for use in query.parsed.uses
        if use.path.startswith("input.")
    )


def _asked(name: str, declared: Declarations) -> list[Declaration]:
    """The retriever of this name, and those that are its sources, each once."""
    found: dict[str, Declaration] = {}
    names = [name]
    while names:
        each = names.pop()
        retriever = None if each in found else _retriever(each, declared)
        if isinstance(retriever, RetrieverDeclaration):
            found[each] = retriever
            named = (source_name(source) for _, source in sources_in(retriever.config))
            names += [source for _, source in filter(None, named)]
    return [*found.values()]


def _retriever(name: str, declared: Declarations) -> Declaration | None:
    entry = declared.by_name.get(("retriever", name))
    return entry.declaration if entry else None


def _contract(
    context: ContextDeclaration, declared: Declarations
) -> Iterator[tuple[str, Mapping[str, InputSpec]]]:
    known = inputs_of(context, declared)
    if known is not None:
        yield context.name, known


def may_be_null(spec: InputSpec) -> bool:
    """Whether a call may leave the input out, so that it is null."""
    return spec.default is None and (spec.has_default or not spec.required)


def is_guarded(
    plan: Plan, declared: Declarations, written: DirectiveText | FieldText, root: str
) -> bool:
    """Whether a text is only rendered, or this path only written, where the input has a value."""
    if root in written.parsed.guards:
        return True
    return any(
        written.directive[: len(condition.directive)] == condition.directive
        and condition.path != written.path
        and any(use.path == root for use in condition.parsed.uses)
        for condition in conditions(plan.declaration)
    )
