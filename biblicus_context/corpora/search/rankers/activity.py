"""What the asking user edited or viewed last."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from itertools import chain
from typing import Final

from biblicus_context.base.durations import duration
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.outlining import read_ahead
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import places_meeting_filters
from biblicus_context.spec.retriever_settings import ActivitySpec, OutlineSize
from biblicus_context.stores import Action, BlockPlace

VIEW: Final[Action] = "view"
"""Names the part of the score of what was viewed and not edited."""
_FIRST: Final[dict[Action, float]] = {"edit": 0.6, VIEW: 0.5}
_STEP: Final = 0.02
_LEAST: Final = 0.05


def activity(query: SearchQuery, spec: ActivitySpec, most: int) -> list[RankedBlock]:
    """The blocks of these documents, the document with the best score first; ties by id."""
    del most
    scores: dict[str, float] = {}
    done: dict[str, Action] = {}
    limits: dict[Action, int] = {"edit": spec.edits, VIEW: spec.views}
    last = query.view.together(*(partial(_last, query, spec, *each) for each in limits.items()))
    for action, documents in zip(limits, last, strict=True):
        for number, document in enumerate(documents):
            score = max(_LEAST, round(_FIRST[action] - _STEP * number, 4))
            scores[document] = max(score, scores.get(document, 0.0))
            done.setdefault(document, action)
    found = sorted(scores, key=lambda each: (-scores[each], each))
    outlined = {each for each in found if done[each] == VIEW} if spec.outline else set[str]()
    places = _places(query, found, outlined, spec.outline)
    return [
        _found(each.block_id, each.document_id, done[each.document_id], scores[each.document_id])
        for each in places
    ]


def _places(
    query: SearchQuery,
    documents: Sequence[str],
    outlined: Collection[str],
    size: OutlineSize | None,
) -> list[BlockPlace]:
    """The blocks of those that match the filters, in order; of an outlined one the first, for all."""
    whole = [each for each in documents if each not in outlined]
    first = sorted(outlined)
    *found, _ = query.view.together(
        lambda: places_meeting_filters(query, whole),
        lambda: places_meeting_filters(query, first, most=1),
        lambda: read_ahead(query, first, size) if size else None,
    )
    order = {name: place for place, name in enumerate(documents)}
    return sorted(chain(*found), key=lambda each: order[each.document_id])


def _last(query: SearchQuery, spec: ActivitySpec, action: Action, limit: int) -> list[str]:
    if not limit:
        return []
    span = duration(spec.within)
    assert span is not None  # the model checks how it is written
    since = query.now - span
    done = query.view.activity(actions=[action], since=since, limit=limit)
    return [each.document_id for each in done]


def _found(block: str, document: str, action: Action, score: float) -> RankedBlock:
    return RankedBlock(block, document, score, lambda _: {action: score})
