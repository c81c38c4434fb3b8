"""From names and settings to compactors."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.errors import PlanError, UnknownNameError, nearest
from biblicus_context.text.compaction import COMPACTORS
from biblicus_context.text.compactors.compactor import (
    BaseCompactor,
    CompactorFunction,
    CompactorSettings,
)
from biblicus_context.text.compactors.function import FunctionCompactor
from biblicus_context.text.compactors.truncate import TruncateCompactor

_MOST_BUILT: Final = 256

_Settings: TypeAlias = Mapping[str, Any]
_Path: TypeAlias = tuple[str, ...]
"""The names that lead to a compactor, to find cycles."""


@runtime_checkable
class HasCompact(Protocol):
    """Any object with the method of a Biblicus compactor."""

    def compact(self, request: Any) -> Any:
        """The shortened text."""
        ...


@runtime_checkable
class HasConfig(Protocol):
    """Any object that carries settings, such as a declaration of Biblicus or Tactus."""

    @property
    def config(self) -> Any:
        """The settings."""
        ...


CompactorEntry: TypeAlias = (
    BaseCompactor | CompactorFunction | _Settings | str | HasCompact | HasConfig
)
"""What a compactor registry may hold under a name."""


@dataclass(frozen=True)
class Compactors:
    """Compactors by name: the caller's own, then the built-in types.

    >>> Compactors({"short": {"type": "tail", "mark": "…"}}).build("short")
    TailCompactor(mark='…')
    """

    extra: Mapping[str, CompactorEntry] = field(default_factory=dict)
    summarizer: CompactorFunction | None = None
    _built: BoundedMemory[str, BaseCompactor] = field(
        default_factory=lambda: BoundedMemory(_MOST_BUILT), repr=False, compare=False
    )

    def build(self, config: str | _Settings | None) -> BaseCompactor:
        """The compactor of a name or of settings.

        Equal settings give the same object, so that summaries stay remembered between calls.
        """
        return self._built.get_or_compute(repr(config), lambda: self._build(config, ()))

    def check(self, settings: _Settings) -> None:
        """Raise for settings of an unknown type, or with unknown or wrong options."""
        COMPACTORS.build(settings)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that can be built."""
        return tuple(sorted({*self.extra, *COMPACTORS.names}))

    def _build(self, config: str | _Settings | None, path: _Path) -> BaseCompactor:
        if isinstance(config, str):
            return self._named(config, path)
        if not config:
            return TruncateCompactor()
        if not isinstance(config, Mapping):
            raise PlanError("a compactor is a name or settings", found=config)
        return self._from_settings(config, path)

    def _named(self, name: str, path: _Path) -> BaseCompactor:
        if name in path:
            cycle = " -> ".join([*path[path.index(name) :], name])
            raise PlanError(
                f"compactors use each other in a cycle: {cycle}",
                fix="Remove one of these uses.",
            )
        if name in self.extra:
            return self._from_entry(name, self.extra[name], (*path, name))
        if COMPACTORS.find(name) is not None:
            return self._from_settings({"type": name}, path)
        raise UnknownNameError("Compactor", name, self.names)

    def _from_entry(self, name: str, entry: CompactorEntry, path: _Path) -> BaseCompactor:
        given: Any = entry() if isinstance(entry, type) and issubclass(entry, HasCompact) else entry
        match given:
            # An async `compact` of a subclass must be awaited, as any other function.
            case BaseCompactor() if not inspect.iscoroutinefunction(given.compact):
                return given
            case HasCompact():
                return FunctionCompactor(given.compact)
            case str() | Mapping():
                return self._build(given, path)
            case HasConfig():
                return self._build(given.config, path)
            case _ if callable(given):
                return FunctionCompactor(given)
        raise PlanError(
            "a compactor is a function, an object with compact(), or settings",
            place=f"compactor '{name}'",
            found=given,
        )

    def _from_settings(self, settings: _Settings, path: _Path) -> BaseCompactor:
        kind = settings.get("type", COMPACTORS.default)
        if COMPACTORS.find(kind) is None:
            guess = nearest(str(kind), COMPACTORS.names)
            raise PlanError(
                f"Unknown compactor type: {kind}",
                valid=COMPACTORS.names,
                fix=f"Did you mean {guess!r}?" if guess else None,
            )
        part = COMPACTORS.build(settings)
        if isinstance(part, CompactorSettings):
            return part.build(_Parts(self, path))
        return self._from_entry(kind, part, path)


@dataclass(frozen=True)
class _Parts:
    """What settings on a path of names may use."""

    compactors: Compactors
    path: _Path

    def compactor(self, config: str | _Settings) -> BaseCompactor:
        return self.compactors._build(config, self.path)

    def summarizer(self, name: str | None) -> CompactorFunction:
        if name is None:
            if self.compactors.summarizer is None:
                raise PlanError(
                    "compactor type summarize needs a summarizer",
                    fix="Pass one, or set `using` to the name of a callable in the compactor "
                    "registry.",
                )
            return self.compactors.summarizer
        if name not in self.compactors.extra:
            raise UnknownNameError("Compactor", name, self.compactors.extra)
        named = self.compactors._named(name, self.path)
        return named.function if isinstance(named, FunctionCompactor) else named.compact


@door
def build_compactor(config: _Settings) -> BaseCompactor:
    """The compactor of these settings, as Biblicus builds it.

    >>> build_compactor({"type": "truncate"})
    TruncateCompactor(mark='')
    """
    return Compactors().build(config)
