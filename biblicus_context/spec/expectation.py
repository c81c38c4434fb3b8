"""What a golden test expects of one assembly."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from biblicus_context.spec.base import Spec, name_or
from biblicus_context.spec.recorded import Role

Phrase = Annotated[str, Field(min_length=1)]
Phrases = Annotated[
    Annotated[tuple[Phrase, ...], Tag("list")] | Annotated[Phrase, Tag("name")],
    Discriminator(name_or("list")),
]
"""Texts that are looked for; one alone need not be in a list."""
Action: TypeAlias = Literal["kept", "shortened", "dropped", "not asked", "failed"]
ErrorName: TypeAlias = Literal[
    "BudgetError",
    "CompactorError",
    "ContextError",
    "CycleError",
    "InputError",
    "MissingExtraError",
    "PlanError",
    "RetrieverError",
    "TemplateError",
    "UnknownNameError",
    "UnknownPackError",
]
ERROR_ALONE = "error stands alone: what ends with an error has no result to check"


class TextChecks(Spec):
    """What a text has to hold."""

    contains: Phrases | None = Field(
        default=None, description="Each of these texts is in it.", examples=["Answer first"]
    )
    absent: Phrases | None = Field(default=None, description="None of these texts is in it.")
    order: tuple[Phrase, ...] | None = Field(
        default=None,
        min_length=1,
        description="These texts are in it, one behind the other.",
        examples=[["You are", "Answer first"]],
    )


class TextExpectation(TextChecks):
    """What one text is, or what is in it."""

    equals: str | None = Field(default=None, description="It is exactly this text.")


Text = Annotated[
    Annotated[TextExpectation, Tag("checks")] | Annotated[str, Tag("name")],
    Discriminator(name_or("checks")),
]
"""What a text is exactly, or what is said about it."""


class TokenExpectation(Spec):
    """A number of tokens."""

    min: int | None = Field(default=None, ge=0, description="Tokens at least.")
    max: int | None = Field(default=None, ge=0, description="Tokens at most.", examples=[2000])

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a range of tokens must specify min or max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is larger than max")
        return self


def _kind_of_tokens(value: Any) -> str:
    return "range" if isinstance(value, dict | TokenExpectation) else "number"


Tokens = Annotated[
    Annotated[TokenExpectation, Tag("range")]
    | Annotated[Annotated[int, Field(ge=0)], Tag("number")],
    Discriminator(_kind_of_tokens),
]
"""An exact number, or a range."""


class ErrorExpectation(Spec):
    """The error an assembly ends with."""

    name: ErrorName = Field(description="Its class, or one that it belongs to.")
    says: Phrases | None = Field(default=None, description="Each of these texts is in its message.")


ExpectedError = Annotated[
    Annotated[ErrorExpectation, Tag("error")] | Annotated[ErrorName, Tag("name")],
    Discriminator(name_or("error")),
]
"""The class of an error, or the class and what it says."""


class HistoryExpectation(TextChecks):
    """What is left of the conversation; numbers are those of the messages handed in."""

    kept: tuple[int, ...] | None = Field(
        default=None,
        description="These messages are kept; -1 is the newest, 0 the oldest.",
        examples=[[-2, -1]],
    )
    dropped: tuple[int, ...] | None = Field(
        default=None, description="These messages are dropped.", examples=[[0]]
    )


class PackExpectation(Spec):
    """What became of a pack; one that is placed twice is judged as a whole."""

    requests: int | None = Field(
        default=None, ge=0, description="How often its retriever is asked.", examples=[1]
    )
    query: Text | None = Field(default=None, description="What its retriever is asked.")
    text: Text | None = Field(default=None, description="The text that is placed.")
    tokens: Tokens | None = Field(default=None, description="Tokens it is given.")
    kept: tuple[str, ...] | None = Field(
        default=None, description="Blocks that are placed as they came, by id.", examples=[["lost"]]
    )
    shortened: tuple[str, ...] | None = Field(
        default=None, description="Blocks that are placed in part, by id."
    )
    dropped: tuple[str, ...] | None = Field(
        default=None, description="Blocks that came and are not placed, by id."
    )


class PrefixExpectation(Spec):
    """What a call leaves unchanged at the beginning of the call before it."""

    min_tokens: int | None = Field(default=None, ge=1, description="Tokens at least.")
    min_share: float | None = Field(
        default=None, gt=0, le=1, description="Part of the earlier call at least.", examples=[0.8]
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.min_tokens is None and self.min_share is None:
            raise ValueError("a stable prefix must specify min_tokens or min_share")
        return self


class Expectation(TextChecks):
    """What has to be so; texts are looked for in all messages together."""

    fits: bool = Field(
        default=True, description="Whether it fits into its budget; false: it has to be over it."
    )
    error: ExpectedError | None = Field(
        default=None,
        description="The error it ends with, by its class; nothing else is expected then.",
        examples=["BudgetError"],
    )
    tokens: Tokens | None = Field(
        default=None, description="Tokens of everything that is sent.", examples=[{"max": 90}]
    )
    system_prompt: Text | None = Field(default=None, description="The system prompt.")
    user_message: Text | None = Field(default=None, description="The user message.")
    history: HistoryExpectation | None = Field(
        default=None, description="What stands between the system prompt and the user message."
    )
    roles: tuple[Role, ...] | None = Field(
        default=None,
        description="The role of each message, in order.",
        examples=[["system", "user"]],
    )
    parts: dict[str, Action] | None = Field(
        default=None,
        description="What became of parts, by pack name, role or place such as messages[2].",
        examples=[{"history": "shortened"}],
    )
    packs: dict[str, PackExpectation] | None = Field(
        default=None, description="What became of packs, by name."
    )
    stable_prefix: PrefixExpectation | None = Field(
        default=None, description="What each call of `turns` leaves as it was in the one before."
    )
    snapshot: bool = Field(
        default=False,
        description="It is exactly what stands in __snapshots__; --update writes it there.",
    )

    @model_validator(mode="after")
    def _is_an_error_or_a_result(self) -> Self:
        if self.error is not None and self.model_fields_set != {"error"}:
            raise ValueError(ERROR_ALONE)
        return self
