"""The command `explain`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biblicus_context.cli.input.options import (
    BudgetOption,
    ContextName,
    FormatOption,
    HandedIn,
    ModelOption,
    Place,
)
from biblicus_context.cli.output.terminal import Format, console, show, write_json

if TYPE_CHECKING:
    from biblicus_context.assembly.result.receipt import Receipt


def explain(
    name: ContextName,
    place: Place,
    handed_in: HandedIn,
    budget: BudgetOption = None,
    model: ModelOption = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page for the browser instead: one file that needs nothing else. "
            "- for the standard output.",
        ),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Show what each part of a context asked for, what it was given, and what was left out.

    A bar is solid for the tokens a part was given, and shaded for those it asked for besides.

    Examples:
      biblicus-context explain support --examples
      biblicus-context explain support --examples --budget 110
      biblicus-context explain support --examples --html support.html
      biblicus-context explain support --examples --format json
    """
    from biblicus_context.cli.input.calling import prepared  # noqa: PLC0415 - loads the engine

    result = prepared(name, place, handed_in).assembled(budget, model)
    if html is not None:
        from biblicus_context.cli.output.saving import save  # noqa: PLC0415
        from biblicus_context.pages.page import page  # noqa: PLC0415 - only for --html

        save(html, page(result))
    elif output is Format.JSON:
        write_json(result.receipt.model_dump(mode="json", exclude={"steps"}))
    else:
        _draw(result.receipt)


def _draw(receipt: Receipt) -> None:
    from biblicus_context.cli.output.drawing import Drawing  # noqa: PLC0415 - loads rich

    screen = console()
    show(screen, *Drawing(receipt, screen).lines())
