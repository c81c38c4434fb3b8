"""Packs are merged, and what was removed leaves them: each step is done whole, or done again by whoever writes next.

What replaces several packs is written under another name, and the head then names it in their place. What only
loses the rows of removed blocks is written in its own place: no version shows them, so a reader finds the same
before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.qdrant.catalogue import (
    Catalogue,
    KnownDocument,
    KnownRelation,
    digest,
    readers_of,
)
from biblicus_context.stores.qdrant.head import (
    Facts,
    Head,
    PackSegment,
    merged_facts,
    new_write,
    run_to_merge,
    time_of,
    vectors_kind,
)
from biblicus_context.stores.qdrant.packs import (
    Embeddings,
    WordBuckets,
    bucket_of,
    entries_of,
    read_embeddings,
    read_vocabulary,
    read_words,
    written_vocabulary,
    written_words,
)
from biblicus_context.stores.qdrant.points import Point
from biblicus_context.stores.qdrant.reading import text_id
from biblicus_context.stores.qdrant.space import Space
from biblicus_context.stores.qdrant.texts import BlockText, packed, unpacked
from biblicus_context.stores.qdrant.writing import commit, packs_of
from biblicus_context.stores.ranking.word_packs import Entries, stem_key
from biblicus_context.stores.words import IndexedText, heading_text

_FAN: Final = 8
_LARGEST: Final = 16_384
"""Blocks of a segment that is not merged any more."""
_MOST_DOCUMENTS: Final = 512
_FACTS_OF_A_PART: Final = 4000
_TRIES: Final = 100
_AT_ONCE: Final = 200
_PARTS_AT_ONCE: Final = 16
ORPHANED: Final = 3600 * 1_000_000
"""After so many microseconds, a write that nothing names is one that was not finished."""


# Merging


def is_merging_due(head: Head) -> bool:
    """Whether packs became so many that reads would be slowed down."""
    return _due(head) is not None


def _due(head: Head) -> tuple[str, slice] | None:
    """The kind of packs that are to be merged, and which of them."""
    for kind, largest in (("words", _LARGEST), ("packs", _MOST_DOCUMENTS), ("facts", _LARGEST)):
        run = run_to_merge(getattr(head, kind), _FAN, largest)
        if run is not None:
            return kind, run
    for model in sorted({each.model for each in head.vectors}):
        run = run_to_merge(_of_model(head, model), _FAN, _LARGEST)
        if run is not None:
            return vectors_kind(model), run
    return None


def _of_model(head: Head, model: str) -> list[PackSegment]:
    return [each for each in head.vectors if each.model == model]


def merge(space: Space, now: int) -> None:
    """Merge until nothing is due; where others write meanwhile, they go first."""
    for _ in range(_TRIES):
        head, known, _ = space.follow()
        due = _due(head)
        if due is None:
            return
        kind, run = due
        if kind == "words":
            done = _merge_words(space, head, run, now)
        elif kind == "packs":
            done = _merge_packs(space, head, known, run, now)
        elif kind == "facts":
            done = _merge_facts(space, head, run, now)
        else:
            done = _merge_vectors(space, head, kind, run, now)
        if not done:
            return


def _replaced(
    space: Space, head: Head, newer: Head, points: Sequence[Point], garbage: Iterable[str], now: int
) -> bool:
    """Whether a head could be committed that names these points in the place of what is garbage then."""
    space.points.put(points)
    newer = replace(newer, garbage=(*head.garbage, *garbage))
    if commit(space, head, newer, {}, now=now):
        return True
    space.points.remove([each.id for each in points])
    return False


def _in_place(
    segments: Sequence[PackSegment], run: slice, *own: PackSegment
) -> tuple[PackSegment, ...]:
    return (*segments[: run.start], *own, *segments[run.stop :])


def _merge_words(space: Space, head: Head, run: slice, now: int) -> bool:
    own = head.words[run]
    ids = {id_: each for each in own for id_ in each.ids("words")}
    found = _read(space, [*ids])
    if found is None:
        return False
    first = own[0].first
    entries: dict[bytes, list[Entries]] = {}
    for id_, each in ids.items():
        pack = read_words(found[id_], each.first - first)
        if pack is not None:
            for stem, there in entries_of(pack).items():
                entries.setdefault(stem, []).append(there)
    merged = {stem: Entries.chained(entries[stem]) for stem in sorted(entries)}
    words = WordBuckets.of(merged, own[-1].last - first + 1)
    segment = words.segment(new_write(now), first)
    points = [
        space.point(segment.write, "words", *each)
        for each in (*words.points(segment), *words.vocabulary(segment))
    ]
    newer = replace(head, words=_in_place(head.words, run, segment))
    return _replaced(space, head, newer, points, (f"{each.write} words" for each in own), now)


def _merge_packs(space: Space, head: Head, known: Catalogue, run: slice, now: int) -> bool:
    own = head.packs[run]
    with space.lock:
        documents = known.packed(own[0].first, own[-1].last)
    segments, points = [], []
    for some in packs_of(documents):
        each = PackSegment(new_write(now), some[0][0], some[-1][0], len(some), 1)
        segments.append(each)
        points.append(space.point(each.write, "pack", each.part("pack", 0), {"data": packed(some)}))
    if segments:  # documents that are gone have had rows too
        segments[0] = segments[0]._replace(first=own[0].first)
        segments[-1] = segments[-1]._replace(last=own[-1].last)
    newer = replace(head, packs=_in_place(head.packs, run, *segments))
    return _replaced(space, head, newer, points, (f"{each.write} pack" for each in own), now)


def _merge_facts(space: Space, head: Head, run: slice, now: int) -> bool:
    own = head.facts[run]
    ids = [id_ for each in own for id_ in each.ids("facts")]
    found = _read(space, ids)
    if found is None:
        return False
    facts: Facts = {}
    for id_ in ids:
        facts = merged_facts(facts, unpacked(found[id_]))
    segment, points = _facts(space, facts, own[0].first, own[-1].last, now)
    newer = replace(head, facts=_in_place(head.facts, run, segment))
    return _replaced(space, head, newer, points, (f"{each.write} facts" for each in own), now)


def _facts(
    space: Space, facts: Facts, first: int, last: int, now: int
) -> tuple[PackSegment, list[Point]]:
    """Facts as packs."""
    parts = [*_split(facts)]
    segment = PackSegment(new_write(now), first, last, len(parts), len(parts))
    points = [
        space.point(segment.write, "facts", segment.part("facts", n), {"data": packed(each)})
        for n, each in enumerate(parts)
    ]
    return segment, points


def _split(facts: Facts) -> Iterator[Facts]:
    """Facts of some thousand things each, in their order."""
    for name, own in facts.items():
        listed = [*own.items()] if isinstance(own, Mapping) else own
        for at in range(0, len(listed), _FACTS_OF_A_PART):
            some = listed[at : at + _FACTS_OF_A_PART]
            yield {name: dict(some) if isinstance(own, Mapping) else some}
    yield {}


def _merge_vectors(space: Space, head: Head, kind: str, run: slice, now: int) -> bool:
    model = kind.partition(" ")[2]
    own = _of_model(head, model)[run]
    size = next(size for name, (_, size) in head.models.items() if digest(name) == model)
    ids = {id_: each for each in own for id_ in each.ids("vectors")}
    found = _read(space, [*ids])
    if found is None:
        return False
    first = own[0].first
    read = [read_embeddings(found[id_], each.first - first, size) for id_, each in ids.items()]
    vectors = Embeddings(
        np.concatenate([rows for rows, _ in read]), np.concatenate([data for _, data in read])
    )
    segment = vectors.segment(new_write(now), model, first, own[-1].last - first + 1)
    points = [space.point(segment.write, kind, *each) for each in vectors.points(segment)]
    others = [each for each in head.vectors if each not in own]
    newer = replace(head, vectors=(*others, segment))
    return _replaced(space, head, newer, points, (f"{each.write} {kind}" for each in own), now)


def _read(space: Space, ids: Sequence[str]) -> dict[str, str] | None:
    """The data of points; None if one of them is gone."""
    found: dict[str, str] = {}
    for at in range(0, len(ids), _AT_ONCE):
        read = space.points.read(space.key, ids[at : at + _AT_ONCE])
        found |= {id_: payload["data"] for id_, payload in read.items()}
    return found if len(found) == len(ids) else None


# Cleaning


def last_ended(known: Catalogue, now: int, keep: int) -> int:
    """The last version that was followed by another one so long ago that nobody reads those before it."""
    return max((n for n, when in known.written.items() if when <= now - keep), default=0)


def is_cleaning_due(known: Catalogue, version: int) -> bool:
    """Whether something was removed up to a version, and is still there."""
    return any(True for _ in _gone(known, version)) or any(True for _ in _ended(known, version))


def _gone(known: Catalogue, version: int) -> Iterator[KnownDocument]:
    return (each for each in known.records.values() if each.removed <= version)


def _ended(known: Catalogue, version: int) -> Iterator[KnownRelation]:
    every = (each for own in known.relations.values() for each in own)
    return (each for each in every if each.removed <= version)


def clean(space: Space, version: int | None, now: int, keep: int, *, all_: bool = False) -> bool:
    """Remove what was removed up to a version, or long enough ago; whether there was anything.

    With `all_`, older versions end for everybody.
    """
    for _ in range(_TRIES):
        head, known, _ = space.follow()
        with space.lock:
            upto = last_ended(known, now, keep) if version is None else min(version, head.version)
            gone, relations = [*_gone(known, upto)], [*_ended(known, upto)]
            facts: Facts = {"ended": [[*names, at] for names, at in _ends(known, gone, relations)]}
        if not gone and not relations and not all_:
            return False
        # First the versions end: who reads them is refused from now on, and not told half of them.
        newer = replace(head, oldest=max(head.oldest, upto))
        if not commit(space, head, newer, facts, now=now):
            continue
        head = space.head
        _forget_words(space, head, gone)
        _forget_vectors(space, head, gone)
        _forget_names(space, head, known, gone)
        space.points.remove([text_id(each, n) for each in gone for n in range(len(each.blocks))])
        if _forget_facts(space, head, known, upto, now, all_=all_):
            return True
    raise StoreError(
        "other writers were faster, again and again", place=space.points.place, fix="Try again."
    )


def _ends(
    known: Catalogue, gone: Sequence[KnownDocument], relations: Sequence[KnownRelation]
) -> Iterator[tuple[tuple[str, str], int]]:
    """For whom versions end: those who could see what goes.

    If they ended for everybody, readers would learn from it that something hidden was removed.
    """
    found: dict[tuple[str, str], int] = {}
    for each in gone:
        for name in readers_of(each.document):
            found[name, name] = max(found.get((name, name), 0), each.removed)
    for relation in relations:
        at = relation.removed
        sources, targets = (
            [end for end in known.by_id.get(id_, ()) if end.added < at < end.removed]
            for id_ in (relation.source, relation.target)
        )
        for source in sources:
            for target in targets:
                for pair in _both(readers_of(source.document), readers_of(target.document)):
                    found[pair] = max(found.get(pair, 0), at)
    yield from ((pair, at) for pair, at in found.items() if at > known.ended.get(pair, 0))


def _both(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The names of who can read both: by one name, or by two."""
    yield from ((name, name) for name in one if name in other)
    yield from ((a, b) for a in one if a not in other for b in other if b not in one)


