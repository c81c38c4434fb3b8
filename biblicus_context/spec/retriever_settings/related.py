"""Retrievers along relations and along the tree of parents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biblicus_context.spec.dedupe import DedupeSpec
from biblicus_context.spec.retriever_settings.placeholders import Depth, Levels, NameList
from biblicus_context.spec.retriever_settings.search import SearchSpec, SimilarityBy


class RelatedSpec(SearchSpec):
    """Documents reached by relations from listed or found documents."""

    retriever_id: Literal["related"] = Field(description="Kind of retriever.")
    start: NameList = Field(
        default=(),
        alias="from",
        description="Start documents, by path or id; an empty list of a call finds nothing. "
        "Default: documents found by the query.",
        examples=[["guides/returns.md"], "{input.file}"],
    )
    starts: int = Field(
        default=3, ge=1, le=100, description="Number of start documents if the query finds them."
    )
    relation: NameList = Field(
        default=(), description="Types of relations to follow.", examples=["cites"]
    )
    direction: Literal["out", "in", "both"] = Field(
        default="out",
        description="Follow relations from source to target (out), from target to source (in), or both.",
    )
    depth: Depth = Field(
        default=1,
        description="Maximum number of relations in a row. A placeholder is allowed.",
        examples=[2, "{input.depth}"],
    )
    most_documents: int = Field(
        default=100, ge=1, le=1000, description="Maximum number of documents, nearest first."
    )

    @property
    def finds_starts(self) -> bool:
        """Whether a hybrid search finds where to begin; a list that is empty is one that a call filled."""
        return "start" not in self.model_fields_set

    @property
    def compares_vectors(self) -> bool:
        """It does where a search finds where to begin."""
        return self.finds_starts

    @property
    def similarity_by(self) -> SimilarityBy:
        """How near a document is, whatever the query."""
        return "score"


class TreeSpec(SearchSpec):
    """What is around listed documents in the tree of parents: ancestors, siblings and children."""

    retriever_id: Literal["tree"] = Field(description="Kind of retriever.")
    start: NameList = Field(
        alias="from",
        description="Documents to start from, by path or id; placeholders are allowed.",
        examples=["{input.page}"],
    )
    ancestors: int = Field(
        default=3, ge=0, le=50, description="Number of parents upwards; scored 0.9, 0.8, ..."
    )
    siblings: int = Field(
        default=2,
        ge=0,
        le=1000,
        description="Number of siblings on each side, nearest first; scored 0.8, 0.75, ...",
    )
    children: int = Field(
        default=5, ge=0, le=1000, description="Number of children, in order; scored 0.85, 0.8, ..."
    )
    depth: Levels = Field(
        default=1,
        description="Levels of children, 0 for none; each further level is scored 0.1 less. "
        "A placeholder is allowed.",
        examples=[2, "{input.depth}"],
    )
    include_start: bool = Field(
        default=True, description="Include the documents themselves; scored 1."
    )

    @property
    def duplicates(self) -> DedupeSpec | None:
        """By default, what is at a place in the tree stays."""
        return None if self.dedupe is None else super().duplicates
