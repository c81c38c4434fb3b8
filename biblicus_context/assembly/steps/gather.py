"""Step 3: packs are fetched, all first pages at once, and fitted to their shares.

A pack whose query or texts quote another pack waits for it; alternatives are tried in order once
everything else is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from biblicus_context.assembly.call import Call
from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.limits import Limits, nested_limits, without_around
from biblicus_context.assembly.packs.brought_back import with_brought_back
from biblicus_context.assembly.packs.duplicates import without_duplicates
from biblicus_context.assembly.packs.formatted import TextsAround
from biblicus_context.assembly.packs.nested_row import nested_row
from biblicus_context.assembly.packs.paging import (
    NOT_QUOTED,
    STARVED,
    gather_retriever,
    refitted,
)
from biblicus_context.assembly.packs.retriever_call import RetrieverCall, tag_for
from biblicus_context.assembly.packs.row import cut_to, everything, evidence_of
from biblicus_context.assembly.packs.source_call import SourceCall
from biblicus_context.assembly.packs.sources import within_shares
from biblicus_context.assembly.queries.query import asked_query, plain_query
from biblicus_context.assembly.queries.recent import recent_messages
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.alternatives import choose, left_for
from biblicus_context.assembly.steps.authored import has_alternatives, inner_draft, tokens_around
from biblicus_context.assembly.steps.flow import Refit, flowed, spare
from biblicus_context.assembly.steps.parts import (
    FirstPart,
    Names,
    NestedSource,
    PackPart,
    RetrieverSource,
    TextPart,
)
from biblicus_context.assembly.steps.resolve import own_question
from biblicus_context.assembly.steps.share import share as divided
from biblicus_context.base.effects import Effectful, side_by_side
from biblicus_context.errors import BudgetError
from biblicus_context.retrieval.requests.request import ASSEMBLY, NOW
from biblicus_context.retrieval.requests.templates import filled

_ROUNDS: Final = 3
_FLOOR: Final = "min_score"
"""The setting that a combined retriever gives to sources without one of their own."""

Steps = Callable[[Draft, Registries], Effectful[Draft]]


def gather(draft: Draft, registries: Registries, *, nested: Steps) -> Effectful[Draft]:
    """The draft with its packs, and with one of each group of alternatives chosen."""

    def one(draft: Draft, index: int, part: PackPart) -> Effectful[Gathered]:
        if not part.copies:
            return _not_quoted()
        if isinstance(part.source, NestedSource):
            return _gather_nested(draft, registries, index, part, nested)
        return _gather_retriever(draft, index, part)

    def refit(draft: Draft, index: int, share: int) -> Effectful[Gathered]:
        return _refitted(draft, registries, index, share, nested)

    for wave in _waves(draft):
        draft = yield from _with_rewrites(draft, registries, wave)
        results = yield from side_by_side([one(draft, index, part) for index, part in wave])
        found = {index: result for (index, _), result in zip(wave, results, strict=True)}
        draft = draft._replace(packs={**draft.packs, **found})
    for index, part in enumerate(draft.parts):
        if isinstance(part, FirstPart):
            packs = [(index, each) for each in part.alternatives if isinstance(each, PackPart)]
            draft = yield from _with_rewrites(draft, registries, packs)
            draft = yield from choose(draft, index, part, one)
    draft = yield from settled(draft, refit)
    return _with_one_question((yield from within_shares(draft)))


def settled(draft: Draft, refit: Refit) -> Effectful[Draft]:
    """The draft without duplicates across packs, and with nothing unused that a pack wants.

    Blocks that a pack was asked for may be duplicates again, so both are repeated, but not without end.
    """
    for _ in range(_ROUNDS):
        draft = yield from without_duplicates(draft, call_for)
        before, draft = draft, (yield from flowed(draft, refit))
        if draft is before or _requests(draft) == _requests(before):
            break
    else:
        draft = yield from without_duplicates(draft, call_for)
    # `fit` does it for the outermost context, whose packs it may have to shrink first.
    return (yield from with_brought_back(draft)) if draft.level else draft


def _requests(draft: Draft) -> int:
    return sum(gathered.requests for gathered in draft.packs.values())


def _with_one_question(draft: Draft) -> Draft:
    """Without the caller's message where an alternative turned out to be the user message."""
    last = draft.parts[-1] if draft.parts else None
    if not (isinstance(last, TextPart) and last.is_fallback):
        return draft
    others = draft.parts[:-1]
    if not any(isinstance(part, TextPart) and part.role == "user" for part in others):
        return draft
    unplaced = (*draft.unplaced, own_question(last.text)) if last.text else draft.unplaced
    return draft._replace(parts=others, unplaced=unplaced)


