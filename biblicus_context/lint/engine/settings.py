"""How a project wants to be linted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from biblicus_context.lint.engine.finding import Severity


@dataclass(frozen=True, slots=True)
class Known:
    """What Python hands in, so that plans may name it without declaring it."""

    contexts: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()
    compactors: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    models_file: Path | None = None
    """A table of models, as `ContextAssembler(models=...)` takes it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file or a caller may say; a selector is a code, a family or a name."""

    select: tuple[str, ...] = ()
    """Rules to apply; empty: all."""
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Patterns of paths, and what is ignored there."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths that are not looked at."""
    paths: tuple[Path, ...] = ()
    """Where the whole project is; names are looked up there."""
    model: str | None = None
    """Counts instead of the model that a policy names."""
    known: Known = Known()
    folder: Path = field(default_factory=Path.cwd)
    """Where patterns begin."""
    source: str = "settings"
    """Where these settings stand, for errors."""
