"""Retrieval without I/O: requests, ranking, fusion, selection, and packs of evidence."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.retrieval.analysis import (
        is_follow_up as is_follow_up,
        is_small_talk as is_small_talk,
        query_terms as query_terms,
        split_identifiers as split_identifiers,
        telling_terms as telling_terms,
        tells_something as tells_something,
        with_last_question as with_last_question,
    )
    from biblicus_context.retrieval.analysis.query_analysis import (
        QueryAnalysis as QueryAnalysis,
        analyze_query as analyze_query,
        file_names_of as file_names_of,
    )
    from biblicus_context.retrieval.biblicus_corpus import BiblicusCorpus as BiblicusCorpus
    from biblicus_context.retrieval.biblicus_corpus.library import (
        BiblicusSnapshot as BiblicusSnapshot,
        CorpusCatalog as CorpusCatalog,
        SnapshotConfiguration as SnapshotConfiguration,
    )
    from biblicus_context.retrieval.candidate import Candidate as Candidate
    from biblicus_context.retrieval.choosing.given import rerank as rerank
    from biblicus_context.retrieval.choosing.ranking import ranked_candidates as ranked_candidates
    from biblicus_context.retrieval.origin import Origin as Origin
    from biblicus_context.retrieval.packs.block_builder import (
        ContextBlock as ContextBlock,
        ContextBlockBuildRequest as ContextBlockBuildRequest,
        ContextBlockBuildResult as ContextBlockBuildResult,
        ContextSectionBudget as ContextSectionBudget,
        build_context_pack_from_blocks as build_context_pack_from_blocks,
    )
    from biblicus_context.retrieval.packs.block_format import citation_id as citation_id
    from biblicus_context.retrieval.packs.builders import (
        ContextPackPolicy as ContextPackPolicy,
        build_context_pack as build_context_pack,
    )
    from biblicus_context.retrieval.packs.facts import facts_of as facts_of
    from biblicus_context.retrieval.packs.fitters import (
        CharacterBudget as CharacterBudget,
        TokenBudget as TokenBudget,
        TokenCounter as TokenCounter,
        count_tokens as count_tokens,
        fit_context_pack_to_character_budget as fit_context_pack_to_character_budget,
        fit_context_pack_to_token_budget as fit_context_pack_to_token_budget,
    )
    from biblicus_context.retrieval.packs.pack import (
        ContextPack as ContextPack,
        ContextPackBlock as ContextPackBlock,
    )
    from biblicus_context.retrieval.rank import RankingQuery as RankingQuery, Ranks as Ranks
    from biblicus_context.retrieval.rank.ordering import ordered_by as ordered_by
    from biblicus_context.retrieval.rank.store_facts import StoreFacts as StoreFacts
    from biblicus_context.retrieval.rank.weighted_sum import (
        Component as Component,
        WeightedComponent as WeightedComponent,
        WeightedSum as WeightedSum,
    )
    from biblicus_context.retrieval.relevance import (
        Relevance as Relevance,
        Verdict as Verdict,
        best_of as best_of,
    )
    from biblicus_context.retrieval.requests.request import (
        ContextRetrieverRequest as ContextRetrieverRequest,
    )
    from biblicus_context.retrieval.select import SELECTIONS as SELECTIONS
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "analysis": "is_follow_up is_small_talk query_terms split_identifiers telling_terms "
            "tells_something with_last_question",
            "analysis.query_analysis": "QueryAnalysis analyze_query file_names_of",
            "biblicus_corpus": "BiblicusCorpus",
            "biblicus_corpus.library": "BiblicusSnapshot CorpusCatalog SnapshotConfiguration",
            "candidate": "Candidate",
            "choosing.given": "rerank",
            "choosing.ranking": "ranked_candidates",
            "origin": "Origin",
            "packs.block_builder": "ContextBlock ContextBlockBuildRequest ContextBlockBuildResult "
            "ContextSectionBudget build_context_pack_from_blocks",
            "packs.block_format": "citation_id",
            "packs.builders": "ContextPackPolicy build_context_pack",
            "packs.facts": "facts_of",
            "packs.fitters": "CharacterBudget TokenBudget TokenCounter count_tokens "
            "fit_context_pack_to_character_budget fit_context_pack_to_token_budget",
            "packs.pack": "ContextPack ContextPackBlock",
            "rank": "RankingQuery Ranks",
            "rank.ordering": "ordered_by",
            "rank.store_facts": "StoreFacts",
            "rank.weighted_sum": "Component WeightedComponent WeightedSum",
            "relevance": "Relevance Verdict best_of",
            "requests.request": "ContextRetrieverRequest",
            "select": "SELECTIONS",
        },
    )
