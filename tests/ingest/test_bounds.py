"""What a file says of itself is kept within bounds."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from biblicus_context.ingest.sanitizing import metadata, name_or_none, names, shown

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), JSON))
def test_metadata_is_json_of_a_size_that_can_be_repeated(values):
    json.dumps(metadata(values), allow_nan=False).encode()


def test_metadata_keeps_what_it_can():
    deep: object = "x"
    for _ in range(20):
        deep = [deep]
    values = {"a": (1, "two"), "b": {"c": True}, "d": float("nan"), "e": 10**400, "f": None, "": 1}
    assert metadata(values) == {"a": [1, "two"], "b": {"c": True}, "-": 1}
    assert "x" not in json.dumps(metadata({"deep": deep}))


@given(st.text())
def test_a_name_is_one_line_that_every_store_accepts(text: str):
    line = shown(text)
    assert len(line) <= 300
    assert line == " ".join(line.split())
    assert "\0" not in line
    assert name_or_none(text) == (line or None)


def test_a_long_name_is_cut_visibly():
    assert shown("x" * 400) == "x" * 299 + "…"


def test_names_come_once_and_are_not_empty():
    assert names(["a", " a ", "", "b"]) == ("a", "b")
