"""A context, declared: messages to place, packs to insert, a policy to obey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from biblicus_context.spec.base import Name, Spec
from biblicus_context.spec.directive import (
    ContextInsertSpec,
    ContextMessageSpec,
    Directive,
    FirstSpec,
    HistoryInsertSpec,
    TextDirective,
)
from biblicus_context.spec.pack import ContextPackSpec, PackOptions
from biblicus_context.spec.policy import PolicyReference


class InputSpec(Spec):
    """One input of a context."""

    type: Literal["string", "integer", "number", "boolean", "array", "object", "any"] = Field(
        default="any", description="Type of the value."
    )
    required: bool = Field(
        default=True, description="Whether a call without this input is an error."
    )
    default: Any = Field(default=None, description="Value if the caller passes none.")
    example: Any = Field(
        default=None, description="Example value, used by previews and documentation."
    )
    description: str | None = Field(default=None, description="Purpose of the input.")

    @property
    def has_default(self) -> bool:
        """Whether the author wrote a default, be it null."""
        return "default" in self.model_fields_set


def _inputs_by_name(value: object) -> object:
    if isinstance(value, list):
        entries = [dict(entry) if isinstance(entry, dict) else {"name": entry} for entry in value]
        names = Counter(str(entry.get("name")) for entry in entries)
        repeated = [name for name, times in names.items() if times > 1]
        if repeated:
            raise ValueError(f"input {repeated[0]!r} is declared twice")
        return {entry.pop("name", None): entry for entry in entries}
    if isinstance(value, dict):
        return {
            name: {"type": spec} if isinstance(spec, str) else {} if spec is None else spec
            for name, spec in value.items()
        }
    return value


def _packs_by_name(value: object, info: ValidationInfo) -> object:
    if value is None or (value == {} and info.mode == "python"):
        return ()
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list | tuple):
        return entries
    return tuple({"name": entry} if isinstance(entry, str) else entry for entry in entries)


class ContextDeclaration(Spec):
    """The contents of one LLM call."""

    name: Name = Field(description="The name that callers use.", examples=["support"])
    description: str | None = Field(default=None, description="Purpose of the context.")
    policy: PolicyReference | None = Field(
        default=None,
        description="Budgets and rules: written here, or the name of a declared policy.",
    )
    inputs: Annotated[dict[str, InputSpec] | None, BeforeValidator(_inputs_by_name)] = Field(
        default=None,
        description="Inputs that callers pass; a call with invalid inputs is an error.",
        examples=[{"question": {"type": "string", "example": "Where is my order?"}}],
    )
    messages: tuple[ContextMessageSpec, ...] | None = Field(
        default=None,
        description="Messages to place, in order. Default: base prompt, packs, history, user message.",
    )
    packs: Annotated[tuple[ContextPackSpec, ...] | None, BeforeValidator(_packs_by_name)] = Field(
        default=None, description="Packs of the default plan; only allowed without messages."
    )

    @model_validator(mode="after")
    def _is_one_plan(self) -> Self:
        directives = self.messages or ()
        if self.messages is not None and self.packs:
            raise ValueError("packs belong to the default plan: with messages, use type: context")
        if sum(isinstance(directive, HistoryInsertSpec) for directive in directives) > 1:
            raise ValueError("history can be placed only once")
        return self

    @property
    def directives(self) -> Sequence[Directive]:
        """Every directive that may be placed, alternatives included."""
        # Lists here and below: the first call of a context waits for them several times.
        directives: list[Directive] = []
        for directive in self.messages or ():
            directives += directive.first if isinstance(directive, FirstSpec) else (directive,)
        return directives

    @property
    def inserts(self) -> Sequence[PackOptions]:
        """Every pack this context may place."""
        inserted = [one for one in self.directives if isinstance(one, ContextInsertSpec)]
        return [*(self.packs or ()), *inserted]

    @property
    def texts(self) -> Iterator[str]:
        """Every text an author wrote for it."""
        for directive in self.directives:
            if isinstance(directive, TextDirective):
                yield directive.content or directive.template or ""
