"""Whether the best hits of a search are relevant, judged by what else the same search could have found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, log, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.search.foreign_query import foreign_language
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.retrieval.analysis import telling_terms, tells_something
from biblicus_context.retrieval.relevance import JudgedBlock, Noise, Relevance, is_far, judged
from biblicus_context.stores import Found, TermCounts, Vectors, named
from biblicus_context.stores.words import stems_of
from biblicus_context.text.rare_words import rarity

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
_LEAST_SPREAD: Final = 0.02
_UNSEEN: Final = 20
"""Blocks that are supposed besides those that there are: of three, what all have is not frequent."""
_BEGINNING: Final = 2
"""Letters of a word that each of its forms begins with."""
_UNKNOWN: Final = None, 0.0
_MODELS: Final = 8
_IN_MANY: Final = 4
"""A word in more than one of so many blocks counts less, the less the more have it."""

_SAMPLE: Final = 512
"""Blocks of a sample: enough to tell how similar the best of all is to a query about something else."""

_background = BoundedMemory[str, "Rows"](_MODELS)
"""The embeddings of the background by model: made once in a process."""


def _middle(cosines: Numbers) -> float:
    """The median of the best cosine of each query: that of numpy loads masked arrays, which take 30 ms."""
    best: list[float] = sorted(cosines.max(axis=0).tolist())
    half = len(best) // 2
    return (best[half] + best[~half]) / 2


class HitJudge:
    """Judges the hits of one query: whether the first ones are relevant, and which are far from it."""

    def __init__(
        self,
        query: SearchQuery,
        fetch: Callable[[Sequence[RankedBlock]], Sequence[Evidence]],
    ) -> None:
        self._query, self._fetch = query, fetch
        self._stems: Mapping[str, frozenset[str]] = {}
        self._weights: Mapping[str, float] = {}
        self._compared = _NOT_COMPARED
        self._talks: set[str] = set()

    def decide(self, first: Sequence[RankedBlock], ahead: Sequence[RankedBlock] = ()) -> Relevance:
        """The decision about the first hits of a ranking; those `ahead` are read with them."""
        query = self._query
        terms = telling_terms(query.text)
        self._stems = stems = {each: frozenset(stems_of(each)) for each in terms}
        by_id = {each.block_id: each for each in (*first, *_nearest(query))}
        read = by_id | {each.block_id: each for each in ahead}
        if query.view.travels:
            _read_ahead(query, [*stems], [*read])
        counts = query.view.count_terms([*stems])
        self._weights = {each: rarity(each) * _unusual(counts, each) for each in stems}
        self._compared = _compared(query, [*by_id], [*read])
        if self._compared.alike and _is_foreign(query):
            # Of words that are the same the vectors know nothing in this language.
            self._compared = _NOT_COMPARED
        self._fetch([*read.values()])
        blocks = self._blocks([*by_id.values()], self._compared.alike)
        missing = [each for each in stems if not counts.found.get(each)]
        return judged(blocks, self._weights, self._noise, missing=missing)

    def far(self, hits: Sequence[RankedBlock]) -> list[bool]:
        """Of each of these hits, whether it is far from relevant, after a decision.

        What was said in a conversation of which something is near is not: "In March." answers nobody
        who reads it alone.
        """
        alone = self._far_alone(hits)
        found = [*zip(self._fetch(hits), alone, strict=True)]
        self._talks |= {hit.document.conversation or "" for hit, is_far in found if not is_far}
        self._talks.discard("")
        return [is_far and hit.document.conversation not in self._talks for hit, is_far in found]

    def _far_alone(self, hits: Sequence[RankedBlock]) -> list[bool]:
        noise = self._noise
        if noise is None:  # words alone decide, and a block without any has none to be near by
            return [not self._block(each, None, 0.0).words for each in self._fetch(hits)]
        ids = [each.block_id for each in hits]
        view, vector = self._query.view, self._compared.vector
        if view.travels and vector is not None:
            view.together(partial(view.evidence, ids), partial(view.vectors, vector.model, ids))
        alike = self._compared.with_those(self._query, ids)
        found = self._fetch(hits)
        return [self._is_far(hit, alike.get(hit.block.id, _UNKNOWN), noise) for hit in found]

    def _is_far(self, hit: Evidence, alike: tuple[float | None, float], noise: Noise) -> bool:
        """Most are by far, or are not, whatever words they have: to read these takes most of the time."""
        similarity, usual = alike
        if not is_far(JudgedBlock(similarity, usual, tells=False), self._weights, noise):
            return False
        text = _written(hit).lower()
        maybe = frozenset(each for each in self._stems if each[:_BEGINNING] in text)
        if is_far(JudgedBlock(similarity, usual, maybe), self._weights, noise):
            return True
        return is_far(self._block(hit, similarity, usual), self._weights, noise)

    @property
    def travels(self) -> bool:
        """Whether each read is a trip to another machine."""
        return self._query.view.travels

    @property
    def _noise(self) -> Noise | None:
        background = self._compared.background
        return background.noise if background else None

    def _blocks(self, hits: Sequence[RankedBlock], alike: _Alike) -> list[JudgedBlock]:
        return [self._block(hit, *alike.get(hit.block.id, _UNKNOWN)) for hit in self._fetch(hits)]

    def _block(self, hit: Evidence, similarity: float | None, usual: float) -> JudgedBlock:
        text = _stems(hit)
        own = frozenset(e for e, stems in self._stems.items() if _has(hit, text, e, stems))
        return JudgedBlock(similarity, usual, own, tells_something(hit.block.text))


def _unusual(counts: TermCounts, word: str) -> float:
    """What a word counts by how many blocks have it: nothing if all of them do."""
    share = (_UNSEEN + counts.blocks) / (1 + counts.found.get(word, 0))
    return min(1.0, log(share) / log(_IN_MANY))


def _nearest(query: SearchQuery) -> Iterator[RankedBlock]:
    """The best by meaning alone, by each model."""
    for each in query.by_meaning.values():
        if each is not None:
            found = each.found
            for hit in named(query.view, found, each.nearest, found.cosines, "vector"):
                yield RankedBlock(hit.block_id, hit.place.document_id, hit.score, _no_parts)


def _no_parts(_: str) -> Mapping[str, float]:
    return {}


def _among(vectors: Mapping[str, bytes], block_ids: Sequence[str]) -> Mapping[str, bytes]:
    return {each: vectors[each] for each in block_ids if each in vectors}


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
    return frozenset(stems_of(_written(evidence)))


def _written(evidence: Evidence) -> str:
    block, document = evidence.block, evidence.document
    # The name of a file says what it is about; a folder has many others in it.
    names = (each.rpartition("/")[2] for each in (document.title, document.path) if each)
    return " ".join((*names, *block.heading, block.text))


def _is_foreign(query: SearchQuery) -> bool:
    return query.embedder is not None and bool(foreign_language(query.text, query.embedder))


class _Background(NamedTuple):
    """The vectors of the background, and the noise that they make."""

    rows: Rows
    zero: float
    """The cosine of texts that have nothing in common."""
    noise: Noise


_Alike: TypeAlias = Mapping[str, tuple[float, float]]
"""By id of a block, how similar it is to the query, and to the background in the mean."""


class _Compared(NamedTuple):
    """How similar blocks are, by the model whose best block is furthest above the noise."""

    alike: _Alike
    vector: Vectors | None = None
    background: _Background | None = None

    @property
    def above(self) -> float:
        """How many spreads the best block is above the noise."""
        if self.background is None:
            return -inf
        noise = self.background.noise
        own = noise.above_own or 0.0
        best = (
            similar - (noise.middle + own + usual) / 2 for similar, usual in self.alike.values()
        )
        return max(best, default=-1.0) / noise.spread

    def with_those(self, query: SearchQuery, block_ids: Sequence[str]) -> _Alike:
        """These blocks as well, by the same model."""
        new = [each for each in block_ids if each not in self.alike]
        if self.vector is None or self.background is None or not new:
            return self.alike
        stored = {**query.view.vectors(self.vector.model, new), **_made(query, new)}
        return {**self.alike, **_alike(self.vector, stored, self.background)}


_NOT_COMPARED: Final = _Compared({})


def _compared(query: SearchQuery, block_ids: Sequence[str], read: Sequence[str]) -> _Compared:
    """How similar these blocks are; the vectors of all that is `read` with them will be asked for."""
    asked = query.vector
    if asked is None:
        return _NOT_COMPARED
    models: list[tuple[Vectors, Mapping[str, bytes]]] = [
        (
            asked,
            {**_among(query.view.vectors(asked.model, read), block_ids), **_made(query, block_ids)},
        )
    ]
    if query.quick is not None and query.quick_vector is not None:
        quick = query.quick_vector
        models.append((quick, _among(query.view.vectors(quick.model, read), block_ids)))
    best = _NOT_COMPARED
    for vector, stored in models:
        made = query.by_meaning.get(vector.model)
        # A ranking that is remembered does not keep an answer, which refers to all blocks.
        query.by_meaning[vector.model] = None
        if made is None:
            continue
        noise = made.found.remembered("noise", partial(_noise, query, vector.model, made.found))
        if noise is not None:
            rows = _background_of(query, vector.model)
            background = _Background(rows, _zero(vector.model), noise)
            own = _Compared(_alike(vector, stored, background), vector, background)
            best = max(best, own, key=lambda each: each.above)
    return best


def _made(query: SearchQuery, block_ids: Sequence[str]) -> Mapping[str, bytes]:
    """The vectors of blocks that were made for this query."""
    return {each: query.made.rows[each] for each in block_ids if each in query.made.rows}


def _zero(model: str) -> float:
    """The cosine of texts that have nothing in common."""
    from biblicus_context.embedders import unrelated  # a search by words works without it

    return unrelated(model)


def _background_of(query: SearchQuery, model: str) -> Rows:
    """The embeddings of the background."""
    rows = _background.get(model)
    if rows is None:
        rows = _embedded(query, model)
        _background.put(model, rows)
    return rows


def _noise(query: SearchQuery, model: str, found: Found) -> Noise | None:
    """The noise of a corpus; None if its vectors are not those of the model any more.

    Half of the background is below the middle, whatever a few of its questions have to do with the corpus.
    """
    import numpy as np  # the search has loaded it to rank

    every, sample = found.sample(_SAMPLE)
    rows = _background_of(query, model)
    if not len(sample) or rows.shape[1] != sample.shape[1]:
        return None
    zero = _zero(model)
    cosines = ((sample @ rows.T).astype(np.float64) - zero) / (1 - zero)
    own = cosines - cosines.mean(axis=1, keepdims=True)
    more = _extreme(every) - _extreme(len(sample))
    middle = _middle(cosines) + more * float(cosines.std(axis=0).mean())
    above_own = _middle(own) + more * float(own.std(axis=0).mean())
    spread = max(float(cosines.std()), _LEAST_SPREAD)
    return Noise(middle, spread, above_own)


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


def _alike(vector: Vectors, stored: Mapping[str, bytes], background: _Background) -> _Alike:
    import numpy as np  # the search has loaded it to rank

    if not stored:
        return {}
    data = b"".join(stored.values())
    rows = np.frombuffer(data, dtype="<f4").reshape(len(stored), -1).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(lengths > 0, lengths, 1.0)
    asked = np.frombuffer(vector.data, dtype="<f4").astype(np.float64)
    length = np.linalg.norm(asked)
    zero = background.zero
    cosines: Numbers = (rows @ asked / (length or 1.0) - zero) / (1 - zero)
    usual: Numbers = ((rows @ background.rows.T).mean(axis=1) - zero) / (1 - zero)
    pairs = zip(cosines.tolist(), usual.tolist(), strict=True)
    return dict(zip(stored, pairs, strict=True))
