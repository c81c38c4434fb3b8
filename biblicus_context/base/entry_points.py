"""Entry points of other packages, whose faults are told by their names."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from biblicus_context.errors import PlanError


def loaded(point: EntryPoint, noun: str) -> object:
    """What an entry point names."""
    try:
        found: object = point.load()
    except Exception as error:  # whatever a package of someone else raises at its import
        raise PlanError(
            f"the entry point '{point.value}' cannot be loaded: {type(error).__name__}: {error}",
            place=f"{noun} '{point.name}'",
            fix="Mend or remove the package that brings it.",
        ) from error
    return found
