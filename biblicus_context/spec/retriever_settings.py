"""The settings of the retrievers that search a corpus of this package."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from biblicus_context.spec.base import NameOrSettings, Settings, StrictSpec
from biblicus_context.spec.dedupe import SAME_TEXT, Dedupe, DedupeSpec, dedupe_spec

TEMPLATE_SETTINGS: Final = ("filters", "rank", "documents", "blocks", "from")
"""Settings in which placeholders such as `{input.folder}` are filled for each call."""

MOST_WEIGHT: Final = 1e6
"""What a search may count at most: sums of scores stay finite."""


class NeighboursSpec(StrictSpec):
    """How much is read around a hit, on both sides."""

    blocks: int = Field(default=0, ge=0, le=50, description="Blocks of prose and code.")
    turns: int = Field(default=0, ge=0, le=50, description="Turns of conversations.")


class EvidenceFormatSpec(StrictSpec):
    """How the text of a block is written."""

    speakers: bool = Field(default=False, description="Who speaks, in front of every turn.")
    sessions: bool = Field(
        default=False,
        description="Name and day of the session, for `ordering: reading` to write above its turns.",
    )


def _reach(value: object) -> object:
    """One number stands for blocks and turns alike."""
    return {"blocks": value, "turns": value} if type(value) is int else value


def _listed(value: object) -> object:
    """One name as a list, and no list in a list: a placeholder may stand for several names."""
    if isinstance(value, list | tuple):
        return tuple(
            name for each in value for name in (each if isinstance(each, list) else [each])
        )
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""One name, or a list of names."""


class SearchSpec(StrictSpec):
    """What every retriever over a corpus may say."""

    retriever_id: str = Field(description="Which retriever it is.")
    corpus: str | None = Field(default=None, description="Instead of the declaration's corpus.")
    query: str | None = Field(
        default=None,
        description="What is asked: text with placeholders; absent: input.query or the message.",
        examples=["{input.question}"],
    )
    limit: int = Field(default=3, ge=1, description="Blocks asked for in one request.")
    offset: int = Field(default=0, ge=0, description="Blocks skipped before the first.")
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Characters asked for at most."
    )
    join_with: str = Field(default="\n\n", description="What stands between two blocks.")
    filters: Settings = Field(
        default_factory=dict,
        description="Which documents are searched.",
        examples=[{"path": "guides/**", "tags": ["public"]}],
    )
    rank: NameOrSettings | None = Field(
        default=None,
        description="Ranks what was found anew: similarity, recency, confidence, or components "
        "with their weights.",
        examples=["recency", {"similarity": 2, "recency": {"weight": 1, "curve": "linear"}}],
    )
    dedupe: Dedupe | None = Field(
        default=None,
        description="Of blocks with the same text the best stays; true: of near-duplicates as "
        "well; false: all stay.",
        examples=[True, False, {"near": 0.8}],
    )
    select: NameOrSettings = Field(
        default="rank_order",
        description="What fills the share: rank_order, value_per_token, knapsack, diverse_kinds or "
        "marginal_relevance.",
        examples=["knapsack", {"type": "diverse_kinds", "share": 0.4}],
    )
    item_cap: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="The part of the share that one block may take; it is cut above.",
        examples=[0.5],
    )
    neighbours: Annotated[NeighboursSpec, BeforeValidator(_reach)] = Field(
        default_factory=NeighboursSpec,
        description="Blocks around each hit that are read with it, as one passage.",
        examples=[1, {"turns": 3}],
    )
    format: EvidenceFormatSpec = Field(
        default_factory=EvidenceFormatSpec,
        description="How the text of a block is written.",
        examples=[{"speakers": True}],
    )
    maximum_items_per_source: int | None = Field(
        default=None, ge=1, description="Blocks of one document at most."
    )
    include_metadata: bool = Field(
        default=False, description="Hand on what the document and the block say of themselves."
    )
    metadata_fields: tuple[str, ...] | None = Field(
        default=None,
        strict=False,  # files have lists
        description="Only these of their fields.",
        examples=[["author", "version"]],
    )

    @property
    def duplicates(self) -> DedupeSpec | None:
        """Of which blocks only the best stays; None: all of them stay."""
        return dedupe_spec(self.dedupe, usual=SAME_TEXT)

    @property
    def compares_vectors(self) -> bool:
        """Whether the corpus' embedder is asked."""
        return False

    @classmethod
    def setting_names(cls) -> list[str]:
        """The words an author may write."""
        return [field.alias or name for name, field in cls.model_fields.items()]


