"""Filters choose documents as plain Python would, and are only ever data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.stores import (
    NO_FILTERS,
    Document,
    Filters,
    Store,
)
from biblicus_context.stores.filter_conditions import Between, Equals, OneOf, TimeRange
from biblicus_context.testing.store_samples import (
    ANN,
    day,
    entry,
    ids,
    query,
    search_fuzzy,
    search_text,
    search_vectors,
    seen,
    written,
)

INJECTIONS = [
    "' OR '1'='1", "'; DROP TABLE documents; --", '" OR ""="', "x' UNION SELECT text FROM texts --",
    "%", "_", "*", "\\", "?", ":a", "\x00", "\ud800", "[", "]", "{", "a" * 5000, "", "NULL", "1=1",
]  # fmt: skip

DOCUMENTS = [
    Document(
        id="leave", kind="note", path="handbook/people/leave.md", tags=("hr", "policy"),
        created=day(1), updated=day(5), confidence=0.9, importance=2.0, conversation="c1",
        metadata={"year": 2024, "team": "people", "draft": False, "topics": ["leave", "pay", 7]},
    ),
    Document(
        id="pay", kind="note", path="handbook/pay.md", tags=("hr",), created=day(2),
        confidence=0.5, conversation="c2", parent="handbook", valid_to=day(9), metadata={"year": 2023.5, "team": None, "draft": True},
    ),
    Document(
        id="code", kind="file", path="src/main.py", tags=("code",), created=day(3), updated=day(3),
        importance=1.0, parent="src", position=0,
        superseded_by="pay", valid_from=day(2), valid_to=day(4), metadata={"year": "2024", "team": "ops", "draft": 1, "deep": {"year": 2024}},
    ),
    Document(id="bare", metadata={"topics": []}),
]  # fmt: skip

CASES: dict[str, tuple[Filters, str]] = {
    "nothing": (NO_FILTERS, "bare code leave pay"),
    "kind": (Filters(kinds=frozenset({"note"})), "leave pay"),
    "kinds": (Filters(kinds=frozenset({"file", "document", "x"})), "bare code"),
    "any tag": (Filters(tags_any=frozenset({"policy", "code"})), "code leave"),
    "all tags": (Filters(tags_all=frozenset({"policy", "hr"})), "leave"),
    "path": (Filters(paths=("handbook/**",)), "leave pay"),
    "one folder": (Filters(paths=("handbook/*",)), "pay"),
    "paths": (Filters(paths=("*.py", "src/*.py", "**/leave.*")), "code leave"),
    "every path": (Filters(paths=("**",)), "code leave pay"),
    "created": (Filters(created=TimeRange(day(2), day(3))), "pay"),
    "created since": (Filters(created=TimeRange(since=day(2))), "code pay"),
    "updated before": (Filters(updated=TimeRange(before=day(5))), "code"),
    "any update": (Filters(updated=TimeRange(before=day(31))), "code leave"),
    "confidence": (Filters(min_confidence=0.5), "leave pay"),
    "importance": (Filters(min_importance=1.5), "leave"),
    "conversation": (Filters(conversations=frozenset({"c1", "c3"})), "leave"),
    "ids": (Filters(documents=frozenset({"pay", "code", "x"})), "code pay"),
    "all but": (Filters(excluded=frozenset({"pay", "bare", "x"})), "code leave"),
    "ids, but": (
        Filters(documents=frozenset({"pay", "code"}), excluded=frozenset({"pay"})),
        "code",
    ),
    "parents": (Filters(parents=frozenset({"src", "x"})), "code"),
    "superseded_by": (Filters(superseded_by=frozenset({"pay", "x"})), "code"),
    "what nothing supersedes": (Filters(current=True), "bare leave pay"),
    "valid before all": (Filters(valid_at=day(1)), "bare leave pay"),
    "valid from": (Filters(valid_at=day(2)), "bare code leave pay"),
    "valid to": (Filters(valid_at=day(4)), "bare leave pay"),
    "valid after all": (Filters(valid_at=day(9)), "bare leave"),
    "equals": (Filters(metadata=(Equals("team", "people"),)), "leave"),
    "a number is not its text": (Filters(metadata=(Equals("year", 2024),)), "leave"),
    "a text is not its number": (Filters(metadata=(Equals("year", "2024"),)), "code"),
    "2024.0 is 2024": (Filters(metadata=(Equals("year", 2024.0),)), "leave"),
    "true is not 1": (Filters(metadata=(Equals("draft", True),)), "pay"),
    "1 is not true": (Filters(metadata=(Equals("draft", 1),)), "code"),
    "false": (Filters(metadata=(Equals("draft", False),)), "leave"),
    "null or missing": (Filters(metadata=(Equals("team", None),)), "bare pay"),
    "in a list": (Filters(metadata=(Equals("topics", "pay"),)), "leave"),
    "one of": (Filters(metadata=(OneOf("team", ("ops", "people", "x")),)), "code leave"),
    "one of, null": (Filters(metadata=(OneOf("team", ("ops", None)),)), "bare code pay"),
    "one of nothing": (Filters(metadata=(OneOf("team", ()),)), ""),
    "range": (Filters(metadata=(Between("year", 2023, 2024),)), "leave pay"),
    "open range": (Filters(metadata=(Between("year", low=2024),)), "leave"),
    "range of texts": (Filters(metadata=(Between("team", "o", "p"),)), "code"),
    "range in a list": (Filters(metadata=(Between("topics", 5, 9),)), "leave"),
    "huge numbers": (Filters(metadata=(Between("year", -(10**400), 10**400),)), "leave pay"),
    "inside of a mapping": (Filters(metadata=(Equals("deep", 2024),)), ""),
    "range inside of a mapping": (Filters(metadata=(Between("deep", 0),)), ""),
    "missing key": (Filters(metadata=(Equals("nowhere", 1),)), ""),
    "all together": (
        Filters(
            kinds=frozenset({"note"}),
            tags_any=frozenset({"hr"}),
            min_confidence=0.1,
            metadata=(Equals("draft", False), Between("year", 2000)),
        ),
        "leave",
    ),
}


def injected(text: str) -> list[Filters]:
    """A text in every place of filters that takes one."""
    one = frozenset({text})
    return [
        Filters(kinds=one),
        Filters(tags_any=one),
        Filters(tags_all=one),
        Filters(paths=(text,)),
        Filters(conversations=one),
        Filters(documents=one),
        Filters(parents=one),
        Filters(superseded_by=one),
        Filters(metadata=(Equals("team", text),)),
        Filters(metadata=(OneOf("team", (text, "x")),)),
        Filters(metadata=(Between("year", text, text),)),
        Filters(block_metadata=(Equals("speaker", text),)),
    ]


values = st.sampled_from([0, 1, 2, 1.5, "a", "b", "1", True, False, None])
conditions = (
    st.builds(Equals, st.just("k"), values)
    | st.builds(OneOf, st.just("k"), st.lists(values, max_size=3).map(tuple))
    | st.builds(Between, st.just("k"), st.none() | st.integers(0, 2), st.integers(0, 2))
    | st.builds(Between, st.just("k"), st.sampled_from(["", "a"]), st.none() | st.just("b"))
)


def meets(value: Any, condition: Equals | OneOf | Between) -> bool:
    """The same as the filter, in plain Python."""
    each_of = value if isinstance(value, list) else [value]
    match condition:
        case Equals():
            return same_as_any(value, each_of, [condition.value])
        case OneOf():
            return same_as_any(value, each_of, [*condition.values])
    kind = (
        str
        if isinstance(condition.low or condition.high, str) or condition.low == ""
        else (int, float)
    )
    return any(
        isinstance(each, kind)
        and not isinstance(each, bool)
        and (condition.low is None or condition.low <= each)
        and (condition.high is None or each <= condition.high)
        for each in each_of
    )


def same_as_any(value: Any, each_of: list[Any], wanted: list[Any]) -> bool:
    """Whether one of the values is wanted; true is not 1, and null is compared with the whole value."""
    if value is None:
        return None in [one for one in wanted if one is None]
    return any(
        each == one and isinstance(each, bool) == isinstance(one, bool)
        for each in each_of
        for one in wanted
        if one is not None and each is not None
    )


class FilterContract:
    """A part of StoreContract, which describes the fixtures."""

    @pytest.fixture
    def filled(self, store: Store) -> Store:
        """A store with the documents of the cases, each with one block."""
        for number, each in enumerate(DOCUMENTS):
            written(store, entry(each.id, "same words", vectors=[[1, number]], **fields(each)))
        return store

    @pytest.mark.parametrize("case", CASES)
    def test_every_search_keeps_to_its_filters(self, filled: Store, case: str) -> None:
        filters, expected = CASES[case]
        wanted = [f"{each}#0" for each in expected.split()]
        assert sorted(ids(search_text(filled, ANN, ["words"], filters=filters))) == wanted
        assert sorted(ids(search_fuzzy(filled, ANN, ["wards"], filters=filters))) == wanted
        assert sorted(ids(search_vectors(filled, ANN, query(1, 1), filters=filters))) == wanted
        assert [
            each.id for each in seen(filled, ANN).list_documents(filters=filters)
        ] == expected.split()
        recent = set(ids(seen(filled, ANN).recent(filters=filters)))
        assert recent == set(wanted) - {"bare#0"}

    @pytest.mark.parametrize("text", INJECTIONS, ids=lambda text: repr(text[:12]))
    def test_an_injected_text_finds_nothing_and_harms_nothing(
        self, filled: Store, text: str
    ) -> None:
        for filters in injected(text):
            found = search_text(filled, ANN, ["words"], filters=filters)
            if filters.paths != ("*",):
                assert found == (), filters
            assert seen(filled, ANN).list_documents(filters=filters) == ()
        others = Filters(excluded=frozenset({text}))
        assert len(search_text(filled, ANN, ["words"], filters=others)) == len(DOCUMENTS)
        assert len(search_text(filled, ANN, ["words"])) == len(DOCUMENTS)
        assert filled.check() == ()

    @pytest.mark.parametrize("text", INJECTIONS, ids=lambda text: repr(text[:12]))
    def test_a_key_of_metadata_is_never_syntax(self, store: Store, text: str) -> None:
        for key in (text, f'year") OR 1=1 --{text}'):
            if key not in {"NULL", "_"}:
                with pytest.raises(InputError, match="not a valid key of metadata"):
                    search_text(store, ANN, ["x"], filters=Filters(metadata=(Equals(key, 1),)))
                own = Filters(block_metadata=(Equals(key, 1),))
                with pytest.raises(InputError, match="not a valid key of metadata"):
                    search_text(store, ANN, ["x"], filters=own)

    @pytest.mark.parametrize(
        "filters",
        [
            Filters(kinds=frozenset({7})),  # a mistake
            Filters(created=TimeRange(since=day(1).replace(tzinfo=None))),
            Filters(min_confidence=float("nan")),
            Filters(metadata=(Equals("k", float("nan")),)),
            Filters(block_metadata=(Equals("k", float("nan")),)),
            Filters(metadata=(OneOf("k", ([],)),)),  # a mistake
            Filters(metadata=(Between("k", b"a"),)),  # a mistake
            Filters(paths=[7]),  # a mistake
        ],
    )
    def test_filters_that_cannot_be_meant_are_refused(self, store: Store, filters: Filters) -> None:
        with pytest.raises(InputError, match="filters"):
            search_text(store, ANN, ["x"], filters=filters)

    def test_the_time_of_the_last_use_is_filtered_as_it_is_now(self, filled: Store) -> None:
        since = Filters(accessed=TimeRange(since=day(9)))
        assert search_text(filled, ANN, ["words"], filters=since) == ()
        filled.record_usage(ANN, used=["pay#0"], when=day(10))
        assert ids(search_text(filled, ANN, ["words"], filters=since)) == ["pay#0"]

    def test_filters_that_python_takes_for_equal_are_not_mixed_up(self, filled: Store) -> None:
        found = [
            ids(
                search_text(
                    filled, ANN, ["words"], filters=Filters(metadata=(Equals("draft", each),))
                )
            )
            for each in (True, 1, True, 1.0)
        ]
        assert found == [["pay#0"], ["code#0"], ["pay#0"], ["code#0"]]

    def test_filters_do_not_change_scores(self, filled: Store) -> None:
        everything = search_text(filled, ANN, ["words"])
        some = search_text(filled, ANN, ["words"], filters=Filters(kinds=frozenset({"note"})))
        assert set(some) < set(everything)

    @given(
        documents=st.lists(
            st.lists(values.filter(lambda each: each is not None), max_size=3) | values,
            min_size=1, max_size=6,
        ),
        condition=conditions,
    )  # fmt: skip
    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    def test_metadata_is_compared_as_python_compares_it(
        self, store: Store, documents: list[Any], condition: Equals | OneOf | Between
    ) -> None:
        written(
            store,
            *(entry(f"{n:02}", metadata={"k": value}) for n, value in enumerate(documents)),
        )
        mine = frozenset(f"{n:02}" for n in range(len(documents)))
        filters = Filters(documents=mine, metadata=(condition,))
        assert [each.id for each in seen(store, ANN).list_documents(filters=filters)] == [
            f"{n:02}" for n, value in enumerate(documents) if meets(value, condition)
        ]


def fields(document: Document) -> dict[str, Any]:
    """The fields of a document besides its id."""
    return {name: getattr(document, name) for name in document.__slots__ if name != "id"}
