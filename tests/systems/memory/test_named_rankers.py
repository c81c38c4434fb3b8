"""Results are ordered by the name of a ranker, or by a function."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from biblicus_context import InputError, Record
from biblicus_context.systems.memory import NamedRankers

NOW = datetime.now(UTC)
NOTES = {
    "old": (Record(id="old", text="Tea.", confidence=0.9, created=NOW - timedelta(days=9)), 0.8),
    "new": (Record(id="new", text="Ale.", confidence=0.2, created=NOW), 0.3),
}


def ordered(rankers: NamedRankers, ranker: object) -> list[str]:
    return [name for name, _ in rankers.order([*NOTES], ranker, lambda name: NOTES[name])]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("similarity", ["old", "new"]),
        ("confidence", ["old", "new"]),
        ("recency", ["new", "old"]),
        ("default", ["new", "old"]),
    ],
)
def test_a_name_is_usual_or_declared(name: str, expected: list[str]):
    assert ordered(NamedRankers({"default": {"recency": 2, "confidence": 1}}), name) == expected


def test_the_weights_and_figures_of_a_declared_ranker_are_those_of_the_formula():
    weights = {
        "similarity": {"weight": 0.5, "scale": "absolute"},
        "recency": 0.3,
        "confidence": 0.2,
    }
    rankers = NamedRankers({"default": weights})
    figures = dict(rankers.order([*NOTES], "default", lambda name: NOTES[name]))
    assert figures["old"] == pytest.approx(0.5 * 0.8 + 0.3 / (1 + 9) + 0.2 * 0.9, abs=0.01)
    assert figures["new"] == pytest.approx(0.5 * 0.3 + 0.3 + 0.2 * 0.2, abs=0.01)


def test_a_function_orders_and_may_leave_out():
    rankers = NamedRankers()
    rankers.add("last", lambda names: [*names][-1:])
    assert ordered(rankers, "last") == ["new"]
    assert ordered(rankers, sorted) == ["new", "old"]
    assert rankers.order([*NOTES], sorted, NOTES.get) == [("new", None), ("old", None)]


def test_only_what_is_declared_may_have_ordered_results_before():
    rankers = NamedRankers({"default": {"recency": 1}})
    assert rankers.is_declared("default")
    assert not any(map(rankers.is_declared, ("similarity", "unknown", sorted)))
    rankers.add("default", sorted)
    assert not rankers.is_declared("default")


@pytest.mark.parametrize("name", [None, "", " ", 7])
def test_a_ranker_has_a_name(name: Any):
    with pytest.raises(InputError, match="name: a text that is not empty"):
        NamedRankers().add(name, sorted)


def test_what_is_not_a_ranker_is_refused():
    with pytest.raises(InputError, match=r"found 'recensy'.*Did you mean 'recency'"):
        ordered(NamedRankers(), "recensy")
    with pytest.raises(
        InputError, match=r"mine: this is not a ranker: found 'recency'.*a function"
    ):
        NamedRankers().add("mine", "recency")
    with pytest.raises(InputError, match="this is not a ranker: found 7"):
        ordered(NamedRankers(), 7)


def test_a_record_of_a_foreign_store_keeps_its_place_whatever_its_id_is():
    ids = ["a\ud800b", "a\nb", " a", "<?a"]
    notes = {name: (Record(id=name, text=f"Tea {name!a}."), 0.5) for name in ids}
    found = NamedRankers({}).order([*notes], "similarity", lambda name: notes[name])
    assert sorted(name for name, _ in found) == sorted(ids)
