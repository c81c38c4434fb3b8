"""The inputs that a context declares, and where it declares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from biblicus_context.assembly.inputs import checked_inputs
from biblicus_context.errors import InputError
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.context import ContextDeclaration, InputSpec


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
