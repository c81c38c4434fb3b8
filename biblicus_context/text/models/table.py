"""The table of models: the counter, window, framing and image rule of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.base.deferred import Deferred
from biblicus_context.base.doors import door
from biblicus_context.base.lazy import lazy
from biblicus_context.base.paths import path_of
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.text.models.model import Model, TableContents, dashed, model_key

if TYPE_CHECKING:
    from biblicus_context.text.models.file import contents_of_file, contents_with
else:  # most plans name no model
    contents_of_file = Deferred("biblicus_context.text.models.file:contents_of_file")
    contents_with = Deferred("biblicus_context.text.models.file:contents_with")

_MOST_PARTS: Final = 32
"""Parts of a name that are tried, from either end: a name of thousands of slashes is no model's."""
_VERSION: Final = re.compile(r"-\d{1,2}(?![\da-z])")
_SHIPPED: Final = Path(__file__).with_name("models.json")


@door
class ModelTable:
    """Models by name; a table never changes: `with_models` returns another one.

    >>> ModelTable.shipped().find("openai/gpt-4o-2024-08-06").name
    'gpt-4o'
    """

    def __init__(self, contents: TableContents | None = None) -> None:
        """By default the models that come with the package."""
        self._own = contents

    @lazy
    def contents(self) -> TableContents:
        """The models; those of the package are read at the first access."""
        if self._own is not None:
            return self._own
        return contents_of_file(_SHIPPED, TableContents({}, {}, {}, {}))

    @staticmethod
    @cache
    def shipped() -> ModelTable:
        """The table that comes with the package."""
        return ModelTable()

    @classmethod
    def from_file(cls, path: str | Path) -> ModelTable:
        """The shipped table, changed and extended by a JSON or YAML file of the same form."""
        return cls(contents_of_file(path_of(path), cls.shipped().contents))

    def with_models(self, models: Mapping[str, Model | Mapping[str, Any]]) -> ModelTable:
        """This table with other models; a mapping changes only the keys it has, as in a file.

        >>> ModelTable.shipped().with_models({"gpt-4o": {"window": 64_000}}).find("gpt-4o").window
        64000
        """
        return ModelTable(contents_with(models, self.contents))

    def find(self, name: str) -> Model:
        """The model of a name, which may start with a provider and end with a date or size."""
        if not isinstance(name, str):
            raise InputError("the name of a model is a text", place="model", found=name)
        keys = self.contents.keys
        matches = [key for start in _starts(name) for key in _prefixes(start) if key in keys]
        if not matches:
            raise UnknownNameError("Model", name, self.names())
        return self.contents.models[keys[max(matches, key=len)]]

    def names(self) -> tuple[str, ...]:
        """The names of all models, without aliases."""
        return tuple(self.contents.models)


def _starts(name: str) -> list[str]:
    """The whole name, and the name without the providers it starts with."""
    marks = [*re.finditer(r"[/:.]", name)][-_MOST_PARTS:]
    return [name, *(name[mark.end() :] for mark in marks)]


def _prefixes(name: str) -> Iterator[str]:
    """Yield the keys of the beginnings that may be a model's name, without date, size or variant.

    A short number is a version and stays: `qwen3` does not match `qwen3.5`.
    """
    key = dashed(name)
    yield model_key(key)
    for mark in islice(re.finditer(r"[-:@/]", key), _MOST_PARTS):
        if not _VERSION.match(key, mark.start()):
            yield model_key(key[: mark.start()])
