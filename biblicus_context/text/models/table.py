"""The table of models: which counter, window, framing and image rule each one has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.errors import UnknownNameError
from biblicus_context.text.messages.framing import FRAMINGS, Framing

if TYPE_CHECKING:
    from biblicus_context.text.messages.images import AnyImageRule, ImageRule

_SHIPPED: Final = Path(__file__).with_name("models.json")


def _unstated() -> ImageRule:
    from biblicus_context.text.messages.images import UNSTATED  # noqa: PLC0415 - only for a named model

    return UNSTATED


@dataclass(frozen=True, slots=True)
class Model:
    """What has to be known of a model to count for it."""

    name: str
    counter: str
    window: int | None = None
    framing: Framing = FRAMINGS["none"]
    images: ImageRule = field(default_factory=_unstated)
    exact: bool = True
    """Whether the counter has the model's own vocabulary."""
    margin: float = 1.0
    """What the counter's figure is multiplied by where it has not."""
    reason: str = ""
    """Why the margin is what it is."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How to count for a model whose vocabulary is not public."""

    counter: str
    margin: float
    reason: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What a table holds."""

    models: Mapping[str, Model]
    keys: Mapping[str, str]
    """Names and aliases as `model_key` writes them, with the name of the model."""
    images: Mapping[str, AnyImageRule]
    estimates: Mapping[str, Estimate]


class ModelTable:
    """Models by name; a table never changes, `with_models` makes another one.

    >>> ModelTable.shipped().find("openai/gpt-4o-2024-08-06").name
    'gpt-4o'
    """

    def __init__(self, read: Callable[[], Contents]) -> None:
        self._read = read

    @cached_property
    def contents(self) -> Contents:
        """The models, read when the first one is asked for."""
        return self._read()

    @staticmethod
    @cache
    def shipped() -> ModelTable:
        """The table that comes with the package."""

        def read() -> Contents:
            from biblicus_context.text.models.file import contents_of_file  # noqa: PLC0415

            return contents_of_file(_SHIPPED, Contents({}, {}, {}, {}))

        return ModelTable(read)

    @classmethod
    def from_file(cls, path: str | Path) -> ModelTable:
        """The shipped table, changed and extended by a JSON or YAML file of the same form."""
        from biblicus_context.text.models.file import contents_of_file  # noqa: PLC0415

        contents = contents_of_file(Path(path), cls.shipped().contents)
        return cls(lambda: contents)

    def with_models(self, models: Mapping[str, Model | Mapping[str, Any]]) -> ModelTable:
        """This table with other models; a mapping changes only what it names, as in a file.

        >>> ModelTable.shipped().with_models({"gpt-4o": {"window": 64_000}}).find("gpt-4o").window
        64000
        """
        from biblicus_context.text.models.file import contents_with  # noqa: PLC0415

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


def model_key(name: str) -> str:
    """A name as it is compared: `Llama-3.1`, `llama3-1` and `LLAMA_3.1` are one."""
    return re.sub(r"(?<=[a-z])-(?=\d)", "", _dashed(name))


def _dashed(name: str) -> str:
    return re.sub(r"[._\s]+", "-", name.lower())


def _starts(name: str) -> list[str]:
    """The name as a whole, and what is left of it without the providers in front."""
    return [name, *(name[mark.end() :] for mark in re.finditer(r"[/:.]", name))]


def _prefixes(name: str) -> Iterator[str]:
    """Keys of what may be a model's name in front of a date, a size or a variant.

    A short number is none of these but another version: `qwen3` does not stand for `qwen3.5`.
    """
    dashed = _dashed(name)
    yield model_key(dashed)
    for mark in re.finditer(r"[-:@/]", dashed):
        if not re.match(r"-\d{1,2}(?![\da-z])", dashed[mark.start() :]):
            yield model_key(dashed[: mark.start()])
