"""Contexts whose inserts lead into a cycle are reported once, and rules skip them."""

from __future__ import annotations

from hypothesis import given, strategies as st

from biblicus_context.lint.facts.project.nesting import cyclic_contexts
from biblicus_context.reading.outline import LocatedName, Outline
from biblicus_context.reading.yaml.tree import Place
from tests.lint.linting import found, report_of
from tests.pace import within

_HERE = Place(1, 1)
_NAMES = st.sampled_from("abcdefg")


def _outline(name: str, inserted: list[str]) -> Outline:
    uses = tuple(LocatedName("pack", each, _HERE) for each in inserted)
    return Outline("context", name, "x.yaml", 1, _HERE, uses)


def _reaches_itself(start: str, inserts: dict[str, list[str]]) -> bool:
    """Whether one of the contexts on the way is met again, by walking every way."""
    ways = [[start]]
    while ways:
        way = ways.pop()
        for following in inserts.get(way[-1], []):
            if following in way:
                return True
            ways.append([*way, following])
    return False


@given(st.dictionaries(_NAMES, st.lists(_NAMES, max_size=3), max_size=6))
def test_those_are_found_from_which_a_walk_never_ends(inserts):
    outlines = [_outline(name, inserted) for name, inserted in inserts.items()]
    assert cyclic_contexts(outlines) == {name for name in inserts if _reaches_itself(name, inserts)}


def test_a_long_chain_takes_no_longer_than_a_wide_one():
    chain = [_outline(str(number), [str(number + 1)]) for number in range(20_000)]
    with within(2):
        assert cyclic_contexts(chain) == frozenset()


def test_a_circle_is_one_finding_and_what_lies_beside_it_is_checked(tmp_path):
    text = """\
kind: context
name: one
messages: [{type: context, name: two}]
---
kind: context
name: two
messages: [{type: context, name: two}]
---
kind: context
name: off
messages: [{type: user, content: "{input.question}"}]
"""
    assert found(report_of(tmp_path, text)) == [("BC207", 7), ("BC141", 10)]


def test_a_comment_in_a_context_that_is_spared_the_rules_is_not_without_use(tmp_path):
    text = """\
kind: context
name: "off  "  # lint: allow BC234 old
messages: [{type: context, name: "off  "}]
"""
    assert found(report_of(tmp_path, text)) == [("BC207", 3)]
