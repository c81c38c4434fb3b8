"""The arguments of a store's methods, checked once at the door."""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, get_args

from biblicus_context.errors import InputError
from biblicus_context.stores import checks, filter_checks
from biblicus_context.stores.found import SearchRequest
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.results import Action, Bm25, Direction


def terms(values: Sequence[str], place: str) -> tuple[str, ...]:
    """Checked terms."""
    return tuple(checks.text(each, place) for each in checks.sequence(values, place))


def search(request: SearchRequest) -> SearchRequest:
    """A checked request: its texts are sound, and its numbers can be computed with."""
    if not isinstance(request, SearchRequest):
        fix = "Use SearchRequest(terms=..., vector=...)."
        raise InputError("a search is a SearchRequest", found=request, fix=fix)
    similarity = request.similarity
    if similarity is not None and not 0.0 < checks.number(similarity, "similarity") <= 1.0:
        raise InputError("must be above 0 and up to 1", place="similarity", found=similarity)
    checks.whole(request.limit, "limit")
    checks.whole(request.turn_limit, "turn_limit")
    _weights(request.weights)
    filter_checks.checked(request.filters)
    if request.vector is not None:
        query(request.vector)
    sound = (terms(request.terms, "terms"), terms(request.words, "words"))
    if sound == (request.terms, request.words):
        return request
    return replace(request, terms=sound[0], words=sound[1])


def _weights(value: Bm25) -> Bm25:
    """Weights with which all scores are finite."""
    named = {"heading": value.heading, "text": value.text, "k1": value.k1, "b": value.b}
    for name, weight in named.items():
        checks.positive(weight, f"weights.{name}")
    if value.b > 1.0:
        raise InputError("must be up to 1", place="weights.b", found=value.b)
    return value


def query(vectors: Vectors) -> Vectors:
    """One embedding, of finite numbers."""
    checks.name(vectors.model, "query.model")
    if vectors.rows != 1 or len(vectors.data) != 4 * vectors.dimensions:
        raise InputError("exactly one embedding is expected", place="query", found=vectors.rows)
    numbers = struct.unpack(f"<{vectors.dimensions}f", vectors.data)
    if not all(map(math.isfinite, numbers)):
        raise InputError("an embedding must consist of finite numbers", place="query")
    return vectors


def direction(value: Direction) -> Direction:
    """A known direction."""
    if value not in get_args(Direction):
        valid = get_args(Direction)
        raise InputError("not a direction", place="direction", found=value, valid=valid)
    return value


@dataclass(frozen=True, slots=True)
class RecordedUsage:
    """Blocks whose use or feedback is counted."""

    used: tuple[str, ...]
    helpful: tuple[str, ...]
    unhelpful: tuple[str, ...]
    when: datetime | None


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """Which activity is read."""

    actions: tuple[Action, ...]
    since: datetime | None
    documents: tuple[str, ...] | None
    limit: int


MOST_ACTIVITY: Final = 1000
"""Documents and actions that are kept for each user."""


def activity(
    actions: Collection[Action],
    since: datetime | None,
    documents: Collection[str] | None,
    limit: int,
) -> ActivityQuery:
    """A checked query; without actions, all of them."""
    return ActivityQuery(
        tuple(action(each) for each in actions) or get_args(Action),
        checks.optional_moment(since, "since"),
        None if documents is None else checks.ids(documents, "documents"),
        checks.whole(limit, "limit"),
    )


def action(value: Action) -> Action:
    """A known action."""
    if value not in get_args(Action):
        raise InputError("not an action", place="action", found=value, valid=get_args(Action))
    return value


def moment(value: datetime) -> datetime:
    """A time with its zone."""
    found = checks.optional_moment(value, "when")
    if found is None:
        raise InputError("a time is expected", place="when", found=value)
    return found


def usage(
    used: Sequence[str], helpful: Sequence[str], unhelpful: Sequence[str], when: datetime | None
) -> RecordedUsage:
    """Checked ids, and the time of the use: required if blocks were used."""
    ids = checks.ids(used, "used")
    moment = checks.optional_moment(when, "when")
    if ids and moment is None:
        fix = "For example datetime.now(timezone.utc)."
        raise InputError("used blocks need the time of the use", place="when", found=when, fix=fix)
    return RecordedUsage(
        ids, checks.ids(helpful, "helpful"), checks.ids(unhelpful, "unhelpful"), moment
    )
