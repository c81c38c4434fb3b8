"""The settings of the retrievers that search a corpus of this package."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from biblicus_context.base.durations import DURATION
from biblicus_context.spec.base import NameOrSettings, Settings, StrictSpec
from biblicus_context.spec.dedupe import SAME_TEXT, Dedupe, DedupeSpec, dedupe_spec
from biblicus_context.spec.item_cap import ItemCap
from biblicus_context.spec.min_score import MinScore
from biblicus_context.spec.query import QueryReference
from biblicus_context.spec.vector_weight import (
    VectorWeight,
    VectorWeightSpec,
    Weight,
    vector_weight_spec,
)

TEMPLATE_SETTINGS: Final = ("filters", "rank", "documents", "blocks", "from", "depth")
"""Settings in which placeholders such as `{input.folder}` are filled for each call."""

ONE_PLACEHOLDER: Final = r"^\{[A-Za-z]\w*(\.\w+)*\}$"

SimilarityBy: TypeAlias = Literal["vectors", "words", "score"]


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
        description="Write a backslash before lines that Markdown reads as headings or rules, so "
        "that no block adds a section to a text with sections.",
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


def _number_or_text(value: object) -> str:
    return "name" if isinstance(value, str) else "number"


Depth = Annotated[
    Annotated[Annotated[int, Field(ge=1, le=10)], Tag("number")]
    | Annotated[Annotated[str, Field(pattern=ONE_PLACEHOLDER)], Tag("name")],
    Discriminator(_number_or_text),
]
"""A number of levels; a text is one placeholder, which each call fills before anything is searched."""


class SearchSpec(StrictSpec):
    """Settings of every retriever over a corpus."""

    retriever_id: str = Field(description="Kind of retriever.")
    corpus: str | None = Field(default=None, description="Corpus; overrides the declaration's.")
    query: QueryReference | None = Field(
        default=None,
        description="Query: text with placeholders and Jinja2, or {template: ..., follow_up: true}. "
        "Default: input.query, else the user message.",
        examples=["{input.question}", {"follow_up": True}],
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description="Number of blocks in one request at most; absent: the blocks that fill the "
        "share, 3 without a budget.",
    )
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Maximum number of characters."
    )
    join_with: str = Field(default="\n\n", description="Text between two blocks.")
    filters: Settings = Field(
        default_factory=dict,
        description="Conditions on the documents to search.",
        examples=[{"path": "guides/**", "tags": ["public"]}],
    )
    rank: NameOrSettings | None = Field(
        default=None,
        description="Rerank the hits by similarity, recency, confidence, or components "
        "with their weights.",
        examples=["recency", {"similarity": 2, "recency": {"weight": 1, "curve": "linear"}}],
    )
    rank_window: int = Field(
        default=500,
        ge=1,
        le=10_000,
        description="Number of hits that rank orders at once, the best ones first; further hits "
        "follow in groups of this size.",
        examples=[50],
    )
    dedupe: Dedupe | None = Field(
        default=None,
        description="Which duplicate blocks are dropped: those with the same text (default), "
        "near-duplicates as well (true), or none (false).",
        examples=[True, False, {"near": 0.8}],
    )
    select: NameOrSettings = Field(
        default="rank_order",
        description="How blocks are selected for the share: rank_order, value_per_token, knapsack, diverse_kinds or "
        "marginal_relevance.",
        examples=["knapsack", {"type": "diverse_kinds", "share": 0.4}],
    )
    item_cap: ItemCap | None = Field(
        default=None,
        description="Maximum part of the share for one block, or {share: ..., compactor: ..., "
        "cut_note: ...}; longer blocks are shortened.",
        examples=[0.5, {"share": 0.25, "cut_note": "\n(truncated, see {path}:{lines})"}],
    )
    min_score: MinScore | None = Field(
        default=None,
        description="Similarity to the query, from 0 to 1, that each block needs, or "
        "{each: ..., best: ...}: without a block as similar as `best`, nothing is found.",
        examples=[0.3, {"best": 0.4}],
    )
    neighbours: Annotated[NeighboursSpec, BeforeValidator(_reach)] = Field(
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
    format: EvidenceFormatSpec = Field(
        default_factory=EvidenceFormatSpec,
        description="How the text of a block is written.",
        examples=[{"speakers": True}],
    )
    maximum_items_per_source: int | None = Field(
        default=None, ge=1, description="Maximum number of blocks of one document."
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
    def duplicates(self) -> DedupeSpec | None:
        """Of which blocks only the best stays; None: all of them stay."""
        return dedupe_spec(self.dedupe, usual=SAME_TEXT)

    @property
    def compares_vectors(self) -> bool:
        """Whether the corpus' embedder is asked."""
        return False

    @property
    def similarity_by(self) -> SimilarityBy:
        """What `min_score` compares: cosines of vectors, shares of words, or the scores as they are."""
        return "vectors" if self.compares_vectors else "score"

    @property
    def depends_on_time(self) -> bool:
        """Whether the same query may find something else although no document changed."""
        return False


class KeywordSpec(SearchSpec):
    """Blocks with the words of the query, ranked by BM25."""

    retriever_id: Literal["keyword"] = Field(description="Kind of retriever.")
    phrases: bool = Field(
        default=False,
        description="What the query has in quotes is searched as a phrase as well.",
    )

    @property
    def similarity_by(self) -> SimilarityBy:
        """Its own scores have no upper end."""
        return "words"


