"""The table of models: which counter, window, framing and image rule each one has."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from biblicus_context.errors import LoadError, PlanError, UnknownNameError
from biblicus_context.spec.base import name_or
from biblicus_context.text.images import UNSTATED, AnyImageRule, ImageRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SHIPPED: Final = Path(__file__).with_name("models.json")


@dataclass(frozen=True, slots=True)
class Framing:
    """Tokens that a model's message format puts around contents."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    per_message: int = 0
    per_name: int = 0
    per_reply: int = 0
    """Once a call: what opens the answer, and what the format puts in front of the first message."""
    per_tool_call: int = 0
    """For a call together with its result."""
    per_tools: int = 0
    """Once a call that defines tools: the instructions on how to use them."""


# Counted on the published chat templates, each figure the largest that any role needs; `openai` is
# the tiktoken cookbook's. What tool calls add there and at Anthropic is not published: a high guess.
FRAMINGS: Final[Mapping[str, Framing]] = MappingProxyType(
    {
        "none": Framing(),
        "openai": Framing(4, 1, 3, 12, 16),
        "harmony": Framing(7, 1, 77, 16, 16),
        "anthropic": Framing(5, 1, 5, 40, 804),
        "gemini": Framing(5, 1, 4, 16, 32),
        "gemma": Framing(5, 1, 5, 16, 32),
        "chatml": Framing(5, 1, 7, 18, 90),
        "qwen": Framing(5, 1, 28, 18, 90),
        "llama2": Framing(13, 1, 1, 16, 64),
        "llama3": Framing(6, 1, 5, 10, 56),
        "llama3.1": Framing(6, 1, 35, 10, 56),
        "llama4": Framing(6, 1, 35, 10, 56),
        "mistral_v1": Framing(8, 1, 1, 40, 16),
        "mistral": Framing(3, 1, 1, 40, 16),
        "deepseek": Framing(2, 1, 4, 18, 130),
        "phi4": Framing(4, 1, 3, 16, 32),
        "glm4": Framing(6, 1, 6, 24, 130),
        "kimi": Framing(4, 1, 21, 20, 8),
        "olmo2": Framing(8, 1, 6, 16, 32),
    }
)


def framing_named(name: str) -> Framing:
    """The framing of this name."""
    if name not in FRAMINGS:
        raise UnknownNameError("Framing", name, FRAMINGS)
    return FRAMINGS[name]


@dataclass(frozen=True, slots=True)
class Model:
    """What has to be known of a model to count for it."""

    name: str
    counter: str
    window: int | None = None
    framing: Framing = FRAMINGS["none"]
    images: ImageRule = UNSTATED
    exact: bool = True
    """Whether the counter has the model's own vocabulary."""
    margin: float = 1.0
    """What the counter's figure is multiplied by where it has not."""
    reason: str = ""
    """Why the margin is what it is."""


class ModelTable:
    """Models by name; a table never changes, `with_models` makes another one.

    >>> ModelTable.shipped().find("openai/gpt-4o-2024-08-06").name
    'gpt-4o'
    """

    def __init__(self, contents: _Contents) -> None:
        self._contents = contents

    @staticmethod
    @cache
    def shipped() -> ModelTable:
        """The table that comes with the package."""
        return ModelTable(_extended(_NO_CONTENTS, _Table.model_validate(_read(_SHIPPED)), {}))

    @classmethod
    def from_file(cls, path: str | Path) -> ModelTable:
        """The shipped table, changed and extended by a JSON or YAML file of the same form."""
        written = _read(Path(path))
        try:
            return cls(_extended(cls.shipped()._contents, _Table.model_validate(written), {}))
        except ValidationError as error:
            where, what, found = _problem(error)
            raise LoadError(f"{where}: {what}", file=str(path), found=found) from error
        except PlanError as error:
            raise LoadError(str(error), file=str(path)) from error

    def with_models(self, models: Mapping[str, Model | Mapping[str, Any]]) -> ModelTable:
        """This table with other models; a mapping changes only what it names, as in a file.

        >>> ModelTable.shipped().with_models({"gpt-4o": {"window": 64_000}}).find("gpt-4o").window
        64000
        """
        typed = {name: model for name, model in models.items() if isinstance(model, Model)}
        written = {name: entry for name, entry in models.items() if name not in typed}
        try:
            table = _Table.model_validate({"models": written})
        except ValidationError as error:
            where, what, found = _problem(error)
            raise PlanError(what, place=where, found=found) from error
        return ModelTable(_extended(self._contents, table, typed))

    def find(self, name: str) -> Model:
        """The model of a name that may have a provider in front and a date or size behind."""
        keys = self._contents.keys
        matches = [key for start in _starts(name) for key in _prefixes(start) if key in keys]
        if not matches:
            raise UnknownNameError("Model", name, self.names())
        return self._contents.models[keys[max(matches, key=len)]]

    def names(self) -> tuple[str, ...]:
        """The names of all models, without aliases."""
        return tuple(self._contents.models)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


