"""A table of models in a JSON or YAML file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from biblicus_context.base.file_content import file_content
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import LoadError, PlanError, UnknownNameError
from biblicus_context.spec.base import name_or
from biblicus_context.text.messages.framing import FRAMINGS, Framing
from biblicus_context.text.messages.images import AnyImageRule
from biblicus_context.text.models.model import Estimate, Model, TableContents, model_key


def contents_of_file(path: Path, old: TableContents) -> TableContents:
    """The old contents, changed and extended by a file."""
    written = _read(path)
    try:
        return _extended(old, _Table.model_validate(written), {})
    except ValidationError as error:
        invalid = first_invalid(error)
        raise LoadError(str(invalid), file=str(path), found=invalid.value) from error
    except PlanError as error:
        raise LoadError(str(error), file=str(path)) from error


def contents_with(
    models: Mapping[str, Model | Mapping[str, Any]], old: TableContents
) -> TableContents:
    """The old contents with other models; a mapping changes only the keys it has."""
    typed = {name: model for name, model in models.items() if isinstance(model, Model)}
    written = {name: entry for name, entry in models.items() if name not in typed}
    try:
        table = _Table.model_validate({"models": written})
    except ValidationError as error:
        invalid = first_invalid(error)
        raise PlanError(invalid.problem, place=invalid.place, found=invalid.value) from error
    return _extended(old, table, typed)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


_Rule = Annotated[AnyImageRule, Discriminator("rule")]
_RuleOrName = Annotated[
    Annotated[_Rule, Tag("rule")] | Annotated[str, Tag("name")], Discriminator(name_or("rule"))
]


class _WrittenEstimate(_Entry):
    counter: str
    margin: float = Field(ge=1)
    reason: str = Field(min_length=1)


_FramingOrName = Annotated[
    Annotated[Framing, Tag("framing")] | Annotated[str, Tag("name")],
    Discriminator(name_or("framing")),
]
_EstimateOrName = Annotated[
    Annotated[_WrittenEstimate, Tag("estimate")] | Annotated[str, Tag("name")],
    Discriminator(name_or("estimate")),
]


class _ModelEntry(_Entry):
    counter: str | None = None
    estimate: _EstimateOrName | None = None
    window: int | None = Field(default=None, ge=1)
    framing: _FramingOrName | None = None
    per_tools: int | None = Field(default=None, ge=0)
    images: _RuleOrName | None = None
    aliases: tuple[str, ...] = ()


class _Table(_Entry):
    images: dict[str, _Rule] = Field(default_factory=dict)
    estimates: dict[str, _WrittenEstimate] = Field(default_factory=dict)
    models: dict[str, _ModelEntry] = Field(default_factory=dict)


def _extended(old: TableContents, table: _Table, typed: Mapping[str, Model]) -> TableContents:
    images = {**old.images, **table.images}
    written = {name: _estimate(entry) for name, entry in table.estimates.items()}
    estimates = {**old.estimates, **written}
    models = {**old.models, **typed}
    keys = {**old.keys, **{model_key(name): name for name in typed}}
    for name, entry in table.models.items():
        models[name] = _model(models.get(name) or Model(name, ""), entry, images, estimates)
        keys |= {model_key(each): name for each in (name, *entry.aliases)}
    return TableContents(models, keys, images, estimates)


def _model(
    model: Model,
    entry: _ModelEntry,
    images: Mapping[str, AnyImageRule],
    estimates: Mapping[str, Estimate],
) -> Model:
    place = f"model '{model.name}'"
    if entry.counter is not None:
        model = replace(model, counter=entry.counter, exact=True, margin=1.0, reason="")
    if entry.estimate is not None:
        inline = entry.estimate if isinstance(entry.estimate, str) else _estimate(entry.estimate)
        guess = _named("Estimate", inline, estimates, place)
        model = replace(
            model, counter=guess.counter, exact=False, margin=guess.margin, reason=guess.reason
        )
    if not model.counter or (entry.counter and entry.estimate):
        raise PlanError("a model needs either a counter or an estimate", place=place)
    if entry.window is not None:
        model = replace(model, window=entry.window)
    if entry.framing is not None:
        model = replace(model, framing=_named("Framing", entry.framing, FRAMINGS, place))
    if entry.per_tools is not None:
        model = replace(model, framing=_with_tools(model.framing, entry.per_tools))
    if entry.images is not None:
        model = replace(model, images=_named("Image rule", entry.images, images, place))
    return model


def _with_tools(framing: Framing, published: int) -> Framing:
    """The framing with the figure for tool definitions published for one model."""
    guesses = tuple(name for name in framing.estimated if name != "per_tools")
    return replace(framing, per_tools=published, estimated=guesses)


def _estimate(written: _WrittenEstimate) -> Estimate:
    return Estimate(written.counter, written.margin, written.reason)


T = TypeVar("T")


def _named(noun: str, given: str | T, known: Mapping[str, T], place: str) -> T:
    if not isinstance(given, str):
        return given
    if given not in known:
        raise UnknownNameError(noun, given, known, place=place)
    return known[given]


def _read(path: Path) -> object:
    try:
        text = file_content(path).decode("utf-8")
        return json.loads(text) if path.suffix == ".json" else _yaml(text)
    except LoadError:
        raise
    except OSError as error:
        raise LoadError(f"the file cannot be read ({error.strerror})", file=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise LoadError(
            f"the file does not hold a table of models: {error}", file=str(path)
        ) from error


def _yaml(text: str) -> object:
    import yaml  # only needed for a caller's own table

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(error) from error