def _forget_words(space: Space, head: Head, gone: Sequence[KnownDocument]) -> None:
    rows = np.array(
        sorted(each.first + n for each in gone for n in range(len(each.blocks))), dtype=np.int64
    )
    if not len(rows):
        return
    stems = _stems(space, gone)
    for each in head.words:
        own = rows[(rows >= each.first) & (rows <= each.last)]
        if not len(own):
            continue
        buckets: Iterable[int] = range(each.parts)
        if stems is not None:
            buckets = sorted({bucket_of(stem, each.parts) for stem in stems})
        _forget_in_buckets(space, each, buckets, (own - each.first).tolist())


def _forget_in_buckets(
    space: Space, segment: PackSegment, buckets: Iterable[int], rows: Sequence[int]
) -> None:
    lost: set[bytes] = set()
    changed: list[Point] = []
    listed = [segment.part("words", bucket) for bucket in buckets]
    for at in range(0, len(listed), _AT_ONCE):
        found = space.points.read(space.key, listed[at : at + _AT_ONCE])
        for id_, payload in found.items():
            pack = read_words(payload["data"], 0)
            left = None if pack is None else pack.without(rows)
            if pack is None or (left is not None and left.words == pack.words):
                continue
            lost |= pack.stems.keys() - (set[bytes]() if left is None else {*left.stems})
            changed.append(space.point(segment.write, "words", id_, {"data": written_words(left)}))
    if lost:
        id_ = segment.part("stems", 0)
        for payload in space.points.read(space.key, [id_]).values():
            texts = {stem.encode() for stem in read_vocabulary(payload["data"])}
            data = written_vocabulary(texts - lost)
            changed.append(space.point(segment.write, "words", id_, {"data": data}))
    space.points.put(changed)


