"""How a project wants to be linted, from `biblicus-context.toml` or `pyproject.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from biblicus_context.base.file_content import file_content
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import LoadError, PlanError
from biblicus_context.lint.engine.finding import Severity


@dataclass(frozen=True, slots=True)
class PythonNames:
    """Names that Python code passes to the engine; plans use them without declaring them."""

    contexts: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    compactors: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    models_file: Path | None = None
    """A table of models, as `ContextAssembler(models=...)` accepts it."""


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The settings of a run; a selector is a code, a family such as BC3, or a name."""

    select: tuple[str, ...] = ()
    """Rules to apply; empty: all."""
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Patterns of paths, and the rules that are ignored there."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths that are skipped."""
    paths: tuple[Path, ...] = ()
    """The whole project; names are looked up there."""
    model: str | None = None
    """Counts tokens instead of the model that a policy names."""
    known: PythonNames = PythonNames()
    folder: Path = field(default_factory=Path.cwd)
    """Patterns are relative to this folder."""
    source: str = "settings"
    """Where these settings come from, for errors."""


_OWN_FILE: Final = "biblicus-context.toml"
_SHARED_FILE: Final = "pyproject.toml"
_TABLE: Final = ("tool", "biblicus-context")
_EXPECTED: Final = {
    "string_type": "must be text",
    "tuple_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "enum": "is not a severity",
}


def load_settings(path: Path, file: Path | None = None) -> LintSettings:
    """The settings in this file, or in the nearest file at or above a path, or the defaults.

    Raises LoadError or PlanError, which name the file and the key.
    """
    if file is not None:
        return _settings(file, _table(file) or {})
    start = path.absolute() if path.is_dir() else path.absolute().parent
    for candidate in _upwards(start):
        table = _table(candidate)
        if table is not None:
            return _settings(candidate, table)
    return LintSettings()


def _upwards(start: Path) -> Iterator[Path]:
    for folder in (start, *start.parents):
        yield from (file for name in (_OWN_FILE, _SHARED_FILE) if (file := folder / name).is_file())


def _table(file: Path) -> Mapping[str, Any] | None:
    """The table for this program; None where a shared file has none."""
    try:
        written: Any = tomllib.loads(file_content(file).decode("utf-8"))
    except LoadError:
        raise
    except OSError as error:
        raise LoadError(f"cannot be read: {error.strerror}", file=str(file)) from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise LoadError(f"this is not TOML: {error}", file=str(file)) from None
    if file.name != _SHARED_FILE:
        table: Mapping[str, Any] = written
        return table
    for key in _TABLE:
        if not isinstance(written, dict) or key not in written:
            return None
        written = written[key]
    if not isinstance(written, dict):
        raise LoadError(f"{'.'.join(_TABLE)} must be a table", file=str(file))
    return written


def _dashed(name: str) -> str:
    return name.replace("_", "-")


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=_dashed, defer_build=True
    )


class _KnownTable(_Table):
    contexts: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    compactors: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    models_file: str | None = None


class _SettingsTable(_Table):
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = Field(default_factory=dict)
    per_file: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    model: str | None = None
    known: _KnownTable = Field(default_factory=_KnownTable)


def _settings(file: Path, table: Mapping[str, Any]) -> LintSettings:
    try:
        written = _SettingsTable.model_validate(table)
    except ValidationError as error:
        raise _error(file, error) from None
    folder = file.absolute().parent
    known = written.known.model_dump(exclude={"models_file"})
    models_file = written.known.models_file
    return LintSettings(
        **written.model_dump(include={"select", "ignore", "severity", "per_file", "exclude"}),
        paths=tuple(folder / path for path in written.paths),
        model=written.model,
        known=PythonNames(
            **known, models_file=None if models_file is None else folder / models_file
        ),
        folder=folder,
        source=str(file),
    )


def _error(file: Path, error: ValidationError) -> PlanError:
    """The first error in a settings file."""
    invalid = first_invalid(error)
    keys = [_dashed(str(step)) for step in invalid.path]
    place = f"{file} {'.'.join(_TABLE) if file.name == _SHARED_FILE else ''}".rstrip()
    if invalid.is_unknown_key:
        table = _KnownTable if keys[:-1] else _SettingsTable
        valid = map(_dashed, table.model_fields)
        return PlanError("unknown key", place=place, found=".".join(keys), valid=valid)
    expected = _EXPECTED.get(invalid.reason, invalid.problem)
    return PlanError(
        f"{'.'.join(keys)} {expected}",
        place=place,
        found=invalid.value if isinstance(invalid.value, str | int | float) else None,
        valid=[each.value for each in Severity] if invalid.reason == "enum" else (),
    )
