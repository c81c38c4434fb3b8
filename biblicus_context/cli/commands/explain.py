"""The command `explain`."""

from __future__ import annotations

from datetime import UTC, datetime

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.cli.input.prepared_call import PreparedCall, prepare
from biblicus_context.cli.options.assembling import ExplainArguments
from biblicus_context.cli.output.receipt_chart import ReceiptChart
from biblicus_context.cli.output.saving import save
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.pages.page import page


def explain(args: ExplainArguments) -> None:
    prepared = prepare(args.name, args.place, args.call)
    result = prepared.assembled(args.budget, args.model)
    if args.html is not None:
        save(args.html, page(result, _facts(prepared, result)))
    elif args.output is Format.JSON:
        write_json(result.receipt.to_json())
    else:
        _draw(result.receipt)


def _facts(prepared: PreparedCall, result: ContextAssemblyResult) -> dict[str, str]:
    """Where the plan is, and when and how fast it was assembled."""
    seconds = sum(step.seconds for step in result.receipt.steps)
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return {"Plan": prepared.file, "Assembled": f"{when}, in {_duration(seconds)}"}


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _draw(receipt: Receipt) -> None:
    screen = console()
    show(screen, *ReceiptChart(receipt, screen).lines())