def _stems(space: Space, gone: Sequence[KnownDocument]) -> set[bytes] | None:
    """The stems of what is gone; None where the texts are gone already, so that they may be any."""
    stems: set[bytes] = set()
    wanted = {
        text_id(each, n): each.document.title for each in gone for n in range(len(each.blocks))
    }
    listed = [*wanted]
    for at in range(0, len(listed), _AT_ONCE):
        some = listed[at : at + _AT_ONCE]
        found = space.points.read(space.key, some)
        if len(found) < len(some):
            return None
        for id_, payload in found.items():
            text = BlockText.read(payload["data"])
            own = IndexedText(0, text.searched, heading_text(wanted[id_], text.heading))
            stems |= {stem_key(stem) for stem in own.stems}
    return stems


def _forget_vectors(space: Space, head: Head, gone: Sequence[KnownDocument]) -> None:
    rows = np.array(
        sorted(each.first + n for each in gone if each.models for n in range(len(each.blocks))),
        dtype=np.int64,
    )
    sizes = {digest(name): size for name, (_, size) in head.models.items()}
    for each in head.vectors:
        own = rows[(rows >= each.first) & (rows <= each.last)]
        if not len(own):
            continue
        starts = np.array(each.starts, dtype=np.int64) + each.first
        parts = {*(starts.searchsorted(own, "right") - 1).tolist()}
        ids = [each.part("vectors", n) for n in sorted(parts) if n >= 0]
        for at in range(0, len(ids), _PARTS_AT_ONCE):
            changed = []
            found = space.points.read(space.key, ids[at : at + _PARTS_AT_ONCE])
            for id_, payload in found.items():
                listed, data = read_embeddings(payload["data"], 0, sizes[each.model])
                keeps = ~np.isin(listed + each.first, own)
                left = Embeddings(listed[keeps], data[keeps])
                kind = vectors_kind(each.model)
                value = {"data": left.part(0, len(left.rows))}
                changed.append(space.point(each.write, kind, id_, value))
            space.points.put(changed)


