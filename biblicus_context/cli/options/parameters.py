"""The fields of a dataclass become the parameters of a command; nested dataclasses are flattened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar, get_type_hints

Arguments = TypeVar("Arguments")
Command = Callable[..., None]


def as_command(
    arguments: type[Arguments], run: Callable[[Arguments], None], *, also: type | None = None
) -> Command:
    """A function with one parameter for each field of `arguments`, and its docstring.

    The options of `also` have callbacks that do what they say.
    """

    def command(**given: Any) -> None:
        run(_built(arguments, given))

    parameters = [*_parameters(arguments), *(_parameters(also) if also else ())]
    typed: Any = command
    # A parameter without a default must come first, wherever its dataclass is nested.
    typed.__signature__ = Signature(sorted(parameters, key=lambda each: each.default is not _NONE))
    typed.__annotations__ = {each.name: each.annotation for each in parameters}
    typed.__doc__ = arguments.__doc__
    return command


_NONE = Parameter.empty


def _built(arguments: Any, given: Mapping[str, Any]) -> Any:
    return arguments(
        **{
            name: _built(hint, given) if is_dataclass(hint) else given[name]
            for name, hint in _hints(arguments).items()
        }
    )


def _parameters(arguments: Any) -> Iterator[Parameter]:
    hints = _hints(arguments)
    for field in fields(arguments):
        hint = hints[field.name]
        if is_dataclass(hint):
            yield from _parameters(hint)
        else:
            default = field.default if field.default is not MISSING else _NONE
            yield Parameter(
                field.name,
                Parameter.POSITIONAL_OR_KEYWORD,
                default=default,
                annotation=_under_heading(hint, getattr(arguments, "heading", None)),
            )


def _under_heading(hint: Any, heading: str | None) -> Any:
    """The declaration of an option, to be listed under the heading of its dataclass in the help."""
    if heading is None:
        return hint
    info = copy(hint.__metadata__[0])
    info.rich_help_panel = heading
    return Annotated[hint.__origin__, info]


def _hints(arguments: Any) -> dict[str, Any]:
    hints = get_type_hints(arguments, include_extras=True)
    return {each.name: hints[each.name] for each in fields(arguments)}
