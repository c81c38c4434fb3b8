"""The tools, a row of a table for each; one that nothing can answer is not listed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, cast

from pydantic import BaseModel, ValidationError

from biblicus_context.base import InvalidValue, first_invalid
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.service.mcp.answers import (
    Assemble,
    AssembledContext,
    Feedback,
    Premortem,
    Recall,
    Recalled,
    Remember,
    Remembered,
    Searched,
    Searching,
    Unknown,
)
from biblicus_context.service.mcp.offer import Offer

_Ask: TypeAlias = Callable[[Offer, Any], Awaitable[BaseModel]]
_Json: TypeAlias = dict[str, Any]


class Tool(NamedTuple):
    """What an agent may call."""

    name: str
    says: str
    asked: type[BaseModel]
    answer: type[BaseModel]
    ask: _Ask
    is_there: Callable[[Offer], bool]
    names: Callable[[Offer], Mapping[str, list[str]]] = lambda _: {}
    """The valid values of arguments that are names."""
    writes: bool = False

    def input_schema(self, offer: Offer) -> _Json:
        """What it takes, with the names that there are."""
        schema = _short(self.asked.model_json_schema())
        for argument, valid in self.names(offer).items():
            schema["properties"][argument] = {"enum": valid}
        return schema

    def output_schema(self) -> _Json:
        """What it answers."""
        fields = self.answer.model_json_schema()["properties"]
        kinds = {name: {"type": each.get("type", "string")} for name, each in fields.items()}
        return {"type": "object", "properties": kinds}

    async def call(self, offer: Offer, arguments: Mapping[str, Any]) -> BaseModel:
        """Its answer; an InputError says which argument is wrong."""
        try:
            asked = self.asked.model_validate(dict(arguments))
        except ValidationError as error:
            raise self._refused(first_invalid(error)) from None
        return await self.ask(offer, asked)

    def _refused(self, invalid: InvalidValue) -> InputError:
        if invalid.is_unknown_key:
            valid = self.asked.model_fields
            return InputError("unknown argument", place=self.name, found=invalid.place, valid=valid)
        place = f"{self.name}.{invalid.place}"
        return InputError(invalid.problem, place=place, found=invalid.value)


def tools_of(offer: Offer) -> dict[str, Tool]:
    """The tools that can answer, by name."""
    allowed = (each for each in TOOLS if offer.may_write or not each.writes)
    return {each.name: each for each in allowed if each.is_there(offer)}


def tool_named(offer: Offer, name: str) -> Tool:
    """The tool of this name; an error lists those that there are."""
    tools = tools_of(offer)
    if name not in tools:
        raise UnknownNameError("Tool", name, tools)
    return tools[name]


def _short(schema: _Json) -> _Json:
    """A schema without what a model does not read: titles, nulls, bounds that an error says."""
    fields = {name: _short_field(each) for name, each in schema["properties"].items()}
    short: _Json = {"type": "object", "properties": fields}
    if "required" in schema:
        short["required"] = schema["required"]
    return short


def _short_field(field: _Json) -> _Json:
    kinds = [each for each in field.get("anyOf", (field,)) if each.get("type") != "null"]
    own = cast("_Json", kinds[0])
    kept: _Json = {key: own[key] for key in ("type", "enum", "items") if key in own}
    if "enum" in kept:
        del kept["type"]
    return kept


def _of_contexts(offer: Offer) -> Mapping[str, list[str]]:
    return {"context": [*offer.assembler.contexts]}


def _of_corpora(offer: Offer) -> Mapping[str, list[str]]:
    return {"corpus": [*offer.corpora]}


TOOLS: Final = (
    Tool(
        "search",
        "Best passages of a corpus. Use before reading files.",
        Searching,
        Searched,
        lambda offer, it: offer.search(it.corpus, it.query, it.max_tokens),
        lambda offer: bool(offer.corpora),
        _of_corpora,
    ),
    Tool(
        "assemble",
        "Messages of a declared context.",
        Assemble,
        AssembledContext,
        lambda offer, it: offer.assemble(it.context, it.inputs, it.max_tokens),
        lambda offer: bool(offer.assembler.contexts),
        _of_contexts,
    ),
    Tool(
        "recall",
        "What was learned about a task.",
        Recall,
        Recalled,
        lambda offer, it: offer.recall(it.query, it.max_tokens),
        lambda offer: offer.learning is not None,
    ),
    Tool(
        "premortem",
        "What went wrong in a domain before. Use after a first failure.",
        Premortem,
        Recalled,
        lambda offer, it: offer.premortem(it.domain, it.strategy, it.max_tokens),
        lambda offer: offer.learning is not None,
    ),
    Tool(
        "remember",
        "Keep a fact for later tasks.",
        Remember,
        Remembered,
        lambda offer, it: offer.remember(it.text, it.category),
        lambda offer: offer.learning is not None,
        writes=True,
    ),
    Tool(
        "feedback",
        "Say whether passages were useful.",
        Feedback,
        Unknown,
        lambda offer, it: offer.feedback(it.uris, useful=it.useful),
        lambda offer: bool(offer.corpora),
        writes=True,
    ),
)
