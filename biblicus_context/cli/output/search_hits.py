"""What `search` shows of its hits, and why there may be none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text

from biblicus_context.cli.output.terminal import sayable
from biblicus_context.corpora import LOCAL, Corpus, CorpusRetriever, NotIndexedError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

_LINES = 3
_INDENT = 3
_STEM = 4
"""A word matches a term that begins alike for so many letters, as a search by stems would."""


def snippet(text: str, terms: Sequence[str], width: int) -> list[Text]:
    """A few lines from the one with most of the terms on, the terms marked."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = _pattern(terms)
    counts = [len({hit.lower() for hit in found.findall(line)}) for line in lines]
    start = max(0, min(counts.index(max(counts)), len(lines) - _LINES)) if lines else 0
    return [_shown(line, found, width - _INDENT) for line in lines[start : start + _LINES]]


def _pattern(terms: Sequence[str]) -> re.Pattern[str]:
    """Any of the terms at the beginning of a word; with none, nothing matches."""
    stems = {term[: max(_STEM, len(term) - 2)] for term in terms}
    longest = sorted(map(re.escape, stems), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest)})\w*" if stems else r"(?!)", re.IGNORECASE)


def _shown(line: str, found: re.Pattern[str], width: int) -> Text:
    """One line, from not far before its first hit, clipped to the width."""
    said = sayable(line.strip().replace("\t", " "))
    first = found.search(said)
    if first is not None and first.end() > width:
        said = f"...{said[max(0, first.start() - width // 4) :]}"
    shown = Text(said)
    shown.highlight_regex(found, "bold yellow")
    shown.truncate(width, overflow="ellipsis")
    return Text.assemble(" " * _INDENT, shown)


def why_nothing(corpus: Corpus, retriever: CorpusRetriever, query: str, offset: int) -> str:
    """The first of the usual reasons that holds."""
    if corpus.index.is_awaited or not _blocks(corpus):
        return _why_empty(corpus)
    if offset and retriever.evidence(query, offset=0, limit=1):
        return "the offset is beyond the last result"
    if not query_terms(query):
        return "the query has no word to search for"
    return _below_floor(retriever, query) or _advice(retriever)


def _advice(retriever: CorpusRetriever) -> str:
    if retriever.spec.filters.model_fields_set:
        return "the filters of the retriever may exclude it"
    if retriever.spec.retriever_id != "fuzzy":
        return "try --by fuzzy, which tolerates typos"
    return "try --by vector, which compares meaning"


def _below_floor(retriever: CorpusRetriever, query: str) -> str:
    """How similar the best hit is, where the retriever wants more."""
    pack = retriever(ContextRetrieverRequest(query=query, limit=1))
    scores = [each.score for each in pack.left_out if each.cause == "min_score"]
    if not scores:
        return ""
    best = max(score or 0.0 for score in scores)
    least = next(each.detail for each in pack.left_out if each.cause == "min_score")
    fix = "lower min_score in the config of the retriever, or leave it out"
    return f"nothing is similar enough: best {best:.3f}, min_score {least}; {fix}"


def _blocks(corpus: Corpus) -> int:
    with corpus.index.view() as view:
        return view.info().blocks


def _why_empty(corpus: Corpus) -> str:
    who = corpus.principal
    if corpus.index.is_awaited:
        return str(NotIndexedError(corpus.name, None))
    if who == LOCAL and not corpus.index.state.version:  # the first run of `index` was stopped
        return str(NotIndexedError(corpus.name, corpus.source or corpus.root))
    nothing = f"corpus '{corpus.name}' has nothing for workspace '{who.workspace}'"
    return f"{nothing}; choose another principal with --workspace, --as and --group"
