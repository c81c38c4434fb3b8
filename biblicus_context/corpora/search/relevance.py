"""Whether the best hits of a search are relevant, judged by what else the same search could have found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import log, sqrt
from typing import TYPE_CHECKING, Final

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.search.foreign_query import foreign_language
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.retrieval.analysis import SMALL_TALK, STOP_WORDS, telling_terms
from biblicus_context.retrieval.relevance import Noise, Relevance, judged, weighed_shares
from biblicus_context.stores import Found, Vectors, named
from biblicus_context.stores.words import stems_of

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Numbers, Rows

JUDGED: Final = 10
"""Of the first so many hits the most relevant one decides."""
_BACKGROUND: Final = (
    "How long should I boil an egg?",
    "Which wine goes with grilled fish?",
    "When should I plant garlic?",
    "What causes a fever in children?",
    "Is ibuprofen safe during pregnancy?",
    "Who wrote Hamlet?",
    "What was the cause of the first world war?",
    "Which river flows through Cairo?",
    "How many people live in Iceland?",
    "How does a rainbow form?",
    "Why is the sea salty?",
    "What is the difference between a crocodile and an alligator?",
    "Which team won the basketball final last night?",
    "What are the rules of offside?",
    "Is there a good action film on tonight?",
    "How do I tune a violin?",
    "How do I reverse a linked list?",
    "How do I center a div?",
    "How do I merge two branches?",
    "How do I sort a table by two columns?",
    "How do I reset my phone to factory settings?",
    "What is the interest rate of a mortgage?",
    "What is the minimum wage?",
    "How do I write a last will?",
    "What is the cheapest flight to Rome?",
    "How do I change a flat tyre?",
    "Which paint is best for a bathroom?",
    "How do I hang a heavy mirror?",
    "How do I knit a scarf?",
    "Tell me a story about a dragon.",
    "Will it snow at the weekend?",
    "I feel a bit tired today.",
)
"""What people ask of anything; whatever a corpus is about, most of it is about something else."""
_OTHERS: Final = 0.85
"""The share of them that is surely about something else."""
_SPREAD_OF_ALL: Final = 1.25
"""The spread of all, by that of this share."""
_LEAST_SPREAD: Final = 0.02
_FEW: Final = 60
_OF_DEVIATION: Final = 1.1
"""The usual spread of the best, by the deviation of all cosines of one query."""
_SAYS: Final = 3
"""Words of a text that has a meaning of its own; "Okay, thank you." is similar to any short query."""
_MODELS: Final = 8
_RARITY: Final = 0.3
"""What a word counts that every block has."""

_SAMPLE: Final = 512
"""Blocks of a sample: enough to tell how similar the best of all is to a query about something else."""

_background = BoundedMemory[str, "Rows"](_MODELS)
"""The embeddings of the background by model: made once in a process."""


def relevance_of(
    query: SearchQuery,
    first: Sequence[RankedBlock],
    fetch: Callable[[Sequence[RankedBlock]], Sequence[Evidence]],
) -> Relevance:
    """The decision about a ranking by its first hits; whatever is passed of it is read with them."""
    stems = {each: frozenset(stems_of(each)) for each in telling_terms(query.text)}
    judged_by_id = {each.block_id: each for each in (*first[:JUDGED], *_nearest(query))}
    read = judged_by_id | {each.block_id: each for each in first}
    if query.view.travels:
        _read_ahead(query, [*stems], [*read])
    counts = query.view.count_terms([*stems])
    weights = {
        each: log((1 + counts.blocks) / (1 + counts.found.get(each, 0))) + _RARITY for each in stems
    }
    evidence = {each.block.id: each for each in fetch([*read.values()])}
    hits = [evidence[each] for each in judged_by_id if each in evidence]
    texts = [(each.block.id, _stems(each)) for each in hits]
    words = [
        frozenset(each for each, own in stems.items() if _has(hit, text, each, own))
        for hit, (_, text) in zip(hits, texts, strict=True)
    ]
    shares, found = weighed_shares(words, weights)
    missing = [each for each in stems if not counts.found.get(each)]
    saying = [
        name
        for (name, text), own in zip(texts, words, strict=True)
        if own or len(text - _SAY_NOTHING) >= _SAYS
    ]
    similar, noise = _similarities(query, saying, [*read])
    if noise is not None and similar and _is_foreign(query):
        noise = None  # of words that are the same the vectors know nothing in this language
    return judged(similar, shares, noise, missing=missing, found=[e for e in stems if e in found])


def _nearest(query: SearchQuery) -> Iterator[RankedBlock]:
    """The best by meaning alone, by each model."""
    for each in query.by_meaning.values():
        if each is not None:
            found = each.found
            for hit in named(query.view, found, each.nearest, found.cosines, "vector"):
                yield RankedBlock(hit.block_id, hit.place.document_id, hit.score, _no_parts)


def _no_parts(_: str) -> Mapping[str, float]:
    return {}


def _read_ahead(query: SearchQuery, words: Sequence[str], block_ids: Sequence[str]) -> None:
    """Read in one trip what is judged by."""
    view, vectors = query.view, [query.vector]
    if query.vector is not None and query.quick is not None:
        vectors.append(query.quick_vector)
    models = [each.model for each in vectors if each is not None]
    view.together(
        lambda: view.count_terms(words),
        lambda: view.evidence(block_ids),
        *(partial(view.vectors, model, block_ids) for model in models),
    )


def _has(evidence: Evidence, text: frozenset[str], word: str, stems: frozenset[str]) -> bool:
    """Whether a text has a word; one of a language without spaces is a part of a longer run."""
    if stems and stems <= text:
        return True
    return not word.isascii() and word in evidence.block.text.lower()


def _stems(evidence: Evidence) -> frozenset[str]:
    block, document = evidence.block, evidence.document
    # The name of a file says what it is about; a folder has many others in it.
    names = (each.rpartition("/")[2] for each in (document.title, document.path) if each)
    return frozenset(stems_of(" ".join((*names, *block.heading, block.text))))


def _is_foreign(query: SearchQuery) -> bool:
    return query.embedder is not None and bool(foreign_language(query.text, query.embedder))


def _similarities(
    query: SearchQuery, block_ids: Sequence[str], read: Sequence[str]
) -> tuple[Sequence[float], Noise | None]:
    """How similar the blocks are, and the noise; each by the model with which most can be compared.

    What is `read` with them is compared later.
    """
    asked = query.vector
    if asked is None:
        return (), None
    models: list[tuple[Vectors, Mapping[str, bytes]]] = [
        (
            asked,
            {**_among(query.view.vectors(asked.model, read), block_ids), **_made(query, block_ids)},
        )
    ]
    if query.quick is not None and query.quick_vector is not None:
        quick = query.quick_vector
        models.append((quick, _among(query.view.vectors(quick.model, read), block_ids)))
    best: tuple[Sequence[float], Noise | None] = (), None
    for vector, stored in models:
        made = query.by_meaning.get(vector.model)
        # A ranking that is remembered does not keep an answer, which refers to all blocks.
        query.by_meaning[vector.model] = None
        if made is None:
            continue
        noise = made.found.remembered("noise", partial(_noise, query, vector.model, made.found))
        if noise is not None:
            alike = _alike(vector, [*stored.values()])
            if _is_better((alike, noise), best):
                best = alike, noise
    return best


def _among(vectors: Mapping[str, bytes], block_ids: Sequence[str]) -> Mapping[str, bytes]:
    return {each: vectors[each] for each in block_ids if each in vectors}


def _is_better(
    one: tuple[Sequence[float], Noise], other: tuple[Sequence[float], Noise | None]
) -> bool:
    """Whether the best block is further above the noise by this model."""
    if other[1] is None:
        return True
    return _above(*one) > _above(other[0], other[1])


def _above(similar: Sequence[float], noise: Noise) -> float:
    return (max(similar, default=0.0) - noise.middle) / noise.spread


def _made(query: SearchQuery, block_ids: Sequence[str]) -> Mapping[str, bytes]:
    """The vectors of blocks that were made for this query."""
    return {each: query.made.rows[each] for each in block_ids if each in query.made.rows}


def _noise(query: SearchQuery, model: str, found: Found) -> Noise | None:
    """How similar the best of all is to questions about something else; None where nothing compares."""
    import numpy as np  # the search has loaded it to rank

    from biblicus_context.embedders import unrelated  # a search by words works without it

    every, rows = found.sample(_SAMPLE)
    background = _background.get(model)
    if background is None:
        background = _embedded(query, model)
        _background.put(model, background)
    if not len(rows) or background.shape[1] != rows.shape[1]:
        return None
    zero, known = unrelated(model), len(rows)
    cosines = ((rows @ background.T).astype(np.float64) - zero) / (1 - zero)
    most = np.sort(cosines.max(axis=0))[: int(len(background) * _OTHERS)]
    deviation = float(cosines.std(axis=0).mean())
    more = deviation * (_extreme(every) - _extreme(known))
    own = _SPREAD_OF_ALL * float(most.std())
    # Few blocks tell little about the spread of the best of them.
    spread = (known * own + _FEW * deviation * _OF_DEVIATION) / (known + _FEW)
    return Noise(float(most.mean()) + more, max(spread, _LEAST_SPREAD))


def _extreme(number: int) -> float:
    """How many deviations the largest of so many numbers is above their mean."""
    return sqrt(2 * log(max(number, 2)))


def _embedded(query: SearchQuery, model: str) -> Rows:
    import numpy as np  # the search has loaded it to rank

    own = query.embedder
    if own is None or own.model != model:
        assert query.quick is not None  # whose vectors the sample has
        rows = query.quick.embedder.embed(_BACKGROUND)
    else:
        rows = own.embed(_BACKGROUND)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _alike(vector: Vectors, stored: Sequence[bytes]) -> list[float]:
    import numpy as np  # the search has loaded it to rank

    from biblicus_context.embedders import unrelated  # it does as well

    zero = unrelated(vector.model)
    if not stored:
        return []
    rows = np.frombuffer(b"".join(stored), dtype="<f4").reshape(len(stored), -1).astype(np.float64)
    asked = np.frombuffer(vector.data, dtype="<f4").astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
    cosines: Numbers = rows @ asked / np.where(lengths > 0, lengths, 1.0)
    return [float(each) for each in (cosines - zero) / (1 - zero)]


_SAY_NOTHING: Final = frozenset(
    stem for each in (*STOP_WORDS, *SMALL_TALK) for stem in stems_of(each)
)
