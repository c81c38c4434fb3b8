"""Snapshots are YAML: any value is written so that readers of YAML give it back."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from biblicus_context.golden.snapshots.yaml_text import yaml_lines
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Tree

TEXTS = st.one_of(
    st.text(max_size=20),
    st.text(alphabet=" \n\tab:-#'\"|>\\é\u2028\x85\r", max_size=12),
    st.sampled_from(["", "\n", "\n\n", " a\nb", "a \nb", "a\nb\n\n", "yes", "1", "- a", "a: b", "\ta\n"]),
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False, width=16)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def written(value: dict[str, Any]) -> str:
    return "\n".join([*yaml_lines(value), ""])


@given(st.dictionaries(st.sampled_from(["role", "content", "a b", "yes", ""]), VALUES, min_size=1))
def test_what_is_written_is_read_back(value: dict[str, Any]) -> None:
    assert yaml.safe_load(written(value)) == value


@given(st.dictionaries(TEXTS, TEXTS, min_size=1))
def test_our_own_reader_reads_it_as_well(value: dict[str, str]) -> None:
    (tree,) = read_trees(written(value), "snapshot.yaml")
    assert isinstance(tree, Tree)
    assert tree.root.value == value


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3))
def test_no_line_ends_with_a_space_or_begins_a_document(value: dict[str, Any]) -> None:
    text = written(value)
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    assert not re.search(r"^(---|\.\.\.|%)", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": "one\ntwo"}, "a: |-\n  one\n  two\n"),
        ({"a": "one\n\ntwo\n"}, "a: |\n  one\n\n  two\n"),
        ({"a": "one\ntwo\n\n"}, "a: |+\n  one\n  two\n\n"),
        ({"a": "  one\ntwo"}, "a: |2-\n    one\n  two\n"),
        ({"a": "one \n two"}, 'a: "one \\n\\\n  \\ two"\n'),
        ({"a": []}, "a: []\n"),
        ({"a": {}}, "a: {}\n"),
        ({"a": [{"b": 1, "c": ["d"]}, [True]]}, "a:\n  - b: 1\n    c:\n      - d\n  - - true\n"),
        ({"a": [{"text": "one\ntwo"}]}, "a:\n  - text: |-\n      one\n      two\n"),
    ],
)
def test_texts_are_lines_and_everything_else_is_short(value: dict[str, Any], expected: str) -> None:
    assert written(value) == expected
