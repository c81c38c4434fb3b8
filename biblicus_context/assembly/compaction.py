"""The compactors of an assembler, loaded when a plan names one or a text has to be cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biblicus_context.text.compactors import BaseCompactor, Compactors


class Compaction:
    """Builds compactors from what a policy says, with those that the caller added."""

    def __init__(self, registry: Mapping[str, Any], summarizer: Any) -> None:
        self._registry = registry
        self._summarizer = summarizer

    def build(self, config: str | Mapping[str, Any] | None) -> BaseCompactor:
        """The compactor of a name or of settings."""
        return self._compactors.build(config)

    def building(self, config: str | Mapping[str, Any] | None) -> Callable[[], BaseCompactor]:
        """What gives the compactor when it is needed; wrong settings are refused at once."""
        if config is None:
            return self._default
        compactor = self.build(config)
        return lambda: compactor

    def _default(self) -> BaseCompactor:
        return self.build(None)

    @cached_property
    def _compactors(self) -> Compactors:
        from biblicus_context.text.compactors import Compactors  # noqa: PLC0415 - loads all of them

        return Compactors(self._registry, self._summarizer)
