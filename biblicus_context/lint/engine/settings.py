"""How a project wants to be linted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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
