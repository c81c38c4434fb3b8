"""The files of a new project, by where they go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from biblicus_context.reading.shipped import shipped

_PROJECT = Path(__file__).with_name("project")
_WORDS_ONLY = Path(__file__).with_name("words_only")
"""What is different where nothing is installed that compares vectors."""
_SCHEMAS = ("project", "contexts-test")
_DOTTED = ("gitignore", "pre-commit-config.yaml")


def starter_files(*, words_only: bool = False) -> Mapping[str, str]:
    """Every file; the schemas are those of this release, so that editors find them offline."""
    return {
        **texts_below(_PROJECT),
        **(texts_below(_WORDS_ONLY) if words_only else {}),
        **schema_files(),
    }


def schema_files() -> Mapping[str, str]:
    """The schemas that editors need."""
    schemas = [shipped("schemas") / f"{name}.schema.json" for name in _SCHEMAS]
    return {f"schemas/{file.name}": file.read_text(encoding="utf-8") for file in schemas}


def is_earlier(path: str, found: bytes) -> bool:
    """Whether a file is one of our schemas, of this release or of another one."""
    ours = schema_files().get(path)
    return ours is not None and _title(found) == _title(ours.encode())


def _title(schema: bytes) -> object:
    try:
        return json.loads(schema)["title"]
    except (ValueError, TypeError, KeyError):
        return None


def texts_below(folder: Path) -> Mapping[str, str]:
    """Every file below a folder, by where it goes."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {_target(file, folder): file.read_text(encoding="utf-8") for file in files}


def _target(file: Path, folder: Path) -> str:
    """Where a file goes; one that must be hidden there is not hidden here."""
    path = file.relative_to(folder).as_posix()
    return f".{path}" if path in _DOTTED else path
