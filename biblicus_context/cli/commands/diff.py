"""The command `diff`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from biblicus_context.assembly.result.saved import SavedResult
from biblicus_context.cli.input.comparison import compared
from biblicus_context.cli.input.completion import complete
from biblicus_context.cli.input.options import (
    BudgetOption,
    CallOptions,
    FormatOption,
    ModelOption,
    ProjectOptions,
)
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.comparing.difference import Difference, difference
from biblicus_context.comparing.rows import ComparedPart


def diff(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="Context, plan file, plan file at a revision (HEAD~1:contexts/x.yaml), or "
            "result saved by render --format json.",
            autocompletion=complete("context"),
        ),
    ],
    after: Annotated[
        str,
        typer.Argument(
            metavar="B", help="The same kinds as A.", autocompletion=complete("context")
        ),
    ],
    place: ProjectOptions,
    call: CallOptions,
    budget: BudgetOption = None,
    model: ModelOption = None,
    context: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Context to use if a plan file has several."),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Compare two assemblies: texts, tokens of each part, cacheable prefix.

    Both sides are assembled with the same inputs and history. A plan file is read with its whole
    project, as it is now or as it was at the revision.

    Examples:
      biblicus-context diff before.json after.json
      biblicus-context diff HEAD~1:contexts/support.yaml contexts/support.yaml --examples
      biblicus-context diff support support-short --examples --format json
    """

    one, other = compared((before, after), place, call, (budget, model), context)
    found = difference(one, other)
    if output is Format.JSON:
        write_json(_as_json(one, other, found))
        return
    from biblicus_context.cli.output.diff_lines import lines  # noqa: PLC0415 - loads rich

    show(console(), *lines((before, one), (after, other), found))


def _as_json(one: SavedResult, other: SavedResult, found: Difference) -> dict[str, Any]:
    prefix = found.prefix
    return {
        "tokens": {"before": one.receipt.used, "after": other.receipt.used},
        "messages": [
            {
                "before": each.before,
                "after": each.after,
                "role": each.role,
                "diff": list(each.lines),
            }
            for each in found.messages
        ],
        "parts": [_part(row) for row in found.parts],
        "prefix": {
            "tokens": prefix.tokens,
            "counter": found.counter,
            "same": prefix.is_whole,
            "message": None if prefix.is_whole else prefix.messages,
            "line": None if prefix.is_whole else prefix.line,
            "column": None if prefix.is_whole else prefix.column,
            "before": prefix.before,
            "after": prefix.after,
        },
    }


def _part(row: ComparedPart) -> dict[str, Any]:
    before, after = row.cells
    return {
        "part": row.label,
        "depth": row.depth,
        "before": before.given if before else None,
        "after": after.given if after else None,
        "action_before": before.action if before else None,
        "action_after": after.action if after else None,
    }
