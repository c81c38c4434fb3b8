"""ForeignEvidence as another library's retriever ranks it, typed at the door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError
from biblicus_context.text.valid_unicode import Text

_IN_PIECES: Final = frozenset(
    {"embedding-index-file", "embedding-index-inmemory", "sqlite-full-text-search"}
)
"""Retrievers of Biblicus that find several pieces of one item, each with its own span.

For the others a span only says where in the item the words of the query are.
"""


class ForeignEvidence(BaseModel):
    """One ranked piece of evidence; `text` is None if it is not text."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="ignore", defer_build=True)

    item_id: Text = Field(min_length=1, description="Names the evidence.")
    text: Text | None = Field(default=None, description="The evidence itself.")
    rank: int | None = Field(default=None, description="Place in the ranked list; 1 is best.")
    score: float | None = Field(default=None, description="How well it matches; higher is better.")
    source_uri: Text | None = Field(default=None, description="Where it comes from.")
    stage: Text | None = Field(default=None, description="What ranked it.")
    metadata: dict[str, object] | None = Field(default=None, description="What is known of it.")
    span_start: int | None = Field(default=None, description="Where in its item it begins.")
    span_end: int | None = Field(default=None, description="Where in its item it ends.")
    block_id: Text | None = Field(
        default=None, description="Names this piece, where an item comes in several."
    )

    def as_piece(self) -> ForeignEvidence:
        """The same with a name of its own, unless it is at the start of its item."""
        if not self.span_start:
            return self
        name = f"{self.item_id}#{self.span_start}-{self.span_end}"
        return self.model_copy(update={"block_id": name})


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


class _Result(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="ignore", defer_build=True)

    evidence: list[Annotated[ForeignEvidence, BeforeValidator(_plain)]]
    retriever_id: str | None = None


def evidence_of(result: object) -> list[ForeignEvidence]:
    """The evidence of an object or mapping, in its order."""
    try:
        found = _Result.model_validate(_plain(result))
    except ValidationError as error:
        raise InputError(
            f"a {type(result).__name__} is not a retrieval result ({first_invalid(error)})",
            fix="Pass an object or a mapping whose `evidence` lists items with item_id and text.",
        ) from None
    if found.retriever_id not in _IN_PIECES:
        return found.evidence
    return [each.as_piece() for each in found.evidence]
