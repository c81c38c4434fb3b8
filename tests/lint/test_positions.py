"""Every character of a text is found again in the file, however the text is written."""

from __future__ import annotations

import yaml
from hypothesis import given, strategies as st

from biblicus_context.lint.facts.source.positions import place_in
from biblicus_context.reading import PlanDocument, read_documents
from biblicus_context.reading.yaml.tree import Place
from tests.lint.rules.harness import fewer

STYLES = ("|", ">", '"', "'", None)
words = st.sampled_from(
    ["You", "are", "{input.a}", "{{ b }}", "don't", '"so"', "größe", "a:b", "#1", "\\n", "-", "  x"]
)
texts = st.lists(
    st.lists(words, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=5
).map("\n".join)


def written(yaml_text: str) -> tuple[list[str], Place, str]:
    """The lines of a plan, and where its one text begins and what it is."""
    (document,) = read_documents(yaml_text, "plan.yaml")
    assert isinstance(document, PlanDocument), document
    node = document.tree.at(["messages", 0, "content"])
    return yaml_text.splitlines(), node.place, str(node.value)


@fewer
@given(texts, st.sampled_from(STYLES), st.integers(20, 80))
def test_each_character_that_is_no_white_space_stands_where_it_is_said_to(text, style, width):
    entry = yaml.dump(text, default_style=style, width=width, allow_unicode=True)
    entry = entry.removesuffix("...\n").rstrip("\n").replace("\n", "\n      ")
    head = "kind: context\nname: x\nmessages:\n  - type: user\n"
    lines, start, value = written(f"{head}    content: {entry}\n")
    for offset, character in enumerate(value):
        if not character.isspace():
            line, column = place_in(lines, start, value, offset)
            rest = lines[line - 1][column - 1 :]
            assert rest[0] in (character, "\\"), (offset, character, rest)


def at(yaml_text: str, piece: str) -> tuple[int, int]:
    lines, start, value = written(
        f"kind: context\nname: x\nmessages:\n  - type: user\n    {yaml_text}\n"
    )
    return tuple(place_in(lines, start, value, value.index(piece)))


def test_a_text_in_a_flow_mapping_ends_where_the_next_key_begins():
    text = "kind: context\nname: x\nmessages: [{type: user, content: one {two, vars: {a: b}}]\n"
    lines, start, value = written(text.replace("{two", "two"))
    assert tuple(place_in(lines, start, value, value.index("two"))) == (3, 38)


def test_an_anchor_and_indentation_by_number_are_stepped_over():
    assert at("content: &a |2-\n        one\n          two", "two") == (7, 11)


def test_escapes_count_as_the_characters_they_stand_for():
    assert at(r'content: "\u00e4 \"b\" \x41 \U0001F600 c"', "A") == (5, 28)
    assert at('content: "one \\\n      two"', "two") == (6, 7)


def test_doubled_quotes_count_as_one():
    assert at("content: 'it''s here'", "here") == (5, 21)


def test_white_space_between_two_lines_is_at_the_end_of_the_first_or_at_the_second():
    lines = ["content: |", "  one", "", "  two"]
    text = "one\n\ntwo"
    assert tuple(place_in(lines, Place(1, 10), text, 3)) == (2, 6)
    assert tuple(place_in(lines, Place(1, 10), text, 4)) == (4, 3)


def test_a_place_behind_the_text_is_its_end():
    assert tuple(place_in(["a: one"], Place(1, 4), "one", 3)) == (1, 7)


def test_what_an_alias_stands_for_is_found_at_the_alias():
    lines = ["a: &x one two", "b: *x"]
    assert tuple(place_in(lines, Place(2, 4), "one two", 4)) == (2, 4)
