"""The table of commands, and the program that loads only what a command line needs."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import click
import typer
from typer.core import TyperCommand, TyperGroup

from biblicus_context.cli.help_texts import PROGRAM, WIDTH
from biblicus_context.cli.main import COULD_NOT_RUN, complete_variable, invoked_name
from biblicus_context.cli.manual import as_text, manual_of
from biblicus_context.cli.options.parameters import Command, as_command
from biblicus_context.cli.options.verbosity import QuietOption, VerboseOption, VerbosityOptions
from biblicus_context.cli.output.failures import ErrorReport, failure_of, report, wants_json
from biblicus_context.cli.output.terminal import prepare_streams, width
from biblicus_context.errors import ContextError


class CommandPlace(NamedTuple):
    """Where a command is: its arguments in `cli.options`, its function in `cli.commands`."""

    arguments: str
    function: str | None
    """None for a group of commands."""
    heading: str = "Commands"
    """Where the help lists it."""


_OPTIONS = "biblicus_context.cli.options"
_FUNCTIONS = "biblicus_context.cli.commands"
_START, _ASSEMBLE, _CHECK = "Get started", "Assemble contexts", "Check plans"
_SEARCH, _SERVE, _REFERENCE = "Search files", "Serve", "Reference"
COMMANDS = {
    "init": CommandPlace("reference:InitArguments", "init:init", _START),
    "list": CommandPlace("assembling:ListArguments", "list:listing", _START),
    "render": CommandPlace("assembling:RenderArguments", "render:render", _ASSEMBLE),
    "explain": CommandPlace("assembling:ExplainArguments", "explain:explain", _ASSEMBLE),
    "whatif": CommandPlace("assembling:WhatifArguments", "whatif:whatif", _ASSEMBLE),
    "diff": CommandPlace("assembling:DiffArguments", "diff:diff", _ASSEMBLE),
    "inspect": CommandPlace("serving:InspectArguments", "serve:inspect", _ASSEMBLE),
    "batch": CommandPlace("assembling:BatchArguments", "batch:batch", _ASSEMBLE),
    "lint": CommandPlace("checking:LintArguments", "lint:lint", _CHECK),
    "rule": CommandPlace("checking:RuleArguments", "rule:rule", _CHECK),
    "rules": CommandPlace("checking:RulesArguments", "rule:rules", _CHECK),
    "test": CommandPlace("checking:GoldenTestArguments", "test:test", _CHECK),
    "index": CommandPlace("corpora:IndexArguments", "index:index", _SEARCH),
    "search": CommandPlace("corpora:SearchArguments", "search:search", _SEARCH),
    "recall": CommandPlace("learning:RecallArguments", "learning:recall", _SEARCH),
    "premortem": CommandPlace("learning:PremortemArguments", "learning:premortem", _SEARCH),
    "remember": CommandPlace("learning:RememberArguments", "learned:remember", _SEARCH),
    "experience": CommandPlace("learning:ExperienceArguments", "learned:experience", _SEARCH),
    "index-code": CommandPlace("learning:IndexCodeArguments", "learned:index_code", _SEARCH),
    "forget": CommandPlace("learning:ForgetArguments", "learned:forget", _SEARCH),
    "hooks": CommandPlace("learning:HooksArguments", "hooks:hooks", _SEARCH),
    "hook": CommandPlace("learning:HookArguments", "hooks:hook", _SEARCH),
    "corpus": CommandPlace("corpora:CorpusArguments", None, _SEARCH),
    "corpus list": CommandPlace("corpora:CorpusListArguments", "corpus:list_corpora"),
    "corpus info": CommandPlace("corpora:CorpusInfoArguments", "corpus:info"),
    "corpus check": CommandPlace("corpora:CorpusCheckArguments", "corpus:check"),
    "corpus vacuum": CommandPlace("corpora:CorpusVacuumArguments", "corpus:vacuum"),
    "corpus export": CommandPlace("corpora:CorpusExportArguments", "corpus:export"),
    "corpus copy": CommandPlace("corpora:CorpusCopyArguments", "corpus:copy"),
    "corpus import": CommandPlace("corpora:CorpusImportArguments", "corpus:import_"),
    "corpus remove": CommandPlace("corpora:CorpusRemoveArguments", "corpus:remove"),
    "eval": CommandPlace("corpora:EvalArguments", "eval:evaluation", _SEARCH),
    "serve": CommandPlace("serving:ServeArguments", "serve:serve", _SERVE),
    "key": CommandPlace("serving:KeyArguments", None, _SERVE),
    "key create": CommandPlace("serving:KeyCreateArguments", "keys:create"),
    "key list": CommandPlace("serving:KeyListArguments", "keys:list_keys"),
    "key revoke": CommandPlace("serving:KeyRevokeArguments", "keys:revoke"),
    "mcp": CommandPlace("agents:McpArguments", "mcp:mcp", _SERVE),
    "lsp": CommandPlace("agents:LspArguments", "lsp:lsp", _SERVE),
    "dev": CommandPlace("developing:DevArguments", None, _SERVE),
    "dev postgres": CommandPlace("developing:DevPostgresArguments", "dev:postgres"),
    "tokens": CommandPlace("reference:TokensArguments", "tokens:tokens", _REFERENCE),
    "models": CommandPlace("reference:ModelsArguments", "models:models", _REFERENCE),
    "schema": CommandPlace("reference:SchemaArguments", "schema:schema", _REFERENCE),
    "version": CommandPlace("reference:VersionArguments", "version:version", _REFERENCE),
}
"""Each command and where it is, in the order of the help."""

_DEBUG = "BIBLICUS_CONTEXT_DEBUG"
_SETTINGS = {"help_option_names": ["-h", "--help"]}


class _OneCommand(TyperCommand):
    """A command whose help is its manual."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(_help(self, ctx))


