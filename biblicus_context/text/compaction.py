"""Compactors by name, loaded when a plan names one or a text must be cut.

Loading them all takes a tenth of the time to a first result, and most calls shorten nothing, so
the registry has the names of their classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.base.deferred import Imported
from biblicus_context.base.lazy import lazy
from biblicus_context.base.registry import Registry

if TYPE_CHECKING:
    from biblicus_context.text.compactors import BaseCompactor, Compactors
    from biblicus_context.text.compactors.compactor import CompactorFunction, CompactorSettings

_ROOM: Final = "biblicus_context.text.compactors"
COMPACTORS: Final[Registry[BaseCompactor | CompactorSettings | CompactorFunction]] = Registry(
    noun="compactor",
    group="biblicus_context.compactors",
    default="truncate",
    entries=Imported(
        {
            "truncate": f"{_ROOM}.truncate:TruncateCompactor",
            "tail": f"{_ROOM}.tail:TailCompactor",
            "head_tail": f"{_ROOM}.head_tail:HeadTailCompactor",
            "drop_blocks": f"{_ROOM}.drop_blocks:DropBlocksCompactor",
            "summary": f"{_ROOM}.summary:SummaryCompactor",
            "extractive": f"{_ROOM}.extractive:ExtractiveCompactor",
            "summarize": f"{_ROOM}.summarize:SummarizeSettings",
            "chain": f"{_ROOM}.chain:ChainSettings",
            "long_only": f"{_ROOM}.long_only:LongOnlySettings",
        }
    ),
    incomplete=frozenset({"chain"}),
)
"""The compactor types; the fields of each class are its settings, in Python and in YAML."""


class Compaction:
    """Builds compactors from their settings, with those that the caller added."""

    def __init__(self, registry: Mapping[str, Any] | None = None, summarizer: Any = None) -> None:
        self._registry = registry or {}
        self._summarizer = summarizer

    def build(self, config: str | Mapping[str, Any] | None) -> BaseCompactor:
        """The compactor of a name or of settings."""
        return self._compactors.build(config)

    def building_late(self, name: str) -> Callable[[], BaseCompactor]:
        """What builds a compactor of this package once a text must be cut, and only once."""
        return cache(lambda: self.build(name))

    def building(self, config: str | Mapping[str, Any] | None) -> Callable[[], BaseCompactor]:
        """What gives the compactor when it is needed; wrong settings are refused at once."""
        if config is None:
            return self._default
        compactor = self.build(config)
        return lambda: compactor

    def check(self, settings: Mapping[str, Any]) -> None:
        """Raise a ContextError for settings of an unknown type, or with unknown or wrong options."""
        self._compactors.check(settings)

    def _default(self) -> BaseCompactor:
        return self.build(None)

    @lazy
    def _compactors(self) -> Compactors:
        from biblicus_context.text.compactors import Compactors  # see above

        return Compactors(self._registry, self._summarizer)
