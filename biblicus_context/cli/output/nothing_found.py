"""Why a search may have found nothing, and what to try."""

from __future__ import annotations

from biblicus_context.corpora import LOCAL, Corpus, CorpusRetriever, NotIndexedError
from biblicus_context.retrieval.analysis import query_terms


def why_nothing(corpus: Corpus, retriever: CorpusRetriever, query: str, offset: int) -> str:
    """The first of the usual reasons that holds."""
    if not corpus.store.info(corpus.principal).blocks:
        return _why_empty(corpus)
    if offset and retriever.evidence(query, offset=0, limit=1):
        return "the offset passes over all there is"
    if not query_terms(query):
        return "the query has no word to search for"
    if retriever.spec.filters:
        return "the filters of the retriever may leave it out"
    if retriever.spec.retriever_id != "fuzzy":
        return "try --by fuzzy, which forgives a letter that is wrong"
    return "try --by vector, which compares what is meant"


def _why_empty(corpus: Corpus) -> str:
    who = corpus.principal
    if who == LOCAL and not corpus.store.state(who).version:  # the first run of `index` was stopped
        return str(NotIndexedError(corpus.name, corpus.source or corpus.root))
    nothing = f"corpus '{corpus.name}' has nothing for workspace '{who.workspace}'"
    return f"{nothing}; --workspace, --user and --group say who asks"
