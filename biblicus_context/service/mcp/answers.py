"""What tools are asked and what they answer, as models: their JSON Schemas are what an agent reads."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

_MOST_TEXT = 20_000
_MOST_TOKENS = 32_000

Query: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=_MOST_TEXT)]
Tokens: TypeAlias = Annotated[int, Field(ge=50, le=_MOST_TOKENS, strict=True)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Assemble(_Asked):
    context: str
    inputs: dict[str, Any] = {}
    max_tokens: Tokens = 8_000


class Searching(_Asked):
    query: Query
    corpus: str | None = None
    max_tokens: Tokens = 1_500


class Recall(_Asked):
    query: Query
    max_tokens: Tokens = 1_500


class Premortem(_Asked):
    domain: Query
    strategy: str | None = None
    max_tokens: Tokens = 1_500


class Remember(_Asked):
    text: Text
    category: Literal["fact", "preference", "decision", "error"] = "fact"


class Feedback(_Asked):
    uris: Annotated[list[str], Field(min_length=1, max_length=100)]
    useful: bool


class LeftOutPart(BaseModel):
    part: str
    action: str
    reason: str


class AssembledContext(BaseModel):
    messages: list[dict[str, Any]]
    tokens: int
    left_out: list[LeftOutPart]


class Searched(BaseModel):
    text: str
    tokens: int
    more: int
    """Passages that were found and did not fit."""
    warnings: list[str]


class Recalled(BaseModel):
    text: str
    tokens: int


class Remembered(BaseModel):
    id: str


class Unknown(BaseModel):
    unknown: list[str]
