"""The command `render`."""

from __future__ import annotations

from biblicus_context.assembly.result.provider_formats import PROVIDER_FORMATS
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.cli.input.prepared_call import prepare
from biblicus_context.cli.options.assembling import RenderArguments, RenderFormat
from biblicus_context.cli.output.terminal import width, write, write_json
from biblicus_context.pages.wording import message_text


def render(args: RenderArguments) -> None:
    call = prepare(args.name, args.place, args.call)
    result = call.assembled(args.budget, args.model)
    match args.output:
        case RenderFormat.TEXT:
            _write_text(result)
        case RenderFormat.JSON:
            write_json(result.to_json())
        case form:
            write_json(PROVIDER_FORMATS[form](result, call.options.get("tools", ())))


def _write_text(result: ContextAssemblyResult) -> None:
    for message in result.messages:
        write(f"[{message['role']}]\n{message_text(message)}\n")
    write(result.explain(width()))