_Rule = Annotated[AnyImageRule, Discriminator("rule")]
_RuleOrName = Annotated[
    Annotated[_Rule, Tag("rule")] | Annotated[str, Tag("name")], Discriminator(name_or("rule"))
]


class _Estimate(_Entry):
    counter: str
    margin: float = Field(ge=1)
    reason: str = Field(min_length=1)


_FramingOrName = Annotated[
    Annotated[Framing, Tag("framing")] | Annotated[str, Tag("name")],
    Discriminator(name_or("framing")),
]
_EstimateOrName = Annotated[
    Annotated[_Estimate, Tag("estimate")] | Annotated[str, Tag("name")],
    Discriminator(name_or("estimate")),
]


class _ModelEntry(_Entry):
    counter: str | None = None
    estimate: _EstimateOrName | None = None
    window: int | None = Field(default=None, ge=1)
    framing: _FramingOrName | None = None
    images: _RuleOrName | None = None
    aliases: tuple[str, ...] = ()


class _Table(_Entry):
    images: dict[str, _Rule] = Field(default_factory=dict)
    estimates: dict[str, _Estimate] = Field(default_factory=dict)
    models: dict[str, _ModelEntry] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Contents:
    models: Mapping[str, Model]
    keys: Mapping[str, str]
    """Names and aliases as `_key` writes them, with the name of the model."""
    images: Mapping[str, AnyImageRule]
    estimates: Mapping[str, _Estimate]


_NO_CONTENTS: Final = _Contents({}, {}, {}, {})


def _extended(old: _Contents, table: _Table, typed: Mapping[str, Model]) -> _Contents:
    images = {**old.images, **table.images}
    estimates = {**old.estimates, **table.estimates}
    models = {**old.models, **typed}
    keys = {**old.keys, **{_key(name): name for name in typed}}
    for name, entry in table.models.items():
        models[name] = _model(models.get(name) or Model(name, ""), entry, images, estimates)
        keys |= {_key(each): name for each in (name, *entry.aliases)}
    return _Contents(models, keys, images, estimates)


def _model(
    model: Model,
    entry: _ModelEntry,
    images: Mapping[str, AnyImageRule],
    estimates: Mapping[str, _Estimate],
) -> Model:
    place = f"model '{model.name}'"
    if entry.counter is not None:
        model = replace(model, counter=entry.counter, exact=True, margin=1.0, reason="")
    if entry.estimate is not None:
        guess = _named("Estimate", entry.estimate, estimates, place)
        model = replace(
            model, counter=guess.counter, exact=False, margin=guess.margin, reason=guess.reason
        )
    if not model.counter or (entry.counter and entry.estimate):
        raise PlanError("a model needs either a counter or an estimate", place=place)
    if entry.window is not None:
        model = replace(model, window=entry.window)
    if entry.framing is not None:
        model = replace(model, framing=_named("Framing", entry.framing, FRAMINGS, place))
    if entry.images is not None:
        model = replace(model, images=_named("Image rule", entry.images, images, place))
    return model


T = TypeVar("T")


def _named(noun: str, given: str | T, known: Mapping[str, T], place: str) -> T:
    if not isinstance(given, str):
        return given
    if given not in known:
        raise UnknownNameError(noun, given, known, place=place)
    return known[given]


def _key(name: str) -> str:
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
    yield _key(dashed)
    for mark in re.finditer(r"[-:@/]", dashed):
        if not re.match(r"-\d{1,2}(?![\da-z])", dashed[mark.start() :]):
            yield _key(dashed[: mark.start()])


def _read(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else _yaml(text)
    except OSError as error:
        raise LoadError(f"the file cannot be read ({error.strerror})", file=str(path)) from error
    except ValueError as error:
        raise LoadError(
            f"the file does not hold a table of models: {error}", file=str(path)
        ) from error


def _yaml(text: str) -> object:
    import yaml  # noqa: PLC0415 - only needed for a caller's own table

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(error) from error


def _problem(error: ValidationError) -> tuple[str, str, object]:
    problem = error.errors(include_url=False)[0]
    return ".".join(map(str, problem["loc"])), problem["msg"], problem["input"]
