"""The settings of the retrievers that search a corpus of this package, one family a file."""

from biblicus_context.spec.placeholders import NameList
from biblicus_context.spec.retriever_settings.by_meaning import HybridSpec, VectorSpec
from biblicus_context.spec.retriever_settings.by_words import FuzzySpec, KeywordSpec, TrigramSpec
from biblicus_context.spec.retriever_settings.listed import (
    ActivitySpec,
    ExplicitSpec,
    OutlineSize,
    OutlineSpec,
    RecentSpec,
)
from biblicus_context.spec.retriever_settings.related import RelatedSpec, TreeSpec
from biblicus_context.spec.retriever_settings.search import (
    CacheSpec,
    EvidenceFormatSpec,
    ExcerptSpec,
    SearchSpec,
)

__all__ = [
    "BUILT_IN",
    "ActivitySpec",
    "CacheSpec",
    "EvidenceFormatSpec",
    "ExcerptSpec",
    "ExplicitSpec",
    "FuzzySpec",
    "HybridSpec",
    "KeywordSpec",
    "NameList",
    "OutlineSize",
    "OutlineSpec",
    "RecentSpec",
    "RelatedSpec",
    "SearchSpec",
    "TreeSpec",
    "TrigramSpec",
    "VectorSpec",
]

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