class FuzzySpec(SearchSpec):
    """Like keyword, but tolerates spelling differences."""

    retriever_id: Literal["fuzzy"] = Field(description="Kind of retriever.")
    similarity: float = Field(
        default=0.75, gt=0, le=1, description="Minimum similarity of two words."
    )

    @property
    def similarity_by(self) -> SimilarityBy:
        """Its own scores have no upper end."""
        return "words"


class TrigramSpec(SearchSpec):
    """Blocks whose path, title or text is spelt like the query, or like a file name in it."""

    retriever_id: Literal["trigram"] = Field(description="Kind of retriever.")
    similarity: float = Field(
        default=0.3, ge=0, le=1, description="Share of trigrams in common; more than this is found."
    )
    word_similarity: float = Field(
        default=0.6,
        gt=0,
        le=1,
        description="Minimum similarity of a word that no block has to one that some have.",
    )
    candidates: int = Field(
        default=50,
        ge=1,
        le=10_000,
        description="Number of blocks that are compared, for known and for unknown words each.",
    )


class VectorSpec(SearchSpec):
    """Blocks whose meaning is closest to the query."""

    retriever_id: Literal["vector"] = Field(description="Kind of retriever.")

    @property
    def compares_vectors(self) -> bool:
        """It does nothing else."""
        return True


class HybridSpec(SearchSpec):
    """Words and meaning together, with support from neighbouring and similar blocks."""

    retriever_id: Literal["hybrid"] = Field(description="Kind of retriever.")
    candidates: int = Field(
        default=200,
        ge=1,
        description="Maximum number of blocks from each of the two searches; if it is set, no "
        "further ones follow for a large share.",
    )
    turn_candidates: int = Field(
        default=500, ge=1, description="Like candidates, if they include turns of conversations."
    )
    text_weight: Weight = Field(default=1.0, description="Weight of the words.")
    vector_weight: VectorWeight | None = Field(
        default=None,
        description="Weight of the meaning, or {blocks: ..., turns: ...}: one for prose and code, one "
        "for turns of conversations. Default: chosen for the embedder.",
        examples=[2.0, {"turns": 1.0}],
    )
    fusion: NameOrSettings = Field(
        default="standard_scores",
        description="How the two scores are combined: standard_scores, weighted_scores, reciprocal_rank or given_scores.",
        examples=["reciprocal_rank", {"type": "reciprocal_rank", "constant": 20}],
    )

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        own = self.vector_weights
        if self.text_weight == 0 and 0 in (own.blocks, own.turns):
            raise ValueError(
                "text_weight and vector_weight are both 0: one of them must be above 0"
            )
        return self

    @property
    def vector_weights(self) -> VectorWeightSpec:
        """The weights of the meaning that the author set, by kind of block."""
        return vector_weight_spec(self.vector_weight)

    @property
    def limits_candidates(self) -> bool:
        """Whether the author says how many blocks are ranked; else a large share gets further ones."""
        return not self.model_fields_set.isdisjoint({"candidates", "turn_candidates"})

    @property
    def compares_vectors(self) -> bool:
        """It is one of its two searches."""
        return True


class RecentSpec(SearchSpec):
    """Blocks of the most recently changed documents, whatever the query."""

    retriever_id: Literal["recent"] = Field(description="Kind of retriever.")


class ExplicitSpec(SearchSpec):
    """The listed documents and blocks, in the listed order."""

    retriever_id: Literal["explicit"] = Field(description="Kind of retriever.")
    documents: Names = Field(
        default=(),
        description="Documents by path or id, with all their blocks; placeholders are allowed.",
        examples=[["guides/returns.md", "{input.file}"]],
    )
    blocks: Names = Field(
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


class RelatedSpec(SearchSpec):
    """Documents reached by relations from listed or found documents."""

    retriever_id: Literal["related"] = Field(description="Kind of retriever.")
    start: Names = Field(
        default=(),
        alias="from",
        description="Start documents, by path or id; an empty list of a call finds nothing. "
        "Default: documents found by the query.",
        examples=[["guides/returns.md"], "{input.file}"],
    )
    starts: int = Field(
        default=3, ge=1, le=100, description="Number of start documents if the query finds them."
    )
    relation: Names = Field(
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
    start: Names = Field(
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
    depth: Depth = Field(
        default=1,
        description="Levels of children; each further level is scored 0.1 less. A placeholder is allowed.",
        examples=[2, "{input.depth}"],
    )
    include_start: bool = Field(
        default=True, description="Include the documents themselves; scored 1."
    )

    @property
    def duplicates(self) -> DedupeSpec | None:
        """By default, what is at a place in the tree stays."""
        return None if self.dedupe is None else super().duplicates


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

    @property
    def depends_on_time(self) -> bool:
        """It changes with every use, although nothing is written."""
        return True


class OutlineSpec(SearchSpec):
    """The outline of listed documents: title, headings and the first lines below them."""

    retriever_id: Literal["outline"] = Field(description="Kind of retriever.")
    documents: Names = Field(
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
    tokens: int = Field(
        default=200, ge=1, le=100_000, description="Number of tokens of one outline at most."
    )


BUILT_IN: tuple[type[SearchSpec], ...] = (
    HybridSpec,
    KeywordSpec,
    VectorSpec,
    FuzzySpec,
    TrigramSpec,
    RecentSpec,
    ExplicitSpec,
    RelatedSpec,
    TreeSpec,
    OutlineSpec,
    ActivitySpec,
)