def _forget_names(
    space: Space, head: Head, known: Catalogue, gone: Sequence[KnownDocument]
) -> None:
    changed = []
    rows = {each.row for each in gone}
    for each in head.packs:
        if any(each.first <= row <= each.last for row in rows):
            with space.lock:
                listed = known.packed(each.first, each.last)
            data = packed([own for own in listed if own[0] not in rows])
            changed.append(space.point(each.write, "pack", each.part("pack", 0), {"data": data}))
    space.points.put(changed)


def _forget_facts(
    space: Space, head: Head, known: Catalogue, upto: int, now: int, *, all_: bool
) -> bool:
    """Commit facts without what is gone: nothing says any more that it was there."""
    with space.lock:
        facts = known.facts
        rows = {each.row for each in _gone(known, upto)}
        left = any(each.removed > upto for each in _gone(known, head.version)) or any(
            each.removed > upto for each in _ended(known, head.version)
        )
    facts["gone"] = [each for each in facts["gone"] if each[0] not in rows]
    facts["relations"] = [each for each in facts["relations"] if each[5] > upto]
    facts["accessed"] = {row: at for row, at in facts["accessed"].items() if int(row) not in rows}
    if all_:
        facts["ended"] = [["", "", head.version]]
        facts["written"] = facts["written"][-1:]
    segment, points = _facts(space, facts, 1, head.seq + 1, now)
    tail = {"documents": [each for each in head.tail.get("documents", ()) if each[0] not in rows]}
    newer = replace(
        head,
        cleaned=max(head.cleaned, upto),
        swept=head.seq + 1,
        facts=(segment,),
        tail={name: own for name, own in tail.items() if own},
        remains=head.remains if left else None,
    )
    if all_:
        newer = replace(newer, oldest=head.version)
    garbage = (f"{each.write} facts" for each in head.facts)
    if not _replaced(space, head, newer, points, garbage, now):
        return False
    if all_:
        with space.lock:
            space.catalogue.learn({"ended": facts["ended"]})
    return True


