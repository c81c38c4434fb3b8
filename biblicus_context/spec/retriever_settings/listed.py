"""Retrievers of documents that are listed, or that were changed or used last."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from biblicus_context.base.durations import DURATION
from biblicus_context.spec.base import StrictSpec
from biblicus_context.spec.dedupe import DedupeSpec
from biblicus_context.spec.retriever_settings.placeholders import NameList
from biblicus_context.spec.retriever_settings.search import SearchSpec


class RecentSpec(SearchSpec):
    """Blocks of the most recently changed documents, whatever the query."""

    retriever_id: Literal["recent"] = Field(description="Kind of retriever.")


class ExplicitSpec(SearchSpec):
    """The listed documents and blocks, in the listed order."""

    retriever_id: Literal["explicit"] = Field(description="Kind of retriever.")
    documents: NameList = Field(
        default=(),
        description="Documents by path or id, with all their blocks; placeholders are allowed.",
        examples=[["guides/returns.md", "{input.file}"]],
    )
    blocks: NameList = Field(
        default=(), description="Blocks by id, after the documents; placeholders are allowed."
    )

    @model_validator(mode="after")
    def _something_is_named(self) -> Self:
        # A list that is empty is one that a call filled with nothing.
        if self.model_fields_set.isdisjoint({"documents", "blocks"}):
            raise ValueError("explicit names documents, blocks or both: found neither")
        return self

    @property
    def duplicates(self) -> DedupeSpec | None:
        """By default, what is named stays."""
        return None if self.dedupe is None else super().duplicates


class OutlineSize(StrictSpec):
    """How much an outline of a document has."""

    children: int = Field(
        default=0, ge=0, le=1000, description="Number of children whose first lines follow."
    )
    after: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Number of children that are left out before these, as they are placed in full.",
    )
    tokens: int = Field(
        default=200, ge=1, le=100_000, description="Number of tokens of one outline at most."
    )


class OutlineSpec(SearchSpec):
    """The outline of listed documents: title, headings and the first lines below them."""

    retriever_id: Literal["outline"] = Field(description="Kind of retriever.")
    documents: NameList = Field(
        description="Documents by path or id; placeholders are allowed.",
        examples=["{input.page}"],
    )
    children: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Number of children whose first lines follow, for pages whose paragraphs are "
        "documents of their own.",
    )
    after: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Number of children that are left out before these, as they are placed in full.",
    )
    tokens: int = Field(
        default=200, ge=1, le=100_000, description="Number of tokens of one outline at most."
    )

    @property
    def outline(self) -> OutlineSize:
        """How much of each document is shown."""
        return OutlineSize(children=self.children, after=self.after, tokens=self.tokens)


class ActivitySpec(SearchSpec):
    """What the asking user edited or viewed last, whatever the query."""

    retriever_id: Literal["activity"] = Field(description="Kind of retriever.")
    edits: int = Field(
        default=10, ge=0, le=1000, description="Number of edited documents; scored 0.6, 0.58, ..."
    )
    views: int = Field(
        default=5, ge=0, le=1000, description="Number of viewed documents; scored 0.5, 0.48, ..."
    )
    within: str = Field(
        default="72h",
        pattern=DURATION,
        description="How long ago at most: a number and m, h, d or w.",
        examples=["72h", "7d"],
    )

    outline: OutlineSize | None = Field(
        default=None,
        description="Show documents that were viewed and not edited by their outlines, as the "
        "retriever outline does: its `children` and `tokens`. Default: their text.",
        examples=[{"children": 10, "tokens": 120}],
    )

    @property
    def depends_on_activity(self) -> bool:
        """It is nothing else."""
        return True

    @property
    def depends_on_time(self) -> bool:
        """It changes with every use, although nothing is written."""
        return True
