"""What a command passes to an assembly; its files are read once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biblicus_context.cli.input.data_files import read_list, read_mapping, read_text
from biblicus_context.cli.input.recorded_answers import recorded_answers
from biblicus_context.cli.options.shared import CallOptions
from biblicus_context.errors import ContextError, InputError
from biblicus_context.golden.running.recorded import RecordedAnswer
from biblicus_context.spec.context import ContextDeclaration, InputSpec


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


_FROM_FILE = "@"
_TEXTS = frozenset({"string", "any"})


def inputs_for(
    contract: Mapping[str, InputSpec],
    typed: Iterable[str],
    filed: Mapping[str, Any],
    *,
    examples: bool,
) -> dict[str, Any]:
    """The inputs of a call: those typed, then those of a file, then examples of what is missing."""
    inputs = _examples(contract) if examples else {}
    inputs.update(filed)
    for pair in typed:
        name, text = _pair(pair)
        inputs[name] = _value(name, text, contract.get(name))
    return inputs


def _examples(contract: Mapping[str, InputSpec]) -> dict[str, Any]:
    return {
        name: spec.example
        for name, spec in contract.items()
        if spec.example is not None and not spec.has_default
    }


def _pair(pair: str) -> tuple[str, str]:
    name, sign, text = pair.partition("=")
    if not name or not sign:
        raise InputError("an input must have the form NAME=VALUE", found=pair)
    return name, text


def _value(name: str, text: str, spec: InputSpec | None) -> object:
    """Text, but where the context declares another type: JSON."""
    if text.startswith(_FROM_FILE * 2):
        text = text.removeprefix(_FROM_FILE)
    elif text.startswith(_FROM_FILE):
        text = _text_of(name, Path(text.removeprefix(_FROM_FILE)))
    if spec is None or spec.type in _TEXTS:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(
            f"input '{name}' has type {spec.type} and must be valid JSON",
            found=text,
            fix=None if spec.example is None else f"Example: {json.dumps(spec.example)}",
        ) from None


def _text_of(name: str, file: Path) -> str:
    try:
        return read_text(file)
    except ContextError as error:
        fix = f"For a literal @ at the start, write {name}=@@..."
        raise InputError(str(error), place=f"input '{name}'", fix=fix) from None
