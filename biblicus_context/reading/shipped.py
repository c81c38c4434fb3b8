"""The folders that ship with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError

_PACKAGE = Path(__file__).resolve().parent.parent
_SCHEMA = ".schema.json"


def shipped(folder: Literal["contexts", "schemas"]) -> Path:
    """The folder inside an installed wheel, or next to the package in a source checkout."""
    installed = _PACKAGE / "_shipped" / folder
    return installed if installed.is_dir() else _PACKAGE.parent / folder


@door
def shipped_plan(system: str) -> Path:
    """The plan of a system that ships with the package.

    >>> shipped_plan("memory").name
    'memory.yaml'
    """
    files = sorted(shipped("contexts").glob("systems/*.yaml"))
    plans = {file.stem: file for file in files if not file.stem.endswith(".test")}
    if system not in plans:
        raise InputError("no plan of this name is shipped", found=system, valid=[*plans])
    return plans[system]


def shipped_schemas() -> dict[str, Path]:
    """The JSON Schemas of the package, by kind of document."""
    files = sorted(shipped("schemas").glob(f"*{_SCHEMA}"))
    return {file.name.removesuffix(_SCHEMA): file for file in files}
