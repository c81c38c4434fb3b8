"""Two stores get the same writes and the same questions: every answer, order and score has to be equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

from biblicus_context.stores import (
    NO_FILTERS,
    Batch,
    Between,
    Block,
    Bm25,
    Document,
    Entry,
    Equals,
    Filters,
    OneOf,
    Principal,
    Readers,
    Relation,
    SearchRequest,
    Store,
    TimeRange,
    Vectors,
    View,
)
from biblicus_context.testing.store_samples import day

_WORDS: Final = (
    *[
        "tea",
        "teas",
        "water",
        "boil",
        "boiled",
        "green",
        "leaf",
        "cup",
        "pot",
        "rye",
        "bread",
        "oven",
        "salt",
        "flour",
        "yeast",
        "x-ray",
        "X-rays",
    ],
    *(
        "Café",
        "ZÜRICH",
        "don't",
        "注文",
        "retrieval",
        "retreival",
        "of",
        "the",
        "a\0b",
        "\x10",
        "ﬁne",
        "10.5",
    ),
)
_IDS: Final = [f"d{n}" for n in range(14)]
_WHO: Final = (
    Principal("acme", sees_all=True),
    Principal("acme", user="ann", groups={"hr"}),
    Principal("acme", user="bob"),
    Principal("acme", groups={"hr", "it"}),
    Principal("acme"),
)
_READERS: Final = (
    *(Readers(),) * 4,
    Readers(users=frozenset({"bob"})),
    Readers(groups=frozenset({"hr"})),
    Readers(users=frozenset({"ann", "bob"}), groups=frozenset({"it"})),
    Readers(closed=True),
)
_METADATA: Final = (
    {},
    {"year": 2024, "team": "red"},
    {"year": 1.5, "team": ["red", "blue"], "ok": True},
    {"year": "2024", "team": None, "deep": {"x": 1}},
    {"year": [1, 2.0, None], "ok": 1, "nul": "a\0b", "big": 10**20, "tiny": 1e-300},
)
_SIZES: Final = {"tiny": 3, "wide": 8}


def texts(random: Random, most: int) -> str:
    """Some words in a row."""
    return " ".join(random.choices(_WORDS, k=random.randint(0, most)))


def batch(random: Random) -> Batch:
    """A few documents, removals and relations."""
    ids = random.sample(_IDS, random.randint(0, 4))
    gone = random.sample(_IDS, random.randint(0, 1))
    arrows = [
        Relation(*random.choices(_IDS, k=2), random.choice(["cites", "is"]), random.random())
        for _ in range(random.randint(0, 2))
    ]
    return Batch(
        put=tuple(entry(random, each) for each in ids),
        remove=tuple(gone),
        relate=tuple(arrows),
        unrelate=tuple(arrows[:1]) if random.random() < 0.2 else (),
    )


def entry(random: Random, name: str) -> Entry:
    """A document with anything in its fields."""

    def optional(value: Any) -> Any:
        return value if random.random() < 0.5 else None

    session = optional(random.choice(["s1", "s2"]))
    blocks = tuple(
        Block(
            id=f"{name}#{n}",
            document_id=name,
            position=n,
            text=texts(random, 25),
            tokens=random.randint(0, 40),
            heading=tuple(texts(random, 3) for _ in range(random.randint(0, 2))),
            session=session,
            metadata=random.choice(_METADATA),
            indexed_text=texts(random, 12) if random.random() < 0.1 else None,
        )
        for n in range(random.randint(0, 4))
    )
    document = Document(
        id=name,
        kind=random.choice(["note", "file", "turn"]),
        title=texts(random, 4),
        path=optional(f"docs/{random.choice('xyz')}/{name}.md"),
        text_hash=str(random.random()),
        created=optional(day(random.randint(1, 9))),
        updated=optional(day(random.randint(1, 9))),
        confidence=optional(random.random()),
        importance=optional(random.random()),
        conversation=optional(random.choice(["talk", "chat"])),
        parent=optional(random.choice(_IDS)),
        position=optional(random.randint(0, 3)),
        superseded_by=random.choice(_IDS) if random.random() < 0.15 else None,
        valid_from=day(3) if random.random() < 0.2 else None,
        valid_to=day(6) if random.random() < 0.2 else None,
        tags=tuple(random.sample(["a", "b", "c"], random.randint(0, 2))),
        metadata=random.choice(_METADATA),
        readers=random.choice(_READERS),
    )
    models = [each for each in _SIZES if random.random() < 0.6] if blocks else []
    vectors = tuple(
        Vectors.of(
            each,
            [[random.uniform(-1, 1) for _ in range(_SIZES[each])] for _ in blocks],
            [f"{name}{n}{random.randint(0, 3)}" for n in range(len(blocks))],
        )
        for each in models
    )
    return Entry(document, blocks, vectors)


def filters(random: Random) -> Filters:
    """None, or one to three conditions."""
    if random.random() < 0.4:
        return NO_FILTERS if random.random() < 0.5 else Filters(current=True)
    choices: list[dict[str, Any]] = [
        {"kinds": frozenset(random.sample(["note", "file", "none"], 2))},
        {"tags_any": frozenset({"a", "c"})},
        {"tags_all": frozenset({"a", "b"})},
        {"paths": (random.choice(["docs/x/*.md", "**/d?.md", "docs/[xy]/**", "*"]),)},
        {"created": TimeRange(day(random.randint(1, 5)), day(random.randint(4, 9)))},
        {"updated": TimeRange(since=day(4))},
        {"accessed": TimeRange(since=day(2))},
        {"min_confidence": 0.5},
        {"min_importance": 0.25},
        {"conversations": frozenset({"talk"})},
        {"documents": frozenset(random.sample(_IDS, 5))},
        {"excluded": frozenset(random.sample(_IDS, 5))},
        {"parents": frozenset(random.sample(_IDS, 4))},
        {"superseded_by": frozenset(_IDS)},
        {"current": True},
        {"valid_at": day(random.randint(1, 9))},
        {"metadata": (condition(random),)},
        {"block_metadata": (condition(random),)},
    ]
    chosen = random.sample(choices, random.randint(1, 3))
    return replace(NO_FILTERS, **{key: value for each in chosen for key, value in each.items()})


def condition(random: Random) -> Equals | OneOf | Between:
    """On metadata."""
    key = random.choice(["year", "team", "ok", "deep", "nul", "big", "absent"])
    value = random.choice([2024, 1.5, "2024", "red", None, True, 1, "a\0b", 10**20])
    match random.randint(0, 2):
        case 0:
            return Equals(key, value)
        case 1:
            return OneOf(key, (value, "blue", None if random.random() < 0.3 else 2))
    if random.random() < 0.5:
        return Between(key, random.choice([None, 1, 1.5]), random.choice([None, 2, 3000]))
    return Between(key, random.choice([None, "a", "2"]), random.choice([None, "red", "z"]))


def request(random: Random) -> SearchRequest:
    """By words, phrases, misspelt words, meaning, or several of these."""
    terms = tuple(texts(random, 2) for _ in range(random.randint(0, 3)))
    similarity = random.choice([None, None, 0.6, 0.8]) if terms else None
    model = random.choice([*_SIZES])
    vector = Vectors.of(model, [[random.uniform(-1, 1) for _ in range(_SIZES[model])]])
    return SearchRequest(
        terms=terms,
        words=tuple(random.sample(_WORDS[:20], random.randint(0, 3))) if similarity is None else (),
        vector=vector if not terms or random.random() < 0.5 else None,
        filters=filters(random),
        limit=random.choice([0, 1, 3, 10, 100]),
        turn_limit=random.choice([0, 5]),
        weights=random.choice([Bm25(), Bm25(heading=2.0, k1=0.9)]),
        similarity=similarity,
    )


def found(view: View, asked: SearchRequest) -> object:
    """All that is in an answer, with exact scores."""
    answer = view.search(asked)
    every = view.places(answer, answer.by_text), view.places(answer, answer.by_vector)
    scores = tuple(
        tuple(map(float.hex, column.tolist()))
        for column in (
            answer.text[answer.by_text],
            answer.cosines[answer.by_text],
            answer.text[answer.by_vector],
            answer.cosines[answer.by_vector],
        )
    )
    reach = answer.around([(answer.by_text, 2)])
    near = view.places(reach.found, reach.near[0])
    return answer.terms, every, scores, near, answer.unembedded


def looked_up(view: View, random: Random) -> object:
    """What a view says besides, of a few ids."""
    ids, chosen = random.sample(_IDS, 5), filters(random)
    blocks = [f"{each}#{n}" for each in ids for n in range(3)]
    return (
        view.info(),
        view.evidence(blocks),
        view.list_documents(filters=chosen, after=random.choice([None, "d3"]), limit=6),
        view.recent(filters=chosen, offset=random.randint(0, 2), limit=5),
        view.tree(ids, up=3, down=2, across=2),
        view.relations(ids, direction="both"),
        view.nearby(blocks[:4]),
        view.places_of(ids, most=2),
        view.blocks_of(ids[:2]),
        view.usage(blocks),
        view.activity(limit=5),
        view.vectors("tiny", blocks),
        view.known_vectors("tiny", [f"{each}{n}1" for each in ids for n in range(3)]),
        view.count_terms([texts(random, 2) or "x" for _ in range(4)]),
        view.fingerprints(),
        (view.version, view.hidden, view.state.ages),
    )


def differences(stores: Sequence[Store], seed: int, searches: int) -> Iterator[str]:
    """Of two empty stores, after each write as long as there are searches left."""
    random = Random(seed)
    left = searches
    while left > 0:
        change, step = batch(random), random.random()
        who = _WHO[0] if random.random() < 0.8 else random.choice(_WHO)
        outcomes = [_outcome(partial(own.write, who, change)) for own in stores]
        if outcomes[0] != outcomes[1]:
            yield f"seed {seed}: a write: {outcomes}"
        for own in stores if step < 0.3 else ():
            _outcome(partial(own.record_usage, who, used=["d1#0", "d4#1"], when=day(5)))
            _outcome(partial(own.record_activity, who, "d1", "view", day(6)))
        for own in stores if step > 0.95 else ():
            own.vacuum()
        with stores[0].view(_WHO[0]) as view:
            newest = view.version
        for _ in range(min(left, 6)):
            left -= 1
            reader, asked, state = random.choice(_WHO), request(random), random.getstate()
            at = None if random.random() < 0.6 else max(0, newest - random.randint(0, 3))
            answers = []
            for own in stores:
                random.setstate(state)
                answers.append(_outcome(partial(_read, own, reader, at, asked, random)))
            if answers[0] != answers[1]:
                yield f"seed {seed}: {reader} at {at}: {asked}: {_first_difference(*answers)}"


def _read(
    store: Store, who: Principal, at: int | None, asked: SearchRequest, random: Random
) -> object:
    with store.view(who, at=at) as view:
        answer = found(view, asked)
        return answer if random.random() < 0.6 else (answer, looked_up(view, random))


def _outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except ValueError as error:  # all of ours are
        return type(error).__name__, str(error)


def _first_difference(one: object, other: object) -> str:
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for n, (left, right) in enumerate(zip(one, other, strict=True)):
            if left != right:
                return f"[{n}] {_first_difference(left, right)}"
    return f"{one!r:.600} != {other!r:.600}"