class KeywordSpec(SearchSpec):
    """Blocks that hold the words of the query, by BM25."""

    retriever_id: Literal["keyword"] = Field(description="Which retriever it is.")


class FuzzySpec(SearchSpec):
    """As keyword, also where words are spelt a little differently."""

    retriever_id: Literal["fuzzy"] = Field(description="Which retriever it is.")
    similarity: float = Field(
        default=0.75, gt=0, le=1, description="How alike two words have to be."
    )


class VectorSpec(SearchSpec):
    """Blocks whose meaning is nearest to the query's."""

    retriever_id: Literal["vector"] = Field(description="Which retriever it is.")

    @property
    def compares_vectors(self) -> bool:
        """It does nothing else."""
        return True


class HybridSpec(SearchSpec):
    """Words and meaning together, with support from neighbours and from what resembles."""

    retriever_id: Literal["hybrid"] = Field(description="Which retriever it is.")
    candidates: int = Field(
        default=200, ge=1, description="Blocks that each of its two searches contributes at most."
    )
    turn_candidates: int = Field(
        default=500, ge=1, description="As candidates, where turns of conversations are among them."
    )
    text_weight: float = Field(
        default=1.0, ge=0, le=MOST_WEIGHT, description="What the words count."
    )
    vector_weight: float | None = Field(
        default=None,
        ge=0,
        le=MOST_WEIGHT,
        description="What the meaning counts; absent: as much as suits the embedder.",
    )
    fusion: NameOrSettings = Field(
        default="standard_scores",
        description="Makes one score of both: standard_scores, weighted_scores or reciprocal_rank.",
        examples=["reciprocal_rank", {"type": "reciprocal_rank", "constant": 20}],
    )

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        if self.text_weight == self.vector_weight == 0:
            raise ValueError("text_weight and vector_weight are both 0: one of them has to count")
        return self

    @property
    def compares_vectors(self) -> bool:
        """It is one of its two searches."""
        return True


class RecentSpec(SearchSpec):
    """Blocks of the documents changed last, whatever is asked."""

    retriever_id: Literal["recent"] = Field(description="Which retriever it is.")


class ExplicitSpec(SearchSpec):
    """Documents and blocks that are named, in the order in which they are."""

    retriever_id: Literal["explicit"] = Field(description="Which retriever it is.")
    documents: Names = Field(
        default=(),
        description="Documents by path or id, all their blocks; may have placeholders.",
        examples=[["guides/returns.md", "{input.file}"]],
    )
    blocks: Names = Field(
        default=(), description="Blocks by id, behind the documents; may have placeholders."
    )

    @model_validator(mode="after")
    def _something_is_named(self) -> Self:
        # A list that is empty is one that a call filled with nothing.
        if self.model_fields_set.isdisjoint({"documents", "blocks"}):
            raise ValueError("explicit names documents, blocks or both: found neither")
        return self

    @property
    def duplicates(self) -> DedupeSpec | None:
        """What is named stays, where nothing else is said."""
        return None if self.dedupe is None else super().duplicates


class RelatedSpec(SearchSpec):
    """Documents that relations lead to, from some that are named or found."""

    retriever_id: Literal["related"] = Field(description="Which retriever it is.")
    start: Names = Field(
        default=(),
        alias="from",
        description="Where to begin: documents by path or id; absent: those the query finds.",
        examples=[["guides/returns.md"], "{input.file}"],
    )
    starts: int = Field(
        default=3, ge=1, le=100, description="Documents to begin at, where the query finds them."
    )
    relation: Names = Field(
        default=(), description="Only relations of these types.", examples=["cites"]
    )
    direction: Literal["out", "in", "both"] = Field(
        default="out", description="Follow relations from their source, from their target, or both."
    )
    depth: int = Field(default=1, ge=1, le=10, description="Relations in a row at most.")
    most_documents: int = Field(
        default=100, ge=1, le=1000, description="Documents reached at most, nearest first."
    )

    @property
    def compares_vectors(self) -> bool:
        """Where nothing is named, a hybrid search finds where to begin."""
        return not self.start


BUILT_IN: tuple[type[SearchSpec], ...] = (
    HybridSpec,
    KeywordSpec,
    VectorSpec,
    FuzzySpec,
    RecentSpec,
    ExplicitSpec,
    RelatedSpec,
)
