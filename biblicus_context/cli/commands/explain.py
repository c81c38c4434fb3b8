"""The command `explain`."""

from __future__ import annotations

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.options.assembling import ExplainArguments
from biblicus_context.cli.output.receipt_chart import ReceiptChart
from biblicus_context.cli.output.saving import save
from biblicus_context.cli.output.terminal import Format, console, show, write_json
from biblicus_context.pages.page import page


def explain(args: ExplainArguments) -> None:
    result = prepare(args.name, args.place, args.call).assembled(args.budget, args.model)
    if args.html is not None:
        save(args.html, page(result))
    elif args.output is Format.JSON:
        write_json(result.receipt.model_dump(mode="json", exclude={"steps"}))
    else:
        _draw(result.receipt)


def _draw(receipt: Receipt) -> None:
    screen = console()
    show(screen, *ReceiptChart(receipt, screen).lines())
