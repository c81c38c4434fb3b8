"""The schemas that come with the package, by kind of document."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.reading.shipped import shipped

_ENDING = ".schema.json"


def schema_files() -> dict[str, Path]:
    """Each schema's file."""
    files = sorted(shipped("schemas").glob(f"*{_ENDING}"))
    return {file.name.removesuffix(_ENDING): file for file in files}
