"""The folders that ship with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

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
