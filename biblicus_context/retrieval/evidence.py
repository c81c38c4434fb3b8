"""Evidence as another library's retriever ranks it, typed at the door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from biblicus_context.errors import InputError
from biblicus_context.text.sound import Text


class Evidence(BaseModel):
    """One ranked piece of evidence; evidence that is not text has none."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="ignore")

    item_id: Text = Field(min_length=1, description="Names the evidence.")
    text: Text | None = Field(default=None, description="The evidence itself.")
    rank: int | None = Field(default=None, description="Place in the ranked list; 1 is best.")
    score: float | None = Field(default=None, description="How well it matches; higher is better.")
    source_uri: Text | None = Field(default=None, description="Where it comes from.")
    stage: Text | None = Field(default=None, description="What ranked it.")
    metadata: dict[str, object] | None = Field(default=None, description="What is known of it.")


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


class _Result(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="ignore")

    evidence: list[Annotated[Evidence, BeforeValidator(_plain)]]


def evidence_of(result: object) -> list[Evidence]:
    """The evidence of any object or mapping that has some, in the order it came."""
    try:
        return _Result.model_validate(_plain(result)).evidence
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"a {type(result).__name__} is not a retrieval result ({where or 'result'}: "
            f"{first['msg']})",
            fix="Pass an object or a mapping whose `evidence` lists items with item_id and text.",
        ) from None
