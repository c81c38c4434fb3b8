"""The command `models`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from biblicus_context.cli.options.reference import ModelsArguments
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import Format, write_json
from biblicus_context.text.models.model import Model
from biblicus_context.text.models.table import ModelTable


def models(args: ModelsArguments) -> None:
    table = ModelTable.shipped()
    found = [table.find(name) for name in args.names or table.names()]
    if args.output is Format.JSON:
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
