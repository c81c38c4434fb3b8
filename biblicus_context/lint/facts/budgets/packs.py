"""The packs that a context inserts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import nested_contexts
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import DirectiveText, Steps, directives, texts
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec
from biblicus_context.spec.pack import PackOptions


@dataclass(frozen=True, slots=True)
class PackInsert:
    """A pack that a context inserts; `nested` is set where its name is that of a context."""

    path: Steps
    options: PackOptions
    always: bool
    """Whether it is inserted in every call: it has no `when` and is not an alternative."""
    nested: ContextDeclaration | None

    @property
    def name(self) -> str:
        """The retriever's or the context's name."""
        return self.options.name


@once_per_document
def inserts(plan: Plan, declared: Declarations) -> tuple[PackInsert, ...]:
    """The packs of a document's context, in order."""
    return tuple(inserts_of(plan.declaration, declared))


def inserts_of(declaration: object, declared: Declarations) -> Iterator[PackInsert]:
    """The packs of any context, in order."""
    if not isinstance(declaration, ContextDeclaration):
        return
    for index, pack in enumerate(declaration.packs or ()):
        yield PackInsert(("packs", index), pack, always=True, nested=declared.context(pack.name))
    for path, directive, always in directives(declaration):
        if isinstance(directive, ContextInsertSpec):
            yield PackInsert(path, directive, always, nested=declared.context(directive.name))


def always_placed(
    context: ContextDeclaration, declared: Declarations
) -> list[DirectiveText | PackInsert]:
    """The texts and packs that a context places in every call, in order; of alternatives none."""
    found = {insert.path: insert for insert in inserts_of(context, declared)}
    written = {text.directive: text for text in texts(context)}
    order: list[Steps] = [("packs", index) for index in range(len(context.packs or ()))]
    order += [path for path, _, always in directives(context) if always]
    return [each for path in order if (each := found.get(path) or written.get(path))]


def asks_retrievers(declaration: ContextDeclaration, declared: Declarations) -> bool:
    """Whether a context, or a nested one, uses a retriever."""
    return any(
        declared.context(insert.name) is None
        for context in (declaration, *nested_contexts(declaration, declared))
        for insert in context.inserts
    )
