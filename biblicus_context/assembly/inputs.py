"""The input contract of a context: what a caller must pass, checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

from biblicus_context.errors import InputError
from biblicus_context.spec.context import ContextDeclaration, InputSpec

ALWAYS_ACCEPTED = frozenset({"query", "message"})
"""Retrievers without a query template take these as their query, so every context accepts them."""

_IS: dict[str, Callable[[Any], bool]] = {
    "any": lambda value: True,
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, Integral) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, Real) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
}


def checked_inputs(
    context: ContextDeclaration, given: Mapping[str, Any], *, nested: bool = False
) -> Mapping[str, Any]:
    """The inputs with defaults filled in; a nested context may be given more than it declares."""
    contract = context.inputs
    if contract is None:
        return given
    if not nested:
        _refuse_unknown(context, contract, given)
    inputs = dict(given)
    for name, spec in contract.items():
        if name in given:
            _check_type(context, name, spec, given[name])
        elif spec.has_default or not spec.required:
            _check_type(context, name, spec, spec.default)
            inputs[name] = spec.default
        else:
            raise InputError(
                f"input '{name}' is missing",
                place=f"context '{context.name}'",
                fix=_declared(name, spec, given),
            )
    return inputs


def _refuse_unknown(
    context: ContextDeclaration, contract: Mapping[str, InputSpec], given: Mapping[str, Any]
) -> None:
    for name in given:
        if name not in contract and name not in ALWAYS_ACCEPTED:
            raise InputError(
                "unknown input",
                place=f"context '{context.name}'",
                found=name,
                valid=contract,
            )


def _check_type(context: ContextDeclaration, name: str, spec: InputSpec, value: object) -> None:
    if not _IS[spec.type](value) and not (
        value is None and (spec.has_default or not spec.required)
    ):
        raise InputError(
            f"input '{name}' must be of type {spec.type}",
            place=f"context '{context.name}'",
            found=value,
            fix=None if spec.example is None else f"Example: {spec.example!r}.",
        )


def _declared(name: str, spec: InputSpec, given: Mapping[str, Any]) -> str:
    example = "" if spec.example is None else f", for example {spec.example!r}"
    passed = ", ".join(given) or "none"
    return f"Pass {name} ({spec.type}{example}). Passed: {passed}."
