"""What the asking user edited or viewed last."""

from __future__ import annotations

from typing import Final

from biblicus_context.base.durations import duration
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import meeting_filters
from biblicus_context.spec.retriever_settings import ActivitySpec
from biblicus_context.stores import Action

_FIRST: Final[dict[Action, float]] = {"edit": 0.6, "view": 0.5}
_STEP: Final = 0.02
_LEAST: Final = 0.05


def activity(query: SearchQuery, spec: ActivitySpec, most: int) -> list[RankedBlock]:
    """The blocks of these documents, the document with the best score first; ties by id."""
    del most
    scores: dict[str, float] = {}
    limits: dict[Action, int] = {"edit": spec.edits, "view": spec.views}
    for action, limit in limits.items():
        for number, document in enumerate(_last(query, spec, action, limit)):
            score = max(_LEAST, round(_FIRST[action] - _STEP * number, 4))
            scores[document] = max(score, scores.get(document, 0.0))
    found = meeting_filters(query, sorted(scores, key=lambda each: (-scores[each], each)))
    places = query.store.places_of(query.principal, found, at=query.at) if found else ()
    return [_found(each.block_id, each.document_id, scores[each.document_id]) for each in places]


def _last(query: SearchQuery, spec: ActivitySpec, action: Action, limit: int) -> list[str]:
    if not limit:
        return []
    span = duration(spec.within)
    assert span is not None  # the model checks how it is written
    since = query.now - span
    done = query.store.activity(query.principal, actions=[action], since=since, limit=limit)
    return [each.document_id for each in done]


def _found(block: str, document: str, score: float) -> RankedBlock:
    return RankedBlock(block, document, score, lambda _: {"activity": score})
