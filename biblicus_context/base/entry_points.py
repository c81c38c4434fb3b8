"""Loading entry points of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from biblicus_context.errors import PlanError


def loaded(point: EntryPoint, noun: str) -> object:
    """Return the object of an entry point; an error names the entry point."""
    try:
        found: object = point.load()
    except Exception as error:  # the package of someone else may raise any error when imported
        raise PlanError(
            f"the entry point '{point.value}' cannot be loaded: {type(error).__name__}: {error}",
            place=f"{noun} '{point.name}'",
            fix="Repair or remove the package that declares it.",
        ) from error
    return found
