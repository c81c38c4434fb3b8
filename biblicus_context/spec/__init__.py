"""What an author may write: frozen models, one noun a file."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.spec.budget import (
        ContextBudgetSpec as ContextBudgetSpec,
        ContextPackBudgetSpec as ContextPackBudgetSpec,
        PackShareSpec as PackShareSpec,
        ReserveSpec as ReserveSpec,
    )
    from biblicus_context.spec.compactor import CompactorDeclaration as CompactorDeclaration
    from biblicus_context.spec.context import (
        ContextDeclaration as ContextDeclaration,
        InputSpec as InputSpec,
    )
    from biblicus_context.spec.corpus import (
        ChunksSpec as ChunksSpec,
        CorpusDeclaration as CorpusDeclaration,
    )
    from biblicus_context.spec.directive import (
        AssistantMessageSpec as AssistantMessageSpec,
        ContextInsertSpec as ContextInsertSpec,
        ContextMessageSpec as ContextMessageSpec,
        ContextTemplateSpec as ContextTemplateSpec,
        Directive as Directive,
        FirstSpec as FirstSpec,
        HistoryInsertSpec as HistoryInsertSpec,
        SystemMessageSpec as SystemMessageSpec,
        UserMessageSpec as UserMessageSpec,
    )
    from biblicus_context.spec.embedder import EmbedderSpec as EmbedderSpec
    from biblicus_context.spec.filters import FilterSpec as FilterSpec
    from biblicus_context.spec.format import (
        BlockFormatSpec as BlockFormatSpec,
        FormatDeclaration as FormatDeclaration,
        FormatSpec as FormatSpec,
    )
    from biblicus_context.spec.pack import (
        ContextPackSpec as ContextPackSpec,
        PackOptions as PackOptions,
    )
    from biblicus_context.spec.policy import (
        ContextExpansionSpec as ContextExpansionSpec,
        ContextPolicySpec as ContextPolicySpec,
        FramingSpec as FramingSpec,
        PolicyDeclaration as PolicyDeclaration,
    )
    from biblicus_context.spec.retriever import RetrieverDeclaration as RetrieverDeclaration
    from biblicus_context.spec.retriever_settings import (
        NameList as NameList,
        SearchSpec as SearchSpec,
    )
    from biblicus_context.spec.retriever_settings.search import SimilarityBy as SimilarityBy
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "budget": "ContextBudgetSpec ContextPackBudgetSpec PackShareSpec ReserveSpec",
            "compactor": "CompactorDeclaration",
            "context": "ContextDeclaration InputSpec",
            "corpus": "ChunksSpec CorpusDeclaration",
            "directive": "AssistantMessageSpec ContextInsertSpec ContextMessageSpec "
            "ContextTemplateSpec Directive FirstSpec HistoryInsertSpec SystemMessageSpec "
            "UserMessageSpec",
            "embedder": "EmbedderSpec",
            "filters": "FilterSpec",
            "format": "BlockFormatSpec FormatDeclaration FormatSpec",
            "pack": "ContextPackSpec PackOptions",
            "policy": "ContextExpansionSpec ContextPolicySpec FramingSpec PolicyDeclaration",
            "retriever": "RetrieverDeclaration",
            "retriever_settings": "NameList SearchSpec",
            "retriever_settings.search": "SimilarityBy",
        },
    )