def _waves(draft: Draft) -> Iterator[list[tuple[int, PackPart]]]:
    """Packs that can be asked together; one that looks back begins a new wave."""
    wave: list[tuple[int, PackPart]] = []
    for index, part in enumerate(draft.parts):
        if not isinstance(part, PackPart):
            continue
        if part.looks_back and wave:
            yield wave
            wave = []
        wave.append((index, part))
    if wave:
        yield wave


def _not_quoted() -> Effectful[Gathered]:
    yield from ()
    return NOT_QUOTED


def _each(part: PackPart, share: int | None) -> int | None:
    """The share of one copy of a pack."""
    return None if share is None else share // part.copies


def _gather_retriever(draft: Draft, index: int, part: PackPart) -> Effectful[Gathered]:
    return gather_retriever(call_for(draft, index, part))


def call_for(draft: Draft, index: int, part: PackPart) -> RetrieverCall:
    """What it takes to ask the retriever of a part, as far as the packs before it are there."""
    assert not isinstance(part.source, NestedSource)
    # Writing every pack for each that is asked takes quadratic time, and few quote any.
    quotable = draft.packs if part.looks_back else {}
    names = draft.names({at: gathered.fitted for at, gathered in quotable.items()})
    query = _query(draft, part.source, names, part.name)
    metadata = _metadata(part.source, names, draft.call, part.name)
    combined = None
    if part.source.combined:
        timeout = part.options.timeout_seconds
        whole = SourceCall(part.name, part.source, query, metadata, draft.call.now, timeout)
        combined = _with_sources(draft, whole, names)
    return RetrieverCall(
        part=part,
        source=part.source,
        at=index,
        query=query,
        share=draft.shares[index],
        limits=draft.limits,
        fills_share=draft.level > 0,
        tag=tag_for(part, draft.context.name),
        guarded=draft.call.fenced,
        names=draft.call.names,
        metadata=metadata,
        combined=combined,
    )


def _with_sources(draft: Draft, call: SourceCall, names: Names) -> SourceCall:
    """A combined retriever with its sources; one without a query of its own is asked the same."""
    assert call.source.combined is not None
    sources = []
    for spec, source in call.source.combined.sources:
        name = f"{call.name}/{spec.name}"
        metadata = _metadata(source, names, draft.call, name)
        if metadata.get(_FLOOR) is None and call.metadata.get(_FLOOR) is not None:
            metadata = {**metadata, _FLOOR: call.metadata[_FLOOR]}
        one = SourceCall(
            spec.name,
            source,
            _query(draft, source, names, name) if source.settings.query else call.query,
            metadata,
            call.now,
            spec.timeout_seconds or call.timeout,
            spec,
        )
        sources.append(_with_sources(draft, one, names) if source.combined else one)
    return call._replace(sources=tuple(sources))


def _query(draft: Draft, source: RetrieverSource, names: Names, name: str) -> str:
    plain = _plain_query(draft, source, names, name)
    return asked_query(source.settings.query_spec, plain, draft.rewrites, draft.call.history)


def _plain_query(draft: Draft, source: RetrieverSource, names: Names, name: str) -> str:
    place = f"retriever '{name}' query"
    return plain_query(source.settings.query_spec, names, draft.call, place)


def _with_rewrites(
    draft: Draft, registries: Registries, packs: Sequence[tuple[int, PackPart]]
) -> Effectful[Draft]:
    """The draft with what the rewriter makes of the queries of these packs."""
    if registries.rewriting is None:
        return draft
    names = draft.names({at: gathered.fitted for at, gathered in draft.packs.items()})
    queries = [
        _plain_query(draft, source, names, part.name)
        for index, part in packs
        if isinstance(part.source, RetrieverSource)
        if part.copies and draft.shares.get(index) != 0
        for source in (part.source, *part.source.with_own_queries)
        if source.settings.query_spec.rewrite
    ]
    new = (query for query in queries if query not in draft.rewrites)
    recent = recent_messages(draft.call.history)
    found = yield from registries.rewriting.rewritten(new, recent)
    return draft._replace(rewrites={**draft.rewrites, **found})


def _metadata(source: RetrieverSource, names: Names, call: Call, pack: str) -> Mapping[str, Any]:
    """The retriever's settings, filled with the values of this call."""
    settings = source.settings
    values = {
        key: filled(setting, names, place=f"retriever '{pack}' {key}", at=key)
        for key, setting in settings.templates.items()
    }
    return {**settings.metadata, **values, ASSEMBLY: call.assembly, NOW: call.now.isoformat()}


def _gather_nested(
    draft: Draft, registries: Registries, index: int, part: PackPart, nested: Steps
) -> Effectful[Gathered]:
    assert isinstance(part.source, NestedSource)
    share = draft.shares[index]
    if share is not None and share // part.copies == 0 and part.claim.elastic:
        return STARVED
    inner = inner_draft(draft, registries, part.source, _each(part, share))
    inner = inner._replace(limits=_inside(draft, registries, part, index, inner.limits))
    inner = yield from nested(inner, registries)
    return (yield from _flattened(draft, registries, part, inner, share, nested))


