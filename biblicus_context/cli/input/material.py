"""What is handed in for an assembly, its files read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biblicus_context.cli.input.data_files import read_list, read_mapping
from biblicus_context.cli.input.inputs import inputs_for
from biblicus_context.cli.input.options import HandedIn
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.golden.running.recorded import RecordedAnswer


@dataclass(frozen=True, slots=True)
class Material:
    """Everything but the context, the budget and the model."""

    handed_in: HandedIn
    inputs: Mapping[str, Any]
    """Those of the file."""
    history: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    answers: Mapping[str, RecordedAnswer]
    """Recorded answers of retrievers, by name."""
    previous: Mapping[str, Any] | None = None
    """The result of the call before."""

    def inputs_of(self, context: ContextDeclaration) -> dict[str, Any]:
        """The inputs, of the types that a context declares."""
        typed, examples = self.handed_in.given or (), self.handed_in.examples
        return inputs_for(context.inputs or {}, typed, self.inputs, examples=examples)


def material(handed_in: HandedIn) -> Material:
    """What the options of a command name."""
    return Material(
        handed_in,
        inputs=read_mapping(handed_in.inputs, "inputs") if handed_in.inputs else {},
        history=_listed(handed_in.history, "messages", under="messages"),
        tools=_listed(handed_in.tools, "tool definitions", under="tools"),
        answers=_answers(handed_in.packs),
        previous=read_mapping(handed_in.previous, "results") if handed_in.previous else None,
    )


def _listed(file: Path | None, what: str, *, under: str) -> list[Any]:
    return read_list(file, what, under=under) if file else []


def _answers(file: Path | None) -> Mapping[str, RecordedAnswer]:
    if file is None:
        return {}
    from biblicus_context.cli.input.recorded import recorded_answers  # noqa: PLC0415 - loads models

    return recorded_answers(file)
