"""The command `render`."""

from __future__ import annotations

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.options.assembling import RenderArguments, RenderFormat
from biblicus_context.cli.output.terminal import width, write, write_json
from biblicus_context.pages.wording import message_text


def render(args: RenderArguments) -> None:
    result = prepare(args.name, args.place, args.call).assembled(args.budget, args.model)
    match args.output:
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
