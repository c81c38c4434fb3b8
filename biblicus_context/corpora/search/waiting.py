"""Blocks that wait for the vectors of a slow embedder are found by quick ones; the best get their own now.

As many as take half a second: a search must not wait for an embedder, however slow the machine is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from biblicus_context.corpora.quick_vectors import MadeNow, QuickVectors
from biblicus_context.corpora.search.query import NEAREST, FoundByMeaning, SearchQuery
from biblicus_context.ingest.documents import FileDocument
from biblicus_context.ingest.embedding import key_of
from biblicus_context.stores import Found, SearchRequest

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Integers, Numbers

_BEST: Final = 100
"""With so many a ranking has 98 % of what it finds once all blocks have their vectors."""
_QUICK: Final = 0.7
"""What quick vectors count against words, as measured for the static model."""
_MOST_ASKED_FOR: Final = 400
_APART: Final = 1e-3
"""Enough to order blocks, and too little to move them past others."""


def searched(query: SearchQuery, request: SearchRequest) -> Found:
    """The answer to a request; of blocks that wait, the best have cosines by vectors that are made now."""
    found = query.view.search(request)
    if request.vector is None:
        return found
    query.missing.blocks = found.unembedded
    _note(query, request.vector.model, found)
    if query.quick is None:
        return found
    import numpy as np  # the store has loaded it to rank

    query.quick.waiting = query.quick.embedded = 0
    if not found.unembedded or query.quick_vector is None:
        return found
    first = query.view.search(replace(request, vector=query.quick_vector))
    _note(query, query.quick_vector.model, first)
    if np.isnan(first.cosines).all():  # what others put without any vector does not wait
        return found
    query.missing.blocks, query.quick.waiting = 0, found.unembedded
    names = _wanted(query, query.quick, first, found.unembedded)
    vectors = made_now(query, [*names]) if names else {}
    if not vectors:
        return found
    asked = np.frombuffer(request.vector.data, dtype="<f4").astype(np.float64)
    made = np.frombuffer(b"".join(vectors.values()), dtype="<f4").reshape(len(vectors), -1)
    own = made @ (asked / (np.linalg.norm(asked) or 1.0))
    others = [row for name, row in names.items() if name not in vectors]
    rows = np.array([*map(names.__getitem__, vectors), *others])
    known = found.cosines[~np.isnan(found.cosines)]
    lowest = float(np.concatenate([own, known]).min())
    cosines = np.concatenate([own, _lowest(lowest, first.cosines[others])])
    return found.with_cosines(first, rows, cosines)


def _note(query: SearchQuery, model: str, found: Found) -> None:
    if query.judges and model not in query.by_meaning:
        nearest = found.by_vector[(-found.cosines[found.by_vector]).argsort(kind="stable")]
        query.by_meaning[model] = FoundByMeaning(found, nearest[:NEAREST])


def _lowest(lowest: float, quick: Numbers) -> Numbers:
    """Cosines of the best that were not embedded: as low as any, in the order of their quick vectors.

    An estimate would mislead a ranking that counts words too; without any they would not be found.
    """
    return lowest + _APART * (quick - quick.max()) if len(quick) else quick


def made_now(query: SearchQuery, block_ids: Sequence[str]) -> Mapping[str, bytes]:
    """The vectors of the first of these blocks, as many as the query has time for, the best first.

    The embedder of queries remembers them for a while.
    """
    assert query.embedder is not None
    assert query.quick is not None
    made, quick = query.made, query.quick
    new = [each for each in block_ids if each not in made.rows][:_BEST]
    waiting = [*query.view.evidence(new)] if quick.fitting(made.seconds) else []
    while waiting and (number := quick.fitting(made.seconds)):
        some, waiting = waiting[:number], waiting[number:]
        texts = [FileDocument(each.document, (each.block,), 0).embedded_texts[0] for each in some]
        vectors, seconds = quick.timed(query.embedder, texts)
        made.seconds += seconds
        for each, text, vector in zip(some, texts, vectors.astype("<f4"), strict=True):
            made.rows[each.block.id] = row = vector.tobytes()
            quick.rows.put(key_of(text), row)
        if len(quick.asked_for) < _MOST_ASKED_FOR:
            quick.asked_for.update(each.document.id for each in some)
    quick.embedded = len(made.rows)
    return {each: made.rows[each] for each in block_ids if each in made.rows}


def _wanted(
    query: SearchQuery, quick: QuickVectors, first: Found, waiting: int
) -> Mapping[str, int]:
    """The rows of the blocks whose vectors a query needs: the best ones, unless it had its best before."""
    rows = _best(first)
    names = [each.block_id for each in query.view.places(first, rows)] if len(rows) else []
    wanted = dict(zip(names, rows.tolist(), strict=True))
    key = query.text, repr(query.filters)
    before = quick.made.get(key)
    if before is None or waiting > before.waiting:
        quick.made.put(key, MadeNow(frozenset(wanted), waiting))
        return wanted
    return {name: row for name, row in wanted.items() if name in before.blocks}


def _best(first: Found) -> Integers:
    """The best rows that have a quick vector, by these and by words."""
    import numpy as np  # the store has loaded it to rank

    rows = np.flatnonzero(~np.isnan(first.cosines))
    scores = _QUICK * _standard(first.cosines[rows]) + _standard(first.text[rows])
    best: Integers = rows[np.argsort(-scores, kind="stable")[:_BEST]]
    return best


def _standard(scores: Numbers) -> Numbers:
    """Scores of one kind with mean 0 and deviation 1."""
    if not len(scores):
        return scores
    centred: Numbers = scores - scores.mean()
    return centred / (scores.std() or 1.0)