class _Commands(TyperGroup):
    """Commands by name; a command's module is imported when it runs or its help is shown."""

    above = ""
    """The prefix of these commands in the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        below = (name.removeprefix(self.above) for name in COMMANDS if name.startswith(self.above))
        return [name for name in below if " " not in name]

    def heading_of(self, name: str) -> str:
        """Where the help lists a command."""
        return COMMANDS[self.above + name].heading

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.list_commands(ctx):
            self.commands[cmd_name] = _loaded(self.above + cmd_name)
        return self.commands.get(cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-"):
            raise ContextError(f"unknown {self.above}command", found=args[0], valid=known)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(_help(self, ctx))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    prepare_streams()
    try:
        return _status(program(), arguments)
    except ContextError as error:
        said = failure_of(error)
    except OSError as error:
        if error.filename is None:  # the output, which cannot take a message either
            raise
        said = ErrorReport("OSError", f"{error.filename} cannot be used: {error.strerror}")
    except click.ClickException as error:
        said = ErrorReport("UsageError", *_sentences(error))
    except Exception as error:
        if _DEBUG in os.environ:
            raise
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        hint = f"Set {_DEBUG}=1 to see the traceback."
        said = ErrorReport("Bug", f"bug in {PROGRAM}: {what}", hint)
    report(said, as_json=wants_json(arguments))
    return COULD_NOT_RUN


def _status(command: click.Command, arguments: list[str]) -> int:
    if (variable := complete_variable()) in os.environ:
        command.main(arguments, invoked_name(), variable)
    # A shell completes the name that is typed, so the script for it must name it too.
    name = invoked_name() if any("completion" in each for each in arguments) else PROGRAM
    try:
        with command.make_context(name, arguments) as context:
            command.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    return 0


def program() -> click.Command:
    """The whole program."""
    app = typer.Typer(cls=_Commands, rich_markup_mode=None, context_settings=_SETTINGS)
    app.callback()(_program)
    return typer.main.get_command(app)


def _print_version(*, asked: bool) -> None:
    if asked:
        _run("version", None)
        raise typer.Exit


def _program(
    *,
    asked: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version and exit."
        ),
    ] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Declare in YAML what goes into an LLM call, and fit it into an exact token budget.

    Examples:
      biblicus-context init
      biblicus-context lint
      biblicus-context render support --examples
      biblicus-context explain support --examples --html support.html
      biblicus-context COMMAND --help
    """


def _loaded(name: str) -> click.Command:
    """A command of this name. Its arguments are imported now, its function when it runs."""
    arguments = _imported(_OPTIONS, COMMANDS[name].arguments)
    run = as_command(arguments, partial(_run, name), also=VerbosityOptions)
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    if COMMANDS[name].function is None:
        group = type(name, (_Commands,), {"above": f"{name} "})
        app.callback(cls=group, context_settings=_SETTINGS)(run)
    else:
        app.command(name, cls=_OneCommand, context_settings=_SETTINGS)(run)
    return _with_help_of_arguments(typer.main.get_command(app), run)


def _run(name: str, arguments: object) -> None:
    """Import the function of a command and run it: the only place that loads the engine.

    Measured: the help of `search` takes 0.25 s with its arguments, 0.6 s with its function.
    """
    function = COMMANDS[name].function
    if function is not None:
        _imported("biblicus_context.cli.output", "log_lines:write_log_lines")()
        _imported(_FUNCTIONS, function)(arguments)


def _imported(package: str, place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"{package}.{module}"), name)


def _with_help_of_arguments(command: click.Command, run: Command) -> click.Command:
    """Restore the help of arguments, which click removes since release 8.5."""
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            info: Any = run.__annotations__[parameter.name].__metadata__[0]
            vars(parameter)["help"] = info.help
    return command


def _help(command: click.Command, context: click.Context) -> str:
    return as_text(manual_of(command, context.command_path), min(width(), WIDTH))


def _sentences(error: click.ClickException) -> tuple[str, str]:
    """The problem with the arguments, and the usage of the command."""
    text = error.format_message()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        if isinstance(error, click.NoSuchOption) and error.option_name == "--json":
            known = {name for each in error.ctx.command.params for name in each.opts}
            text = f"No such option: --json.{' Write --format json.' * ('--format' in known)}"
        if isinstance(error, click.BadParameter) and error.param is not None:
            text = _of_a_number(error, error.param.type) or text
        path = error.ctx.command_path
        usage = manual_of(error.ctx.command, path).usage
        return text, f"Usage: {usage}\nTry '{path} --help'."
    return text, ""


def _of_a_number(error: click.BadParameter, kind: object) -> str | None:
    """What a number may be, where click says 'not a valid integer range' or 'not in the range x>=1'."""
    if not isinstance(kind, click.IntRange):
        return None
    least, most = kind.min, kind.max
    valid = f" from {least} to {most}" if most is not None else f" of {least} or more"
    found = error.message.partition(" is not ")[0]
    wanted = f"{found} is not a whole number{valid if least is not None else ''}"
    return click.BadParameter(f"{wanted}.", error.ctx, error.param).format_message()
