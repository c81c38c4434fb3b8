"""The settings of the retrievers of this package, one family a file."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.spec.retriever_settings.by_meaning import (
        HybridSpec as HybridSpec,
        VectorSpec as VectorSpec,
    )
    from biblicus_context.spec.retriever_settings.by_words import (
        FuzzySpec as FuzzySpec,
        KeywordSpec as KeywordSpec,
        TrigramSpec as TrigramSpec,
    )
    from biblicus_context.spec.retriever_settings.listed import (
        ActivitySpec as ActivitySpec,
        ExplicitSpec as ExplicitSpec,
        OutlineSize as OutlineSize,
        OutlineSpec as OutlineSpec,
        RecentSpec as RecentSpec,
    )
    from biblicus_context.spec.retriever_settings.mcp import (
        McpFieldsSpec as McpFieldsSpec,
        McpSpec as McpSpec,
    )
    from biblicus_context.spec.retriever_settings.placeholders import NameList as NameList
    from biblicus_context.spec.retriever_settings.qdrant import (
        QdrantPayloadSpec as QdrantPayloadSpec,
        QdrantSpec as QdrantSpec,
    )
    from biblicus_context.spec.retriever_settings.related import (
        RelatedSpec as RelatedSpec,
        TreeSpec as TreeSpec,
    )
    from biblicus_context.spec.retriever_settings.search import (
        CacheSpec as CacheSpec,
        EvidenceFormatSpec as EvidenceFormatSpec,
        ExcerptSpec as ExcerptSpec,
        SearchSpec as SearchSpec,
    )
    from biblicus_context.spec.retriever_settings.sql import (
        SqlColumnsSpec as SqlColumnsSpec,
        SqlSpec as SqlSpec,
    )
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "by_meaning": "HybridSpec VectorSpec",
            "by_words": "FuzzySpec KeywordSpec TrigramSpec",
            "listed": "ActivitySpec ExplicitSpec OutlineSize OutlineSpec RecentSpec",
            "placeholders": "NameList",
            "qdrant": "QdrantPayloadSpec QdrantSpec",
            "related": "RelatedSpec TreeSpec",
            "search": "CacheSpec EvidenceFormatSpec ExcerptSpec SearchSpec",
            "mcp": "McpFieldsSpec McpSpec",
            "sql": "SqlColumnsSpec SqlSpec",
        },
    )
