"""The settings of every retriever over a corpus."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from biblicus_context.spec.base import StrictSpec
from biblicus_context.spec.choosing import ChoosingSpec
from biblicus_context.spec.filters import FilterSettings, FilterSpec


class CacheSpec(StrictSpec):
    """How long answers are remembered; a write to the corpus is never missed."""

    ttl_seconds: float = Field(
        default=300, gt=0, le=31_536_000, description="How long an answer is remembered."
    )
    max_entries: int = Field(
        default=100, ge=1, le=1_000_000, description="Number of answers at most."
    )
    similar: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Also take the answer of a query whose vector is at least this similar; needs a "
        "corpus with an embedder.",
        examples=[0.97],
    )


Mark = Annotated[str, Field(max_length=20)]


class NeighboursSpec(StrictSpec):
    """How many blocks are read before and after a hit."""

    blocks: int = Field(default=0, ge=0, le=50, description="Number of blocks of prose or code.")
    turns: int = Field(default=0, ge=0, le=50, description="Number of turns of conversations.")


class EvidenceFormatSpec(StrictSpec):
    """How the text of a block is written."""

    speakers: bool = Field(default=False, description="Write the speaker before each turn.")
    sessions: bool = Field(
        default=False,
        description="Write the name and day of the session above its turns, with `ordering: reading`.",
    )
    escape_headings: bool = Field(
        default=False,
        description="Write a backslash before lines that Markdown reads as headings, rules or fences of "
        "code, that begin a comment or a script of HTML, that begin with bold words, or that are nothing "
        "but emphasised words or brackets, so that no block adds a section or an item to a text that has "
        "such, or hides what follows.",
    )


class ExcerptSpec(StrictSpec):
    """The part of each block around the words of the query."""

    tokens: int = Field(
        default=60, ge=16, le=100_000, description="Number of tokens of one excerpt at most."
    )
    marks: tuple[Mark, Mark] | None = Field(
        default=None,
        strict=False,  # files have lists
        description="Text before and after each word of the query.",
        examples=[["<<<", ">>>"]],
    )


def _reach(value: object) -> object:
    """One number stands for blocks and turns alike."""
    return {"blocks": value, "turns": value} if type(value) is int else value


Neighbours = Annotated[NeighboursSpec, BeforeValidator(_reach)]
"""One number, or one for prose and one for turns."""


SimilarityBy: TypeAlias = Literal["vectors", "words", "score"]


class SearchSpec(ChoosingSpec):
    """Settings of every retriever over a corpus."""

    retriever_id: str = Field(description="Kind of retriever.")
    corpus: str | None = Field(default=None, description="Corpus; overrides the declaration's.")
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")
    filters: FilterSettings = Field(
        default_factory=FilterSpec,
        description="Conditions on the documents to search.",
        examples=[{"path": "guides/**", "tags": ["public"]}],
    )
    rank_window: int = Field(
        default=500,
        ge=1,
        le=10_000,
        description="Number of hits that rank orders at once, the best ones first; further hits "
        "follow in groups of this size.",
        examples=[50],
    )
    neighbours: Neighbours = Field(
        default_factory=NeighboursSpec,
        description="Number of blocks around each hit to include as one passage.",
        examples=[1, {"turns": 3}],
    )
    excerpt: ExcerptSpec | None = Field(
        default=None,
        description="Show of each block only the part around the words of the query.",
        examples=[{"tokens": 60, "marks": ["<<<", ">>>"]}],
    )
    cache: CacheSpec | None = Field(
        default=None,
        description="Remember answers, by principal, settings, query and version of the corpus.",
        examples=[{"ttl_seconds": 60}],
    )
    index: Literal["complete", "partial"] | None = Field(
        default=None,
        description="Whether an index that is still being made, or whose making was interrupted, is "
        "an error (complete) or searched with a warning in the receipt (partial). Default: the "
        "corpus' own setting.",
        examples=["partial"],
    )
    format: EvidenceFormatSpec = Field(
        default_factory=EvidenceFormatSpec,
        description="How the text of a block is written.",
        examples=[{"speakers": True}],
    )
    include_metadata: bool = Field(
        default=False, description="Include the metadata of documents and blocks."
    )
    metadata_fields: tuple[str, ...] | None = Field(
        default=None,
        strict=False,  # files have lists
        description="Metadata fields to include. Default: all.",
        examples=[["author", "version"]],
    )

    @property
    def compares_vectors(self) -> bool:
        """Whether the corpus' embedder is asked."""
        return False

    @property
    def similarity_by(self) -> SimilarityBy:
        """What `min_score` compares: cosines of vectors, shares of words, or the scores as they are."""
        return "vectors" if self.compares_vectors else "score"

    @property
    def depends_on_activity(self) -> bool:
        """Whether the same query may find something else once the user edited or viewed a document."""
        return "affinity" in str(self.rank)

    @property
    def depends_on_time(self) -> bool:
        """Whether the same query may find something else although no document changed."""
        return False
