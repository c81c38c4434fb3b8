"""Filters as an author writes them in YAML."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from biblicus_context.errors import InputError
from biblicus_context.stores import NO_FILTERS, Between, Equals, Filters, OneOf, TimeRange
from biblicus_context.stores.arguments import filters_of
from biblicus_context.testing.store_samples import day


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, NO_FILTERS),
        ({"kind": "note"}, Filters(kinds=frozenset({"note"}))),
        ({"kind": ["note", "file"]}, Filters(kinds=frozenset({"note", "file"}))),
        ({"tags": "a"}, Filters(tags_any=frozenset({"a"}))),
        ({"tags": {"any": ["a"], "all": ["b", "c"]}},
         Filters(tags_any=frozenset({"a"}), tags_all=frozenset({"b", "c"}))),
        ({"path": ["docs/**", "*.md"]}, Filters(paths=("docs/**", "*.md"))),
        ({"conversation": "c"}, Filters(conversations=frozenset({"c"}))),
        ({"document": ["a", "b"]}, Filters(documents=frozenset({"a", "b"}))),
        ({"exclude_documents": "a"}, Filters(excluded=frozenset({"a"}))),
        ({"updated": {"within": "72h"}}, Filters(updated=TimeRange(within=timedelta(hours=72)))),
        ({"created": {"within": "2 w"}}, Filters(created=TimeRange(within=timedelta(days=14)))),
        ({"min_confidence": 0.5, "min_importance": 1},
         Filters(min_confidence=0.5, min_importance=1.0)),
        ({"created": {"from": "2024-01-02"}}, Filters(created=TimeRange(since=day(2)))),
        ({"updated": {"before": date(2024, 1, 2)}}, Filters(updated=TimeRange(before=day(2)))),
        ({"accessed": {"from": datetime(2024, 1, 1), "before": "2024-01-02T01:00:00+01:00"}},  # noqa: DTZ001 - as YAML gives it
         Filters(accessed=TimeRange(
             day(1), datetime(2024, 1, 2, 1, tzinfo=timezone(timedelta(hours=1)))))),
        ({"created": {"to": "2024-01-02"}},
         Filters(created=TimeRange(before=day(2) + timedelta(microseconds=1)))),
        ({"created": {"from": "2024-01-02", "to": "2024-01-02"}},
         Filters(created=TimeRange(day(2), day(2) + timedelta(microseconds=1)))),
        ({"created": {"from": None, "to": datetime.max.replace(tzinfo=UTC)}},
         Filters(created=TimeRange())),
        ({"created": {"to": "2024-01-09", "before": "2024-01-02"}},
         Filters(created=TimeRange(before=day(2)))),
        ({"metadata": {"team": "hr", "draft": False, "gone": None}},
         Filters(metadata=(Equals("team", "hr"), Equals("draft", False), Equals("gone", None)))),
        ({"block_metadata": {"speaker": "ann", "mood": {"in": ["calm"]}}},
         Filters(block_metadata=(Equals("speaker", "ann"), OneOf("mood", ("calm",))))),
        ({"metadata": {"level": {"in": [1, "two", None]}}},
         Filters(metadata=(OneOf("level", (1, "two", None)),))),
        ({"metadata": {"year": {"from": 2020, "to": 2020}}},
         Filters(metadata=(Between("year", 2020, 2020),))),
        ({"metadata": {"year": {"from": 2020, "to": 2024.5}, "a.b-c": {"to": "m"}}},
         Filters(metadata=(Between("year", 2020, 2024.5), Between("a.b-c", None, "m")))),
    ],
)  # fmt: skip
def test_settings_become_typed(settings: dict[str, Any], expected: Filters):
    assert Filters.parse(settings) == replace(expected, current=True)
    assert Filters.parse({**settings, "superseded": True}) == expected


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("kind", "filters: a mapping is expected: found 'kind'"),
        ({"knd": "x"}, r"filters: unknown key: found 'knd'. Valid: kind, .* mean 'kind'\?"),
        ({7: "x"}, "unknown key: found 7"),
        ({"kind": []}, "filters.kind: 1 to 1,000 values are expected: found 0"),
        ({"kind": ["x"] * 1001}, "1 to 1,000 values are expected: found 1001"),
        ({"kind": 7}, "filters.kind: a name or a list of names is expected: found 7"),
        ({"kind": [7]}, "filters.kind: a name must be text"),
        ({"kind": ""}, "text that is not empty"),
        ({"path": "a\x00"}, "filters.path: .*must not contain NUL"),
        (
            {"updated": {"within": 72}},
            "filters.updated.within: not a duration: found 72. Write a number",
        ),
        ({"updated": {"within": "0h"}}, "not a duration: found '0h'"),
        ({"updated": {"within": "1y"}}, "and m, h, d or w, as in 72h or 30d"),
        (
            {"updated": {"within": "1d", "from": "2024-01-01"}},
            "filters.updated: `within` and another end of the range: found 'from'",
        ),
        ({"superseded": "yes"}, "filters.superseded: true or false is expected: found 'yes'"),
        ({"tags": {"some": ["a"]}}, "filters.tags: unknown key: found 'some'. Valid: any, all"),
        ({"tags": {"all": 1}}, "filters.tags.all: a name or a list"),
        (
            {"created": "2024"},
            "filters.created: a mapping is expected: found '2024'. Valid: from, before",
        ),
        ({"created": {"since": "2024"}}, "unknown key: found 'since'. Valid: from, before"),
        (
            {"created": {"from": "soon"}},
            "filters.created.from: not a time: found 'soon'. Write",
        ),
        ({"created": {"from": 2024}}, "filters.created.from: not a time: found 2024"),
        (
            {"min_confidence": "high"},
            "filters.min_confidence: a finite number is expected: found 'high'",
        ),
        ({"min_confidence": float("nan")}, "a finite number"),
        (
            {"min_confidence": 7},
            "filters.min_confidence: a number from 0 to 1 is expected: found 7",
        ),
        (
            {"min_importance": -0.1},
            "filters.min_importance: a number from 0 to 1 is expected: found -0.1",
        ),
        (
            {"created": {"from": "2024-02-01", "before": "2024-01-01"}},
            "filters.created: this range of time is empty: found .*2024-02-01",
        ),
        (
            {"created": {"from": "2024-02-01", "to": "2024-01-31"}},
            "filters.created: this range of time is empty: found .*2024-01-31",
        ),
        (
            {"updated": {"from": "2024-01-01", "before": "2024-01-01"}},
            "filters.updated: this range of time is empty.*`before` is the first time after",
        ),
        (
            {"metadata": {"year": {"from": 2010, "to": 2001}}},
            r"filters.metadata.year: the range ends before it begins: found \[2010, 2001\]",
        ),
        ({"metadata": {"a": {"from": "m", "to": "b"}}}, "filters.metadata.a: the range ends"),
        ({"metadata": []}, "filters.metadata: a mapping"),
        ({"metadata": {"a b": 1}}, "not a valid key of metadata: found 'a b'. A key starts"),
        ({"metadata": {"x" * 65: 1}}, "not a valid key"),
        ({"metadata": {7: 1}}, "not a valid key of metadata: found 7"),
        ({"metadata": {"a": [1]}}, "filters.metadata.a: text, a number, true, false or null"),
        (
            {"metadata": {"a": {"in": "x"}}},
            "filters.metadata.a.in: a list of values is expected: found 'x'",
        ),
        ({"metadata": {"a": {"in": []}}}, "1 to 1,000 values"),
        ({"metadata": {"a": {"in": [1], "to": 2}}}, "unknown key: found 'to'. Valid: in"),
        ({"metadata": {"a": {"min": 1}}}, "unknown key: found 'min'. Valid: in, from, to"),
        (
            {"metadata": {"a": {}}},
            "filters.metadata.a: at least one end is expected. Valid: from, to",
        ),
        ({"metadata": {"a": {"from": True}}}, "filters.metadata.a.from: text or a number"),
        ({"metadata": {"a": {"from": 1, "to": "x"}}}, "the two ends must have the same type"),
        ({"metadata": {"a": float("inf")}}, "filters.metadata.a: a finite number"),
    ],
)
def test_what_cannot_be_meant_is_said_with_its_place(settings: Any, said: str):
    with pytest.raises(InputError, match=said):
        Filters.parse(settings)


def test_the_place_is_that_of_the_plan():
    with pytest.raises(InputError, match=r"retriever 'kb' filters.kind: a name"):
        Filters.parse({"kind": 1}, place="retriever 'kb' filters")


def test_times_without_a_zone_are_of_utc():
    found = Filters.parse({"created": {"from": "2024-01-01T12:00:00"}})
    assert found.created == TimeRange(datetime(2024, 1, 1, 12, tzinfo=UTC))


def test_a_time_relative_to_the_search_is_fixed_before_a_store_sees_it():
    relative = Filters.parse({"updated": {"within": "24h"}, "created": {"from": "2024-01-01"}})
    assert relative.depends_on_time
    fixed = relative.resolved(day(3))
    times = Filters(updated=TimeRange(since=day(2)), created=TimeRange(since=day(1)))
    assert fixed == replace(times, current=True)
    assert not fixed.depends_on_time
    with pytest.raises(InputError, match=r"filters\.updated\.within: not a fixed time"):
        filters_of(relative)


SOME: dict[str, Any] = {
    "frozenset[str]": frozenset({"a"}),
    "tuple[str, ...]": ("a",),
    "TimeRange | None": TimeRange(since=day(1)),
    "datetime | None": day(1),
    "float | None": 0.0,
    "bool": True,
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [(each.name, str(each.type)) for each in fields(Filters) if "metadata" not in each.name],
)
def test_every_filter_asks_something_of_a_document(name: str, kind: str):
    """A filter that no store compares would let everything through."""
    (asked,) = replace(NO_FILTERS, **{name: SOME[kind]}).comparisons()
    assert asked.value == SOME[kind]
    assert [*NO_FILTERS.comparisons()] == []
