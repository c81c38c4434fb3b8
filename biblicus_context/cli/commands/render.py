"""The command `render`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.cli.input.options import (
    BudgetOption,
    CallOptions,
    ContextName,
    ModelOption,
    ProjectOptions,
)
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.output.terminal import width, write, write_json
from biblicus_context.pages.wording import message_text


class RenderFormat(StrEnum):
    """How an assembled context is printed."""

    TEXT = "text"
    MESSAGES = "messages"
    JSON = "json"


def render(
    name: ContextName,
    place: ProjectOptions,
    call: CallOptions,
    budget: BudgetOption = None,
    model: ModelOption = None,
    output: Annotated[
        RenderFormat,
        typer.Option(
            "--format",
            help="Output format: text, the messages as JSON, or the whole result as JSON.",
        ),
    ] = RenderFormat.TEXT,
) -> None:
    """Assemble a context; print its messages and the receipt.

    Examples:
      biblicus-context render support --input question="Where is my order?"
      biblicus-context render support --examples --budget 120 --model gpt-4o
      biblicus-context render support --examples --format messages
      biblicus-context render support --examples --format json > before.json
    """

    result = prepare(name, place, call).assembled(budget, model)
    match output:
        case RenderFormat.TEXT:
            _write_text(result)
        case RenderFormat.MESSAGES:
            write_json(result.messages)
        case RenderFormat.JSON:
            write_json(result.to_json())


def _write_text(result: ContextAssemblyResult) -> None:

    for message in result.messages:
        write(f"[{message['role']}]\n{message_text(message)}\n")
    write(result.explain(width()))
