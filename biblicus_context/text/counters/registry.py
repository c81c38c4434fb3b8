"""Counters by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.text.counters.estimate import EstimatingCounter
from biblicus_context.text.counters.protocol import Counter
from biblicus_context.text.counters.remembering import RememberingCounter
from biblicus_context.text.counters.shared import BUILT_IN, file_counter, tiktoken_counter
from biblicus_context.text.counters.simple import FunctionCounter
from biblicus_context.text.counters.tiktoken_library import ONLY_HERE
from biblicus_context.text.counters.tokenizer_file import FILE_NAME
from biblicus_context.text.models.model import Model
from biblicus_context.text.models.table import ModelTable

CounterLike = Counter | Callable[[str], int]
"""What a caller may pass as a counter."""

_NONE: Final[Mapping[str, CounterLike]] = MappingProxyType({})
_TIKTOKEN: Final = "tiktoken:"


@door
class Counters:
    """The built-in counters and what the caller adds.

    A name is a vocabulary, `characters`, `whitespace`, `tiktoken:ENCODING`, the path of a
    `tokenizer.json`, or a model. A counter added under a model's name counts for that model.
    All registries share the built-in counters and their memory.

    >>> Counters({"letters": len}).get("letters").count("abc")
    3
    """

    def __init__(
        self, extra: Mapping[str, CounterLike] = _NONE, models: ModelTable | None = None
    ) -> None:
        self._extra = {name: _as_counter(name, given) for name, given in extra.items()}
        self._models = models

    def get(self, name: str) -> Counter:
        """The counter of this name."""
        if not isinstance(name, str):
            raise InputError("the name of a counter is a text", place="counter", found=name)
        counter = self._named(name)
        if counter is not None:
            return counter
        models = self._models or ModelTable.shipped()
        try:
            model = models.find(name)
        except UnknownNameError:
            known = (*self.names(), *models.names())
            raise UnknownNameError("Counter", name, known) from None
        return self._extra.get(model.name) or self._of_model(model)

    def names(self) -> tuple[str, ...]:
        """The names of counters, without those of models."""
        return (*self._extra, *BUILT_IN, *ONLY_HERE)

    def _named(self, name: str) -> Counter | None:
        if name in self._extra:
            return self._extra[name]
        if name.startswith(_TIKTOKEN):
            return tiktoken_counter(name.removeprefix(_TIKTOKEN))
        if name in ONLY_HERE:
            return tiktoken_counter(name)
        return file_counter(name) if name.endswith(FILE_NAME) else BUILT_IN.get(name)

    def _of_model(self, model: Model) -> Counter:
        counter = self._named(model.counter)
        if counter is None:
            place = f"model '{model.name}'"
            raise UnknownNameError("Counter", model.counter, self.names(), place=place)
        return counter if model.exact else EstimatingCounter(model.name, counter, model.margin)


def _as_counter(name: str, given: CounterLike) -> Counter:
    return given if isinstance(given, Counter) else RememberingCounter(FunctionCounter(name, given))
