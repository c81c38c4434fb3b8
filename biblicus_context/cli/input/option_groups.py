"""Options that several commands share: a dataclass of them is one parameter of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

Command = Callable[..., None]


def flatten_options(command: Command) -> Command:
    """The command with each dataclass among its parameters replaced by that dataclass' fields."""
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    def run(**given: Any) -> None:
        for name, bundle in bundles.items():
            values = {field.name: given.pop(field.name) for field in fields(bundle)}
            given[name] = bundle(**values)
        command(**given)

    own = signature(command).parameters.values()
    parameters = [each for one in own for each in _spread(one, hints[one.name])]
    typed: Any = run
    typed.__signature__ = Signature(sorted(parameters, key=lambda each: each.default is not _NONE))
    typed.__annotations__ = {each.name: each.annotation for each in parameters}
    typed.__doc__ = command.__doc__
    return run


_NONE = Parameter.empty


def _spread(parameter: Parameter, hint: Any) -> Iterator[Parameter]:
    if not is_dataclass(hint):
        yield parameter.replace(annotation=hint)
        return
    hints = get_type_hints(hint, include_extras=True)
    for field in fields(hint):
        yield Parameter(
            field.name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=field.default,
            annotation=hints[field.name],
        )
