"""The parts of several assemblies, matched so that each is one row."""

from __future__ import annotations

from hypothesis import given, strategies as st

from biblicus_context.comparing.rows import compared_parts
from biblicus_context.pages.bars import Bar


def bar(label: str, depth: int = 0) -> Bar:
    return Bar("", label, depth, "system", 1, 1, None, "kept", "")


def table(*columns: list[Bar]) -> list[tuple[int, str, list[bool]]]:
    rows = compared_parts(columns, lambda bar: bar.label)
    return [(row.depth, row.label, [cell is not None for cell in row.cells]) for row in rows]


def test_a_part_that_only_one_has_stands_behind_the_one_it_follows_there():
    found = table([bar("a"), bar("c")], [bar("a"), bar("b"), bar("c")])
    assert found == [(0, "a", [True, True]), (0, "b", [False, True]), (0, "c", [True, True])]


def test_parts_of_one_name_are_matched_in_order():
    found = table([bar("a"), bar("a")], [bar("a")])
    assert found == [(0, "a", [True, True]), (0, "a", [True, False])]


def test_a_nested_part_is_matched_inside_the_part_it_is_in():
    found = table([bar("x"), bar("a", 1), bar("y")], [bar("x"), bar("y"), bar("a", 1)])
    assert found == [
        (0, "x", [True, True]),
        (1, "a", [True, False]),
        (0, "y", [True, True]),
        (1, "a", [False, True]),
    ]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=1, max_size=4))
def test_every_bar_is_in_one_cell_of_its_column(labels):
    columns = [[bar(label) for label in column] for column in labels]
    rows = compared_parts(columns, lambda bar: bar.label)
    for at, column in enumerate(columns):
        assert sum(row.cells[at] is not None for row in rows) == len(column)