def forget(space: Space, now: int) -> int:
    """Forget everything; returns the version that this makes."""
    for _ in range(_TRIES):
        head, known, _ = space.follow()
        if not head.version:
            if not head.is_partial and head.source is None:
                return 0
            if commit(space, head, replace(head, is_partial=False), {}, now=now):
                return 0
            continue
        with space.lock:
            writes = {*known.by_write}
        segments = (*head.packs, *head.facts, *head.words, *head.vectors)
        writes |= {each.write for each in segments}
        version = head.version + 1
        newer = replace(
            Head.new(head.workspace, head.collection),
            identity=head.identity,
            seq=head.seq,
            version=version,
            oldest=version,
            cleaned=version,
            repacked=version,
            swept=head.seq + 1,
            documents=head.documents,
            blocks=head.blocks,
            garbage=(*head.garbage, *sorted(writes)),
        )
        facts: Facts = {"written": [[version, now]], "ended": [["", "", version]]}
        if commit(space, head, newer, facts, now=now):
            dispose(space, now)
            return version
    raise StoreError(
        "other writers were faster, again and again", place=space.points.place, fix="Try again."
    )


def dispose(space: Space, now: int) -> None:
    """Remove what nothing names any more."""
    for _ in range(_TRIES):
        head, _, _ = space.follow()
        if not head.garbage or commit(space, head, head, {}, now=now):
            return


def orphans(space: Space, now: int) -> set[str]:
    """Writes that were begun long ago, and that nothing names."""
    head, known, _ = space.follow()
    with space.lock:
        named = {*known.by_write}
    named |= {
        each.write for own in (head.packs, head.facts, head.words, head.vectors) for each in own
    }
    every = space.points.all_of(("write",), space=space.key, kind=_KINDS)
    found = {each["write"] for each in every}
    return {each for each in found - named if time_of(each) < now - ORPHANED}


_KINDS: Final = ("text", "words", "pack", "facts")


def tidy(space: Space, now: int) -> None:
    """Keep the newest version alone."""
    clean(space, space.follow()[0].version, now, 0, all_=True)
    merge(space, now)
    dispose(space, now)
    space.remove(orphans(space, now))


def problems(space: Space) -> Iterator[str]:
    """What is wrong with a collection, one sentence each."""
    head, known, _ = space.follow()
    kinds = (("pack", head.packs), ("facts", head.facts), ("words", head.words))
    named = [id_ for kind, own in kinds for each in own for id_ in each.ids(kind)]
    named += [id_ for each in head.words for id_ in [each.part("stems", 0)]]
    named += [id_ for each in head.vectors for id_ in each.ids("vectors")]
    with space.lock:
        named += [
            text_id(each, n) for each in known.records.values() for n in range(len(each.blocks))
        ]
    missing = len(named) - sum(
        len(space.points.read(space.key, named[at : at + _AT_ONCE], ("kind",)))
        for at in range(0, len(named), _AT_ONCE)
    )
    if missing and space.follow()[0].seq == head.seq:
        yield f"{missing} points are missing"
