"""What a context says of its inputs, and where it says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.context import ContextDeclaration, InputSpec


class DeclaredInput(NamedTuple):
    """An input and the path that leads to it."""

    name: str
    spec: InputSpec
    path: tuple[Step, ...]


def declared_inputs(plan: Plan) -> Iterator[DeclaredInput]:
    """The inputs of a context; they may be written by name or as a list."""
    if not isinstance(plan.declaration, ContextDeclaration):
        return
    written = plan.document.tree.at(["inputs"]).items
    numbers = {(entry.part("name") or entry).value: at for at, entry in enumerate(written)}
    for name, spec in (plan.declaration.inputs or {}).items():
        yield DeclaredInput(name, spec, ("inputs", numbers.get(name, name)))
