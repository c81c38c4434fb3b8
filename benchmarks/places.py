"""What retrievers cost that follow trees, relations and activity, and answers from the cache."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import ContextRetrieverRequest, Corpus, CorpusDeclaration, Principal, Record
from biblicus_context.ingest import RelationTo

ANN: Final = Principal("benchmark", user="ann")
CHILDREN: Final = 20
"""Of each page, so that a tree of a hundred thousand documents has four levels."""
_SENTENCES: Final = sentences()
_SETTINGS: Final = {
    "tree": {"retriever_id": "tree"},
    "outline": {"retriever_id": "outline"},
    "rows of a table": {"retriever_id": "related", "relation": "row_of", "direction": "in"},
    "activity": {"retriever_id": "activity"},
}
_NAMES: Final = {"tree": "from", "outline": "documents", "rows of a table": "from"}


def places(
    documents: int, requests: int, *, p95_at_most: float, cached_at_most: float
) -> Iterator[Target]:
    """Each retriever at places all over a corpus, and the same request again and again."""
    with TemporaryDirectory() as folder:
        declared = CorpusDeclaration(name="pages", config={"store": f"{folder}/store"})
        with Corpus.open(declared, principal=ANN) as corpus:
            began = process_time()
            corpus.put_many(_pages(documents))
            yield Target(
                f"{documents:,} pages written", documents / (process_time() - began), "pages/s"
            )
            _work(corpus, documents)
            for name in _SETTINGS:
                seconds = [*_seconds(corpus, name, documents, requests)]
                p95 = 1e3 * quantiles(seconds, n=20)[-1]
                yield Target(f"{name}, p95 of processor", p95, "ms", at_most=p95_at_most)
                yield Target(f"{name}, median", 1e3 * median(seconds), "ms")
            yield from _cached(corpus, requests, cached_at_most)
            yield Target("index on disk", _megabytes(Path(folder)), "MB")


def _seconds(corpus: Corpus, name: str, documents: int, requests: int) -> Iterator[float]:
    dice = random.Random(1)
    for number in range(-3, requests):
        config: dict[str, Any] = {**_SETTINGS[name]}
        if name in _NAMES:
            # Pages with children: the others have next to nothing around them.
            config[_NAMES[name]] = [f"p{dice.randrange(documents // CHILDREN)}"]
        retriever = corpus.retriever(config)
        taken = _taken(lambda retriever=retriever: retriever(_request("plan")))
        if number >= 0:
            yield taken


def _cached(corpus: Corpus, requests: int, at_most: float) -> Iterator[Target]:
    retriever = corpus.retriever({"retriever_id": "hybrid", "cache": {"ttl_seconds": 3_600}})
    request = _request(_SENTENCES[0])
    first = _taken(lambda: retriever(request))
    hits = [_taken(lambda: retriever(request)) for _ in range(5 * requests)]
    assert retriever.answers is not None
    assert retriever.answers.counts.hits == len(hits)
    yield Target("an answer that is not in the cache", 1e3 * first, "ms")
    p95 = 1e3 * quantiles(hits, n=20)[-1]
    yield Target("an answer from the cache, p95 of processor", p95, "ms", at_most=at_most)


def _request(query: str) -> ContextRetrieverRequest:
    return ContextRetrieverRequest(query=query, limit=2_000, max_tokens=2_000)


def _taken(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


def _pages(documents: int) -> Iterator[Record]:
    """Page n is part of page n / 20; every tenth is a row of a table."""
    for number in range(documents):
        dice = random.Random(number)
        row = (RelationTo(f"p{number // CHILDREN}", "row_of"),) if number % 10 == 0 else ()
        yield Record(
            id=f"p{number}",
            kind="page",
            title=f"Page {number}",
            text=" ".join(dice.choices(_SENTENCES, k=dice.randint(1, 3))),
            parent=f"p{number // CHILDREN}" if number else None,
            position=number % CHILDREN,
            relations=row,
        )


def _work(corpus: Corpus, documents: int) -> None:
    """A thousand edits and views, the most that are kept of a user."""
    dice, now = random.Random(2), datetime.now(UTC)
    for number in range(1_000):
        action = "edit" if number % 2 else "view"
        when = now - timedelta(minutes=number)
        corpus.store.record_activity(
            corpus.principal, f"p{dice.randrange(documents)}", action, when
        )


def _megabytes(folder: Path) -> float:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / 1e6


def full_places() -> Iterator[Target]:
    """A hundred thousand documents, as the project states it."""
    yield from places(100_000, 200, p95_at_most=10, cached_at_most=1)


def quick_places() -> Iterator[Target]:
    """So few that what every request costs weighs most; with room for noise."""
    yield from places(2_000, 30, p95_at_most=40, cached_at_most=10)
