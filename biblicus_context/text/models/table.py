"""The table of models: which counter, window, framing and image rule each one has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from biblicus_context.errors import UnknownNameError
from biblicus_context.text.models.file import contents_of_file, contents_with
from biblicus_context.text.models.model import Model, TableContents, dashed, model_key

_SHIPPED: Final = Path(__file__).with_name("models.json")


class ModelTable:
    """Models by name; a table never changes, `with_models` makes another one.

    >>> ModelTable.shipped().find("openai/gpt-4o-2024-08-06").name
    'gpt-4o'
    """

    def __init__(self, read: Callable[[], TableContents]) -> None:
        self._read = read

    @cached_property
    def contents(self) -> TableContents:
        """The models, read when the first one is asked for."""
        return self._read()

    @staticmethod
    @cache
    def shipped() -> ModelTable:
        """The table that comes with the package."""
        return ModelTable(lambda: contents_of_file(_SHIPPED, TableContents({}, {}, {}, {})))

    @classmethod
    def from_file(cls, path: str | Path) -> ModelTable:
        """The shipped table, changed and extended by a JSON or YAML file of the same form."""
        contents = contents_of_file(Path(path), cls.shipped().contents)
        return cls(lambda: contents)

    def with_models(self, models: Mapping[str, Model | Mapping[str, Any]]) -> ModelTable:
        """This table with other models; a mapping changes only what it names, as in a file.

        >>> ModelTable.shipped().with_models({"gpt-4o": {"window": 64_000}}).find("gpt-4o").window
        64000
        """
        contents = contents_with(models, self.contents)
        return ModelTable(lambda: contents)

    def find(self, name: str) -> Model:
        """The model of a name that may have a provider in front and a date or size behind."""
        keys = self.contents.keys
        matches = [key for start in _starts(name) for key in _prefixes(start) if key in keys]
        if not matches:
            raise UnknownNameError("Model", name, self.names())
        return self.contents.models[keys[max(matches, key=len)]]

    def names(self) -> tuple[str, ...]:
        """The names of all models, without aliases."""
        return tuple(self.contents.models)


def _starts(name: str) -> list[str]:
    """The name as a whole, and what is left of it without the providers in front."""
    return [name, *(name[mark.end() :] for mark in re.finditer(r"[/:.]", name))]


def _prefixes(name: str) -> Iterator[str]:
    """Keys of what may be a model's name in front of a date, a size or a variant.

    A short number is none of these but another version: `qwen3` does not stand for `qwen3.5`.
    """
    key = dashed(name)
    yield model_key(key)
    for mark in re.finditer(r"[-:@/]", key):
        if not re.match(r"-\d{1,2}(?![\da-z])", key[mark.start() :]):
            yield model_key(key[: mark.start()])
