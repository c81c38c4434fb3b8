"""The command `python -m biblicus_context`: show what a declared context comes to."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path

from biblicus_context.assembly.assembler import ContextAssembler, Options
from biblicus_context.errors import ContextError, InputError
from biblicus_context.reading import load_project
from biblicus_context.reading.shipped import shipped
from biblicus_context.spec.context import InputSpec

_MISTAKE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 2 for whatever the caller can put right."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal may lack some signs
            stream.reconfigure(errors="replace")
    try:
        for line in options.command(options):
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except ContextError as error:
        sys.stderr.write(f"error: {error}\n")
        return _MISTAKE
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _list(options: argparse.Namespace) -> Iterator[str]:
    contexts = load_project(options.path).contexts
    width = max(map(len, contexts), default=0)
    for name, context in contexts.items():
        yield f"{name:{width}}  {context.description or ''}".rstrip()


def _render(options: argparse.Namespace) -> Iterator[str]:
    context = load_project(options.path).contexts.get(options.name)
    declared = (context and context.inputs) or {}
    given: Options = {
        "inputs": {
            name: _value(name, text, declared.get(name)) for name, text in options.input or ()
        }
    }
    if options.model is not None:
        given["model"] = options.model
    if options.budget is not None:
        given["budget"] = options.budget
    assembler = ContextAssembler.from_path(options.path)
    result = assembler.assemble(options.name, user_message=options.user, **given)
    for message in result.messages:
        yield f"[{message['role']}]\n{message['content']}\n"
    yield result.explain()


def _value(name: str, text: str, spec: InputSpec | None) -> object:
    """Text, but where the context declares another type: JSON."""
    if spec is None or spec.type in {"string", "any"}:
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise InputError(
            f"input '{name}' is of type {spec.type} and has to be written as JSON",
            found=text,
            fix=None if spec.example is None else f"Example: {json.dumps(spec.example)}",
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m biblicus_context", description="Show what a declared context comes to."
    )
    place = argparse.ArgumentParser(add_help=False)
    place.add_argument(
        "--path",
        type=Path,
        default=shipped("contexts"),
        help="file or folder of plans (default: the examples that come with the package)",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    render = commands.add_parser(
        "render", parents=[place], help="print a context's messages and the receipt"
    )
    render.set_defaults(command=_render)
    render.add_argument("name", metavar="NAME", help="the context")
    render.add_argument(
        "--input",
        action="append",
        type=_pair,
        metavar="NAME=VALUE",
        help="an input; may be repeated",
    )
    render.add_argument("--user", metavar="TEXT", help="the user message, where the plan has none")
    render.add_argument(
        "--budget", type=_tokens, metavar="N", help="tokens, instead of the policy's input budget"
    )
    render.add_argument("--model", metavar="NAME", help="instead of the policy's model")

    listing = commands.add_parser("list", parents=[place], help="list the contexts")
    listing.set_defaults(command=_list)
    return parser


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def _tokens(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
