"""The expectations of a golden test."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

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
ERROR_ALONE = "error must be the only expectation: a failed assembly has no result to check"


def _no_number(value: object) -> object:
    """Refuse 0 and 1.0, which are equal to booleans, but not in the schema."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError("must be true, false or 'receipt'")
    return value


class TextChecks(Spec):
    """Checks on a text."""

    contains: Phrases | None = Field(
        default=None, description="The text contains each of these.", examples=["Answer first"]
    )
    absent: Phrases | None = Field(default=None, description="The text contains none of these.")
    order: tuple[Phrase, ...] | None = Field(
        default=None,
        min_length=1,
        description="The text contains these in this order.",
        examples=[["You are", "Answer first"]],
    )


class TextExpectation(TextChecks):
    """The exact text, or checks on it."""

    equals: str | None = Field(default=None, description="The text is exactly this.")


Text = Annotated[
    Annotated[TextExpectation, Tag("checks")] | Annotated[str, Tag("name")],
    Discriminator(name_or("checks")),
]
"""What a text is exactly, or what it must contain."""


class TokenExpectation(Spec):
    """A range of tokens."""

    min: int | None = Field(default=None, ge=0, description="Minimum number of tokens.")
    max: int | None = Field(
        default=None, ge=0, description="Maximum number of tokens.", examples=[2000]
    )

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


def _percent(value: str) -> str:
    if not re.fullmatch(r"(100|\d{1,2}(\.\d+)?)%", value):
        raise ValueError("unused_at_most must be a number of tokens, or a part such as 5%")
    return value


Percent = Annotated[str, AfterValidator(_percent)]
Unused = Annotated[
    Annotated[Percent, Tag("name")] | Annotated[Annotated[int, Field(ge=0)], Tag("number")],
    Discriminator(name_or("number")),
]
"""A number of tokens, or a part of the budget such as 5%."""


class ErrorExpectation(Spec):
    """The error that the assembly raises."""

    name: ErrorName = Field(description="Class of the error, or a base class of it.")
    says: Phrases | None = Field(
        default=None, description="The message contains each of these texts."
    )


ExpectedError = Annotated[
    Annotated[ErrorExpectation, Tag("error")] | Annotated[ErrorName, Tag("name")],
    Discriminator(name_or("error")),
]
"""The class of an error, or the class and what it says."""


class HistoryExpectation(TextChecks):
    """Expected history; messages are numbered as they were passed."""

    kept: tuple[int, ...] | None = Field(
        default=None,
        description="Messages that are kept; 0 is the oldest, -1 the newest.",
        examples=[[-2, -1]],
    )
    dropped: tuple[int, ...] | None = Field(
        default=None, description="Messages that are dropped.", examples=[[0]]
    )


class PackExpectation(Spec):
    """Expected pack; one that is placed twice is checked as a whole."""

    requests: int | None = Field(
        default=None, ge=0, description="Number of requests to the retriever.", examples=[1]
    )
    query: Text | None = Field(default=None, description="Query that the retriever receives.")
    text: Text | None = Field(default=None, description="Text of the pack in the messages.")
    tokens: Tokens | None = Field(default=None, description="Tokens of the pack.")
    kept: tuple[str, ...] | None = Field(
        default=None, description="Ids of blocks that are placed unchanged.", examples=[["lost"]]
    )
    shortened: tuple[str, ...] | None = Field(
        default=None, description="Ids of blocks that are placed in part."
    )
    dropped: tuple[str, ...] | None = Field(
        default=None, description="Ids of blocks that were retrieved but not placed."
    )


class PrefixExpectation(Spec):
    """Expected prefix that a call shares with the previous call."""

    min_tokens: int | None = Field(default=None, ge=1, description="Minimum number of tokens.")
    min_share: float | None = Field(
        default=None, gt=0, le=1, description="Minimum part of the previous call.", examples=[0.8]
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.min_tokens is None and self.min_share is None:
            raise ValueError("a stable prefix must specify min_tokens or min_share")
        return self


class RecallExpectation(Spec):
    """Expected evidence in a context, over all questions of a case."""

    tokens: int = Field(ge=1, description="Tokens of the context.", examples=[1000])
    at_least: float = Field(
        gt=0,
        le=1,
        description="Least mean share of the files of a question that are in the context.",
        examples=[0.9],
    )


class Expectation(TextChecks):
    """Expectations of a case; texts are searched in all messages together."""

    fits: bool = Field(
        default=True,
        description="Whether the result fits the budget; false expects it to exceed the budget.",
    )
    error: ExpectedError | None = Field(
        default=None,
        description="Expected error, by class; no other expectation is allowed with it.",
        examples=["BudgetError"],
    )
    tokens: Tokens | None = Field(
        default=None, description="Total tokens of the request.", examples=[{"max": 90}]
    )
    unused_at_most: Unused | None = Field(
        default=None,
        description="Tokens of the budget that may be unused: a number, or a part such as 5%.",
        examples=["5%"],
    )
    system_prompt: Text | None = Field(default=None, description="The system prompt.")
    user_message: Text | None = Field(default=None, description="The user message.")
    history: HistoryExpectation | None = Field(
        default=None, description="Messages between the system prompt and the user message."
    )
    roles: tuple[Role, ...] | None = Field(
        default=None,
        description="The role of each message, in order.",
        examples=[["system", "user"]],
    )
    parts: dict[str, Action] | None = Field(
        default=None,
        description="Expected action for each part, by pack name, role or place such as messages[2].",
        examples=[{"history": "shortened"}],
    )
    packs: dict[str, PackExpectation] | None = Field(
        default=None, description="Expected packs, by name."
    )
    stable_prefix: PrefixExpectation | None = Field(
        default=None, description="Prefix that each call of `turns` shares with the previous one."
    )
    recall_at: RecallExpectation | None = Field(
        default=None,
        description="Evidence that the retriever finds for the `questions` of the case, in the "
        "index of its corpus.",
        examples=[{"tokens": 1000, "at_least": 0.9}],
    )
    snapshot: Annotated[Literal[False, True, "receipt"], BeforeValidator(_no_number)] = Field(
        default=False,
        description="Compare the result with the snapshot in __snapshots__; --update writes it. "
        "With `receipt`, the snapshot has the receipt too, as explain prints it.",
    )

    @model_validator(mode="after")
    def _is_an_error_or_a_result(self) -> Self:
        if self.error is not None and self.model_fields_set != {"error"}:
            raise ValueError(ERROR_ALONE)
        return self
