"""The folders that ship with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from biblicus_context.errors import InputError

_PACKAGE = Path(__file__).resolve().parent.parent
_SCHEMA = ".schema.json"


def shipped(folder: Literal["contexts", "schemas"]) -> Path:
    """The folder inside an installed wheel, or next to the package in a source checkout."""
    installed = _PACKAGE / "_shipped" / folder
    return installed if installed.is_dir() else _PACKAGE.parent / folder


def shipped_schemas() -> dict[str, Path]:
    """The JSON Schemas of the package, by kind of document."""
    files = sorted(shipped("schemas").glob(f"*{_SCHEMA}"))
    return {file.name.removesuffix(_SCHEMA): file for file in files}


def shipped_plan(system: str) -> Path:
    """The plan of a system that comes with the package: memory, prime, workspace or learning.

    >>> shipped_plan("memory").name
    'memory.yaml'
    """
    folder = shipped("contexts") / "systems"
    path = folder / f"{system}.yaml"
    if not path.is_file():
        valid = sorted(each.stem for each in folder.glob("*.yaml") if "." not in each.stem)
        raise InputError("no plan of this name ships with the package", found=system, valid=valid)
    return path
