"""The command `models`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from biblicus_context.cli.input.completion import complete
from biblicus_context.cli.input.options import FormatOption
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import Format, write_json
from biblicus_context.text.models.model import Model
from biblicus_context.text.models.table import ModelTable


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="Show only these models.", autocompletion=complete("model")
        ),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """List the known models: context window, counter, and tokens added for each message.

    A name may start with a provider and end with a date. If a vocabulary is not public, the count is
    an estimate: the figure of the shown counter times the shown factor.

    Examples:
      biblicus-context models
      biblicus-context models gpt-4o openai/gpt-5-mini
      biblicus-context models --format json
    """

    table = ModelTable.shipped()
    found = [table.find(name) for name in names or table.names()]
    if output is Format.JSON:
        write_json([_as_json(model) for model in found])
    else:
        _print(found)


def _print(models: list[Model]) -> None:
    columns = [
        Column("model", folds=True),
        Column("window", right=True),
        Column("counter", folds=True),
        Column("message", right=True),
    ]
    show_table(columns, [_row(model) for model in models])


def _row(model: Model) -> list[str]:
    counter = model.counter if model.exact else f"{model.counter} x {model.margin:g}, estimated"
    window = f"{model.window:,}" if model.window else ""
    return [model.name, window, counter, f"+{model.framing.per_message}"]


def _as_json(model: Model) -> dict[str, Any]:
    return {
        "name": model.name,
        "window": model.window,
        "counter": model.counter,
        "exact": model.exact,
        "margin": model.margin,
        "reason": model.reason,
        "framing": asdict(model.framing),
    }
