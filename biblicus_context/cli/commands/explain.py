"""The command `explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.cli.input.options import (
    BudgetOption,
    CallOptions,
    ContextName,
    FormatOption,
    ModelOption,
    ProjectOptions,
)
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.output.saving import save
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.pages.page import page


def explain(
    name: ContextName,
    place: ProjectOptions,
    call: CallOptions,
    budget: BudgetOption = None,
    model: ModelOption = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a self-contained HTML page instead; - is standard output.",
        ),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Show the tokens that each part of a context wanted and got, and what was left out.

    The solid part of a bar is the tokens that were given, the shaded part those that were missing.

    Examples:
      biblicus-context explain support --examples
      biblicus-context explain support --examples --budget 110
      biblicus-context explain support --examples --html support.html
      biblicus-context explain support --examples --format json
    """

    result = prepare(name, place, call).assembled(budget, model)
    if html is not None:
        save(html, page(result))
    elif output is Format.JSON:
        write_json(result.receipt.model_dump(mode="json", exclude={"steps"}))
    else:
        _draw(result.receipt)


def _draw(receipt: Receipt) -> None:
    from biblicus_context.cli.output.receipt_chart import ReceiptChart  # noqa: PLC0415 - loads rich

    screen = console()
    show(screen, *ReceiptChart(receipt, screen).lines())
