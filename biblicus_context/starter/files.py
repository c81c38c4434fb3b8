"""The files of a new project, by where they go."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from biblicus_context.reading.shipped import shipped

_PROJECT = Path(__file__).with_name("project")
_SCHEMAS = ("project", "contexts-test")
_DOTTED = ("gitignore", "pre-commit-config.yaml")


def starter_files() -> Mapping[str, str]:
    """Every file; the schemas are those of this release, so that editors find them offline."""
    own = [file for file in sorted(_PROJECT.rglob("*")) if file.is_file()]
    schemas = [shipped("schemas") / f"{name}.schema.json" for name in _SCHEMAS]
    return {
        **{_target(file): file.read_text(encoding="utf-8") for file in own},
        **{f"schemas/{file.name}": file.read_text(encoding="utf-8") for file in schemas},
    }


def _target(file: Path) -> str:
    """Where a file goes; one that must be hidden there is not hidden here."""
    path = file.relative_to(_PROJECT).as_posix()
    return f".{path}" if path in _DOTTED else path