def _inside(
    draft: Draft, registries: Registries, part: PackPart, index: int, limits: Limits
) -> Limits:
    """The limits of a nested context: its format and everything around it take some of them."""
    assert isinstance(part.source, NestedSource)
    around = tokens_around(draft, registries, part, part.source)
    limits = without_around(limits, around)
    if limits.budget is not None or not has_alternatives(registries, part.source.context):
        return limits
    most = left_for(draft, index)
    return limits._replace(most=None if most is None else max(0, most // part.copies - around))


def _refitted(
    draft: Draft, registries: Registries, index: int, share: int, nested: Steps
) -> Effectful[Gathered]:
    """The pack under another share."""
    part, before = draft.parts[index], draft.packs[index]
    assert isinstance(part, PackPart)
    if isinstance(part.source, NestedSource) and before.nested is None:
        draft = draft._replace(shares={**draft.shares, index: share})
        return (yield from _gather_nested(draft, registries, index, part, nested))
    if before.nested is None and not before.attempts:
        return (yield from _asked_at_last(draft, registries, index, part, share))
    if before.nested is None:
        call = call_for(draft, index, part)._replace(query=before.query, share=share)
        return (yield from refitted(before, call))
    limits = nested_limits(
        registries.policy(before.nested.context),
        draft.limits,
        _each(part, share),
        registries.yardsticks,
    )
    limits = _inside(draft, registries, part, index, limits)
    inner = yield from _within(before.nested, registries, limits, nested)
    return (yield from _flattened(draft, registries, part, inner, share, nested))


def _within(
    inner: Draft, registries: Registries, limits: Limits, nested: Steps
) -> Effectful[Draft]:
    """A nested context whose packs are there, under other limits."""
    inner = divided(inner._replace(limits=limits), registries)

    def refit(inner: Draft, at: int, share: int) -> Effectful[Gathered]:
        return _refitted(inner, registries, at, share, nested)

    for at, gathered in inner.packs.items():
        given = inner.shares.get(at)
        if given is not None and given != gathered.share:
            again = yield from refit(inner, at, given)
            inner = inner._replace(packs={**inner.packs, at: again})
    return (yield from settled(inner, refit))


def _asked_at_last(
    draft: Draft, registries: Registries, index: int, part: PackPart, share: int
) -> Effectful[Gathered]:
    """The pack that had no share, and was not asked."""
    draft = draft._replace(shares={**draft.shares, index: share})
    draft = yield from _with_rewrites(draft, registries, [(index, part)])
    return (yield from _gather_retriever(draft, index, part))


def _flattened(
    draft: Draft,
    registries: Registries,
    part: PackPart,
    inner: Draft,
    share: int | None,
    nested: Steps,
) -> Effectful[Gathered]:
    """A nested context as one pack, within its own limits and within its share.

    Joined, its packs may need a little more than one by one. What goes for that may leave room for a
    block that they dropped before, so they are fitted again to that much less than they used.
    """
    cut = yield from _cut_to_share(draft, part, inner, share)
    over = 0 if cut.share is None else everything(cut.fitted.row, draft.limits.counter).tokens
    over -= cut.share or 0
    if cut.fitted.is_whole or over <= 0:
        return cut
    try:
        limits = without_around(inner.limits, -(-over // part.copies) + max(0, spare(inner)))
        smaller = yield from _within(inner, registries, limits, nested)
    except BudgetError:  # texts that cannot shrink
        return cut
    again = yield from _cut_to_share(draft, part, smaller, share)
    return again if evidence_of(again.fitted) > evidence_of(cut.fitted) else cut


def _cut_to_share(
    draft: Draft, part: PackPart, inner: Draft, share: int | None
) -> Effectful[Gathered]:
    limits = inner.limits
    around = None
    if part.form is not None:
        around = TextsAround(part.form, "", draft.call.names, draft.call.fenced)
    row = nested_row(inner, around, limits.counter, part.copies)
    whole = everything(row, limits.counter)
    fitted = whole
    own = None if limits.budget is None else (limits.budget + limits.around) * part.copies
    rooms = [
        share if draft.limits.overflow == "compact" else None,
        own if limits.overflow == "compact" else None,
    ]
    room = min((room for room in rooms if room is not None), default=None)
    if room is not None and whole.tokens > room and not part.options.pin:
        fitted = yield from cut_to(whole, room, limits.shortener(draft.call.question))
    return Gathered(
        fitted,
        query=draft.call.question,
        share=room if room is not None else own,
        requests=sum(pack.requests for pack in inner.packs.values()),
        pages=sum(pack.pages for pack in inner.packs.values()),
        nested=inner,
    )
