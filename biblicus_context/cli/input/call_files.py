"""What a command passes to an assembly; its files are read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biblicus_context.cli.input.data_files import read_list, read_mapping
from biblicus_context.cli.input.inputs import inputs_for
from biblicus_context.cli.input.recorded_answers import recorded_answers
from biblicus_context.cli.options.shared import CallOptions
from biblicus_context.golden.running.recorded import RecordedAnswer
from biblicus_context.spec.context import ContextDeclaration


@dataclass(frozen=True, slots=True)
class CallFiles:
    """Everything but the context, the budget and the model."""

    call: CallOptions
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
        typed, examples = self.call.given or (), self.call.examples
        return inputs_for(context.inputs or {}, typed, self.inputs, examples=examples)


def read_call_files(call: CallOptions) -> CallFiles:
    """What the options of a command name."""
    return CallFiles(
        call,
        inputs=read_mapping(call.inputs, "inputs") if call.inputs else {},
        history=_listed(call.history, "messages", under="messages"),
        tools=_listed(call.tools, "tool definitions", under="tools"),
        answers=_answers(call.packs),
        previous=read_mapping(call.previous, "results") if call.previous else None,
    )


def _listed(file: Path | None, what: str, *, under: str) -> list[Any]:
    return read_list(file, what, under=under) if file else []


def _answers(file: Path | None) -> Mapping[str, RecordedAnswer]:
    if file is None:
        return {}

    return recorded_answers(file)
