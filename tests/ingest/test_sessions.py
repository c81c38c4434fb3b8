"""Sections of one session follow each other, and nothing else changes."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given, strategies as st

from biblicus_context.ingest import Section
from biblicus_context.ingest.conversion import by_session

NAMES = st.sampled_from(["a", "b", " a", "a\n", "", "x" * 400, "x" * 500, None])


@given(st.lists(NAMES, max_size=12))
def test_sessions_have_no_gaps_and_keep_their_order(names: list[str | None]):
    sections = [Section(str(place), session=name) for place, name in enumerate(names)]
    ordered = by_session(sections)
    stored = [(" ".join((each.session or "").split())[:299]) for each in ordered]
    assert len([*groupby(stored)]) == len({*stored})
    places = [int(each.text) for each in ordered]
    assert sorted(places) == [*range(len(names))]
    sessions = [[int(each.text) for each in run] for run in _runs(ordered, stored)]
    assert sessions == sorted(sessions)
    assert all(run == sorted(run) for run in sessions)


def test_a_document_of_one_session_stays_as_it_is():
    sections = [Section("one"), Section("two"), Section("three")]
    assert by_session(sections) == sections


def _runs(ordered: list[Section], stored: list[str]) -> list[list[Section]]:
    paired = groupby(zip(stored, ordered, strict=True), key=lambda pair: pair[0])
    return [[section for _, section in run] for _, run in paired]
