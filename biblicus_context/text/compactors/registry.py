"""The registry: from names and settings to compactors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, get_args, runtime_checkable

from pydantic import ValidationError

from biblicus_context.errors import PlanError, UnknownNameError, nearest
from biblicus_context.spec.compactor import (
    ChainSpec,
    CompactorSpec,
    SummarizeSpec,
)
from biblicus_context.text.compactors.base import BaseCompactor
from biblicus_context.text.compactors.chain import ChainCompactor
from biblicus_context.text.compactors.drop_blocks import DropBlocksCompactor
from biblicus_context.text.compactors.extractive import ExtractiveCompactor
from biblicus_context.text.compactors.function import Function, FunctionCompactor
from biblicus_context.text.compactors.head_tail import HeadTailCompactor
from biblicus_context.text.compactors.summarize import SummarizeCompactor
from biblicus_context.text.compactors.summary import SummaryCompactor
from biblicus_context.text.compactors.tail import TailCompactor
from biblicus_context.text.compactors.truncate import TruncateCompactor

Settings: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str, ...]

_SPECS: Final[Mapping[str, type[CompactorSpec]]] = {
    get_args(spec.model_fields["type"].annotation)[0]: spec for spec in get_args(CompactorSpec)
}
_CUTTING: Final[Mapping[str, Callable[..., BaseCompactor]]] = {
    "truncate": TruncateCompactor,
    "tail": TailCompactor,
    "head_tail": HeadTailCompactor,
    "drop_blocks": DropBlocksCompactor,
    "summary": SummaryCompactor,
    "extractive": ExtractiveCompactor,
}
"""Types that need nothing but their own settings, which are their fields."""
_DEFAULT: Final = "truncate"
_MOST_BUILT: Final = 256


@runtime_checkable
class Compacts(Protocol):
    """Anything with Biblicus' method."""

    def compact(self, request: Any) -> Any:
        """The text, made to fit."""
        ...


@runtime_checkable
class Declares(Protocol):
    """Anything that carries settings, such as a declaration of Biblicus or Tactus."""

    @property
    def config(self) -> Any:
        """The settings."""
        ...


Entry: TypeAlias = BaseCompactor | Function | Settings | str | Compacts | Declares


@dataclass(frozen=True)
class Compactors:
    """Compactors by name: the built-in ones and what the caller adds.

    >>> Compactors({"short": {"type": "tail", "mark": "…"}}).build("short")
    TailCompactor(mark='…')
    """

    extra: Mapping[str, Entry] = field(default_factory=dict)
    summarizer: Function | None = None
    _built: dict[str, BaseCompactor] = field(default_factory=dict, repr=False, compare=False)

    def build(self, config: str | Settings | None) -> BaseCompactor:
        """The compactor of a name or of settings; the same one each time, so that it remembers."""
        key = repr(config)
        known = self._built.get(key)
        if known is None:
            if len(self._built) >= _MOST_BUILT:
                self._built.clear()
            known = self._built.setdefault(key, self._build(config, ()))
        return known

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that can be built."""
        return tuple(sorted({*self.extra, *_SPECS}))

    def _build(self, config: str | Settings | None, path: Path) -> BaseCompactor:
        if isinstance(config, str):
            return self._named(config, path)
        if not config:
            return TruncateCompactor()
        if not isinstance(config, Mapping):
            raise PlanError("a compactor is a name or settings", found=config)
        return self._from_spec(_spec(dict(config)), path)

    def _named(self, name: str, path: Path) -> BaseCompactor:
        if name in path:
            circle = " -> ".join([*path[path.index(name) :], name])
            raise PlanError(
                f"compactors name each other in a circle: {circle}",
                fix="Remove one of these names.",
            )
        if name in self.extra:
            return self._from_entry(name, self.extra[name], (*path, name))
        if name in _SPECS:
            return self._from_spec(_spec({"type": name}), path)
        raise UnknownNameError("Compactor", name, self.names)

    def _from_entry(self, name: str, entry: Entry, path: Path) -> BaseCompactor:
        given: Any = entry() if isinstance(entry, type) and issubclass(entry, Compacts) else entry
        match given:
            case BaseCompactor() if not inspect.iscoroutinefunction(given.compact):
                return given
            case Compacts():
                return FunctionCompactor(given.compact)
            case str() | Mapping():
                return self._build(given, path)
            case Declares():
                return self._build(given.config, path)
            case _ if callable(given):
                return FunctionCompactor(given)
        raise PlanError(
            "a compactor is a function, an object with compact(), or settings",
            place=f"compactor '{name}'",
            found=given,
        )

    def _from_spec(self, spec: CompactorSpec, path: Path) -> BaseCompactor:
        match spec:
            case ChainSpec():
                return ChainCompactor(tuple(self._build(step, path) for step in spec.steps))
            case SummarizeSpec():
                fallback = None if spec.fallback is None else self._build(spec.fallback, path)
                return SummarizeCompactor(
                    self._summarizer(spec, path), fallback, spec.timeout_seconds
                )
        return _CUTTING[spec.type](**spec.model_dump(exclude={"type"}))

    def _summarizer(self, spec: SummarizeSpec, path: Path) -> Function:
        if spec.using is None:
            if self.summarizer is None:
                raise PlanError(
                    "compactor type summarize needs a summarizer",
                    fix="Hand one in, or name a callable of the compactor registry under using.",
                )
            return self.summarizer
        if spec.using not in self.extra:
            raise UnknownNameError("Compactor", spec.using, self.extra)
        named = self._named(spec.using, path)
        return named.function if isinstance(named, FunctionCompactor) else named.compact


def build_compactor(config: Settings) -> BaseCompactor:
    """The compactor of these settings, as Biblicus builds it.

    >>> build_compactor({"type": "truncate"})
    TruncateCompactor(mark='')
    """
    return Compactors().build(config)


def _spec(config: dict[str, Any]) -> CompactorSpec:
    kind = str(config.setdefault("type", _DEFAULT))
    if kind not in _SPECS:
        guess = nearest(kind, _SPECS)
        raise PlanError(
            f"Unknown compactor type: {kind}",
            valid=_SPECS,
            fix=f"Did you mean {guess!r}?" if guess else None,
        )
    model = _SPECS[kind]
    try:
        return model.model_validate(config)
    except ValidationError as error:
        raise _plain(error, kind, [name for name in model.model_fields if name != "type"]) from None


def _plain(error: ValidationError, kind: str, options: list[str]) -> PlanError:
    """The first thing that is wrong with the settings of a compactor."""
    first = error.errors(include_url=False)[0]
    option = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return PlanError(
            "unknown option" if options else "there are no options",
            place=f"compactor type {kind}",
            found=option,
            valid=options,
        )
    if first["type"] == "missing":
        return PlanError(f"option '{option}' is missing", place=f"compactor type {kind}")
    return PlanError(
        f"option '{option}': {first['msg']}", place=f"compactor type {kind}", found=first["input"]
    )
