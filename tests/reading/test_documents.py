"""YAML with places: strict, bounded, and right about where things stand."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from biblicus_context.errors import LoadError
from biblicus_context.reading import PlanDocument, read_documents
from biblicus_context.reading.yaml.compose import plain_scalar
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Tree
from tests.pace import within
from tests.reading.examples import BAD, GOOD

BEGIN = "kind: context\nname: x\n"


def _tree(text: str) -> Tree:
    (tree,) = read_trees(text, "plan.yaml")
    assert isinstance(tree, Tree), tree
    return tree


def _error(data: str | bytes) -> LoadError:
    (error,) = read_trees(data, "plan.yaml")
    assert isinstance(error, LoadError), error
    return error


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("+3", 3),
        ("0", 0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("9223372036854775807", 9223372036854775807),
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("1.2.3", "1.2.3"),
        ("0b11", "0b11"),
        ("<<", "<<"),
        ("=", "="),
        ("'12'", "12"),
        ('"true"', "true"),
        ("-", None),
    ],
)
def test_an_unquoted_word_means_what_yaml_1_2_says(word, value):
    if word == "-":
        assert _tree("value:\n-\n").root.value == {"value": [None]}
    else:
        assert _tree(f"value: {word}\n").root.value == {"value": value}


@pytest.mark.parametrize("word", ["010", "-007", "00.5", "0o17", "0x1f", ".inf", "-.Inf", ".NaN"])
def test_a_number_that_readers_disagree_about_is_refused(word):
    error = _error(f"a: 1\nvalue: {word}\n")
    assert (error.line, error.column, error.found) == (2, 8, word)


@pytest.mark.parametrize("word", ["9223372036854775808", "-" + "9" * 400, "1e999", "9" * 100_000])
def test_a_number_too_large_to_be_one_is_refused(word):
    assert "too large" in _error(f"value: {word}\n").problem


def test_a_merge_takes_in_what_is_not_said_otherwise():
    tree = _tree("a: &a {x: 1, y: 2}\nb: &b {z: 3, x: 9}\nc: {<<: [*a, *b], y: 4}\n")
    assert tree.root.value["c"] == {"y": 4, "x": 1, "z": 3}
    assert tree.key_place(["c", "x"]) == (1, 8)


def test_the_limits_allow_what_they_name():
    assert _tree("value: " + "[" * 49 + "]" * 49).root.value
    assert _tree("a: &a 1\nb: [" + ", ".join(["*a"] * 100) + "]\n").root.value
    assert _tree("- 1\n" * 99_999).root.value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("value: " + "[" * 50 + "]" * 50, "nesting is deeper than 50"),
        ("a: &a 1\nb: [" + ", ".join(["*a"] * 101) + "]\n", "more than 100 aliases"),
        ("- 1\n" * 100_000, "more than 100,000"),
        ("# " + "x" * 1024 * 1024, "larger than 1,048,576 bytes"),
        ("ä" * (512 * 1024 + 1), "larger than 1,048,576 bytes"),
    ],
)
def test_one_more_than_a_limit_is_refused(text, problem):
    assert problem in _error(text.encode()).problem


def test_a_file_holds_ten_thousand_documents_and_no_more():
    *documents, error = read_trees("---\nkind: x\n" * 10_001, "plan.yaml")
    assert len(documents) == 10_000
    assert "more than 10,000 documents" in str(error)


BOMB = "a0: &a0 [lol, lol, lol]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
HOSTILE = {
    "bomb": BOMB,
    "mapping bomb": BOMB.replace("[lol, lol, lol]", "{a: 1, b: 2}"),
    "brackets": "[" * 1_000_000,
    "braces": "{a: " * 250_000,
    "dashes": "- " * 500_000,
    "questions": "? " * 500_000,
    "anchors": "&a " * 300_000,
    "aliases": "*a " * 300_000,
    "tags": "!a " * 300_000,
    "bangs": "!" * 1_000_000,
    "directives": "".join(f"%TAG !a{n}! tag:a\n" for n in range(40_000)) + "--- a\n",
    "late directives": "a: 1\n" + "".join(f"%TAG !a{n}! tag:a\n" for n in range(40_000)),
    "documents": "---\n" * 250_000,
    "ends": "...\n" * 250_000,
    "words": "--- a\n" * 150_000,
    "one word": "a: " + "x" * 1_000_000,
    "one text": 'a: "' + "\\n" * 500_000 + '"',
    "open text": "a: '" + "x\n" * 500_000,
    "folded": "a: >\n" + "  x\n\n" * 170_000,
    "spaces": " " * 1_000_000 + "a: 1",
    "lines": "\n" * 1_000_000 + "a: 1",
    "tabs": "\t" * 1_000_000,
    "carriage returns": "\r" * 1_000_000,
    "comments": "#\n" * 500_000,
    "same keys": "{" + "a, " * 300_000 + "}",
    "other keys": "".join(f"k{n}: 1\n" for n in range(49_000)),
    "long key": BEGIN + "? " + "k" * 1_000_000 + "\n: 1\n",
    "digits": "a: " + "9" * 1_000_000,
    "points": "a: " + "1." * 500_000,
    "wrong entries": BEGIN + "messages:\n" + "- 5\n" * 90_000,
    "same inputs": BEGIN + "inputs:\n" + "- a\n" * 90_000,
    "wrong alias": BEGIN + "messages:\n- &a {x: " + "y" * 900_000 + "}\n" + "- *a\n" * 99,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_answered_within_seconds(name):
    with within(8):
        found = read_documents(HOSTILE[name], "plan.yaml")
    assert all(isinstance(each, PlanDocument | LoadError) for each in found)
    assert found


YAML_LIKE = st.text(
    alphabet="ab:-?[]{},#&*!|>'\"%@` \t\n\r\\x0123.~<=é\ufeff\u2028\x00😀", max_size=60
)
LINES = st.lists(
    st.sampled_from(
        [
            "kind: context",
            "kind: policy",
            "name: x",
            "messages:",
            "  - type: user",
            "    content: hello",
            "  - {type: history}",
            "  - {type: context, name: x}",
            "policy: {input_budget: {}}",
            "policy: *a",
            "inputs: &a [a, a]",
            "packs: [x, {name: y}]",
            "  <<: *a",
            "window: 010",
            "---",
            "...",
            "%YAML 1.2",
            "? a",
            ": b",
            "'",
            "description: |",
            "\ttab",
            "",
        ]
    ),
    max_size=14,
).map("\n".join)


@settings(max_examples=4 * settings().max_examples)
@given(st.one_of(YAML_LIKE, LINES, st.text(max_size=40), st.binary(max_size=40)))
def test_any_text_is_read_or_refused_at_a_place_inside_it(data):
    found = read_documents(data, "plan.yaml")
    lines = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    count = len(re.split(r"\r\n|\r|\n", lines)) if lines else 1
    assert found
    for each in found:
        assert each.file == "plan.yaml"
        assert each.line is None or 1 <= each.line <= count


KEYS = st.text(alphabet="abcxyz_äß日", min_size=1, max_size=6).filter(
    lambda key: key not in ("y", "x")
)
# The dumper follows YAML 1.1 and leaves some words unquoted that YAML 1.2 takes for numbers.
TEXTS = st.text(max_size=30).filter(
    lambda word: not word or not isinstance(plain_scalar(word), int | float)
)
VALUES = st.recursive(
    st.one_of(st.integers(-99, 99), st.booleans(), KEYS, TEXTS, st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=2 * settings().max_examples)
@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=4),
    st.sampled_from([True, False, None]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_the_text_at_the_place_of_a_key_is_the_key(value, flow, line_break):
    text = yaml.safe_dump(
        value, default_flow_style=flow, allow_unicode=True, sort_keys=False, width=40
    )
    first = "# a comment\nfirst: 1\n--- \n".replace("\n", line_break)
    trees = list(read_trees(first + text.replace("\n", line_break), "plan.yaml"))
    if not isinstance(trees[-1], Tree):  # characters that plans may not hold, or unclear numbers
        return
    tree = trees[-1]
    assert tree.root.value == value
    lines = (first + text).replace("\r\n", "\n").split("\n")
    for path in _key_paths(value):
        line, column = tree.key_place(path)
        said = lines[line - 1][column - 1 :].lstrip("?").lstrip()
        assert said.lstrip("'\"").startswith(path[-1])
        assert tree.at(path).place >= tree.key_place(path)


def _key_paths(value, path=()):
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for step, part in parts:
        if isinstance(step, str):
            yield (*path, step)
        if isinstance(part, dict | list):
            yield from _key_paths(part, (*path, step))


def test_without_libyaml_the_same_plans_are_good_and_bad():
    script = """
import sys
sys.modules["yaml._yaml"] = None
import yaml
assert not yaml.__with_libyaml__
from biblicus_context.errors import LoadError
from biblicus_context.reading import load_project
for name in sys.argv[1:]:
    try:
        load_project(name)
    except LoadError:
        print(name)
"""
    files = [str(file) for file in [*GOOD, *BAD]]
    finished = subprocess.run(
        [sys.executable, "-c", script, *files], capture_output=True, text=True, check=True
    )
    assert finished.stdout.split() == [str(file) for file in BAD]
