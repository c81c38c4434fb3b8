"""What editors offer for settings: words and examples, never what is wrong with a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from biblicus_context.base.registry import Registry
from biblicus_context.retrieval.fusion import FUSIONS
from biblicus_context.retrieval.rank import COMPONENTS
from biblicus_context.retrieval.select import SELECTIONS
from generators.schemas.shapes import Schema

_OWN_NAME: Schema = {
    "properties": {
        "type": {
            "description": "The component, if the key is a name of your own.",
            "examples": [*COMPONENTS.entries],
        },
        "weight": {"description": "How much it counts relative to the others."},
    }
}
_WEIGHT: Schema = {"description": "How much it counts relative to the others.", "default": 1}


def offered(model: type[BaseModel], *, but: Collection[str] = ()) -> Schema:
    """The settings of a model and of the models in it, by the words that authors write."""
    return {
        field.alias or name: _setting(field.alias or name, field)
        for name, field in model.model_fields.items()
        if (field.alias or name) not in but
    }


def _setting(word: str, field: FieldInfo) -> Schema:
    examples = [*(field.examples or _words(field.annotation))]
    shown: Schema = {"description": field.description}
    if word == "rank":
        shown |= {"properties": _components(COMPONENTS), "additionalProperties": _OWN_NAME}
        examples = [*shown["properties"], *_mappings(examples)]
    elif word in _NAMED:
        shown |= _parts(_NAMED[word])
        examples = [*shown["properties"]["type"]["examples"], *_mappings(examples)]
    elif models := [*_models(field.annotation)]:
        inner = {key: each for model in models for key, each in offered(model).items()}
        shown |= _within(field.annotation, inner)
    return {**shown, **({"examples": examples} if examples else {})}


_NAMED: Mapping[str, Registry[Any]] = {"select": SELECTIONS, "fusion": FUSIONS}


def _components(family: Registry[Any]) -> Schema:
    """Components of a ranking: a weight, or settings with one."""
    return {
        word: {
            "description": _summary(entry),
            "properties": {"weight": _WEIGHT, **_settings_of(entry)},
            "examples": [1],
        }
        for word, entry in family.entries.items()
    }


def _parts(family: Registry[Any]) -> Schema:
    """Parts that are a name, or settings whose `type` is a name."""
    names = [*family.entries]
    described = "\n".join(f"{word}: {_summary(each)}" for word, each in family.entries.items())
    return {
        "properties": {"type": {"description": described, "examples": names}},
        "allOf": [
            {
                "if": {"required": ["type"], "properties": {"type": {"enum": [word]}}},
                "then": {"properties": settings},
            }
            for word, entry in family.entries.items()
            if (settings := _settings_of(entry))
        ],
    }


def _settings_of(entry: object) -> Schema:
    return offered(entry) if isinstance(entry, type) and issubclass(entry, BaseModel) else {}


def _summary(entry: object) -> str:
    return (entry.__doc__ or "").partition("\n")[0]


def _mappings(examples: Collection[Any]) -> list[Any]:
    return [each for each in examples if isinstance(each, Mapping)]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in an annotation, which may be a union, a list or a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from _models(each)


def _within(annotation: Any, settings: Schema) -> Schema:
    """Settings of a value, or of each value of a mapping whose keys are the author's own."""
    own: Schema = {"properties": settings}
    return {"additionalProperties": own} if get_origin(annotation) is Mapping else own


def _words(annotation: Any) -> Iterator[Any]:
    """The values of a setting that has only a few."""
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
