"""The engine: declarations in, a model call out."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.assembly.arguments import AssembleOptions as AssembleOptions
    from biblicus_context.assembly.assembler import ContextAssembler as ContextAssembler
    from biblicus_context.assembly.call import (
        ClientMessage as ClientMessage,
        Message as Message,
        Retriever as Retriever,
    )
    from biblicus_context.assembly.queries.recent import RecentMessage as RecentMessage
    from biblicus_context.assembly.queries.rewriting import (
        QueryRewriter as QueryRewriter,
        RewriteRequest as RewriteRequest,
    )
    from biblicus_context.assembly.registries import IndexWhen as IndexWhen
    from biblicus_context.assembly.reporting import Observer as Observer
    from biblicus_context.assembly.result.attribution import (
        Attribution as Attribution,
        CitedAnswer as CitedAnswer,
        attribute as attribute,
        cite as cite,
    )
    from biblicus_context.assembly.result.cache_marks import CacheMark as CacheMark
    from biblicus_context.assembly.result.citations import Citation as Citation
    from biblicus_context.assembly.result.explain import explanation as explanation
    from biblicus_context.assembly.result.provider_formats import (
        PROVIDER_FORMATS as PROVIDER_FORMATS,
        provider_arguments as provider_arguments,
    )
    from biblicus_context.assembly.result.receipt import (
        Receipt as Receipt,
        ReceiptBlock as ReceiptBlock,
        ReceiptPart as ReceiptPart,
        ReceiptTurns as ReceiptTurns,
    )
    from biblicus_context.assembly.result.result import (
        ContextAssemblyResult as ContextAssemblyResult,
    )
    from biblicus_context.assembly.result.saved import (
        SavedResult as SavedResult,
        saved_from as saved_from,
    )
    from biblicus_context.assembly.result.spans import PartSpan as PartSpan, PieceSpan as PieceSpan
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "arguments": "AssembleOptions",
            "assembler": "ContextAssembler",
            "call": "ClientMessage Message Retriever",
            "queries.recent": "RecentMessage",
            "queries.rewriting": "QueryRewriter RewriteRequest",
            "registries": "IndexWhen",
            "reporting": "Observer",
            "result.attribution": "Attribution CitedAnswer attribute cite",
            "result.cache_marks": "CacheMark",
            "result.citations": "Citation",
            "result.explain": "explanation",
            "result.provider_formats": "PROVIDER_FORMATS provider_arguments",
            "result.receipt": "Receipt ReceiptBlock ReceiptPart ReceiptTurns",
            "result.result": "ContextAssemblyResult",
            "result.saved": "SavedResult saved_from",
            "result.spans": "PartSpan PieceSpan",
        },
    )
