"""Folders of files as searchable evidence, and retrievers over them."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.corpora.answer_cache import (
        AnswerCache as AnswerCache,
        MemoryAnswerCache as MemoryAnswerCache,
        SteadyCache as SteadyCache,
    )
    from biblicus_context.corpora.async_reading import (
        read_all_in_thread as read_all_in_thread,
        read_in_thread as read_in_thread,
    )
    from biblicus_context.corpora.clusters import Cluster as Cluster
    from biblicus_context.corpora.context_pack import retrieve_context_pack as retrieve_context_pack
    from biblicus_context.corpora.corpus import (
        LOCAL as LOCAL,
        Corpus as Corpus,
    )
    from biblicus_context.corpora.corpus_records import (
        AT_ONCE as AT_ONCE,
        Forgotten as Forgotten,
        Removed as Removed,
    )
    from biblicus_context.corpora.errors import (
        NotIndexedError as NotIndexedError,
        OtherEmbedderError as OtherEmbedderError,
        OtherRootError as OtherRootError,
    )
    from biblicus_context.corpora.evidence import Evidence as Evidence, RankedBlock as RankedBlock
    from biblicus_context.corpora.model_store import (
        FoundModel as FoundModel,
        JudgedModels as JudgedModels,
        ModelPage as ModelPage,
        ModelStore as ModelStore,
    )
    from biblicus_context.corpora.record_model import (
        RecordModel as RecordModel,
        RelevantItem as RelevantItem,
        RelevantItems as RelevantItems,
        ranked_items as ranked_items,
    )
    from biblicus_context.corpora.retriever import (
        CorpusRetriever as CorpusRetriever,
        Judged as Judged,
    )
    from biblicus_context.corpora.search.query import SearchQuery as SearchQuery
    from biblicus_context.corpora.search.rankers.registry import (
        Ranker as Ranker,
        RetrieverKind as RetrieverKind,
    )
    from biblicus_context.corpora.stored_answers import StoredAnswerCache as StoredAnswerCache
else:
    # The settings of retrievers are checked without a store and a search.
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "answer_cache": "AnswerCache MemoryAnswerCache SteadyCache",
            "async_reading": "read_all_in_thread read_in_thread",
            "clusters": "Cluster",
            "context_pack": "retrieve_context_pack",
            "corpus": "Corpus LOCAL",
            "corpus_records": "AT_ONCE Forgotten Removed",
            "errors": "NotIndexedError OtherEmbedderError OtherRootError",
            "evidence": "Evidence RankedBlock",
            "model_store": "FoundModel JudgedModels ModelPage ModelStore",
            "record_model": "RecordModel RelevantItem RelevantItems ranked_items",
            "retriever": "CorpusRetriever Judged",
            "search.query": "SearchQuery",
            "search.rankers.registry": "Ranker RetrieverKind",
            "stored_answers": "StoredAnswerCache",
        },
    )
