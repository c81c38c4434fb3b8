"""Cycles among names, found once for every kind of declaration."""

from __future__ import annotations

from hypothesis import given, strategies as st

from biblicus_context.base.cycles import find_cycles

graphs = st.dictionaries(
    st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefgh"), max_size=4)
)


def reaches_itself(name: str, uses: dict[str, list[str]]) -> bool:
    reached: set[str] = set()
    waiting = [*uses[name]]
    while waiting:
        used = waiting.pop()
        if used not in reached:
            reached.add(used)
            waiting += uses.get(used, [])
    return name in reached


@given(graphs)
def test_what_is_found_is_a_cycle_and_none_is_found_twice(uses: dict[str, list[str]]):
    cycles = [tuple(cycle) for cycle in find_cycles(uses)]
    for cycle in cycles:
        assert len(set(cycle)) == len(cycle)
        for name, used in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            assert used in uses[name]
    assert len(set(cycles)) == len(cycles)


@given(graphs)
def test_a_cycle_is_found_if_and_only_if_a_name_uses_itself_in_the_end(uses: dict[str, list[str]]):
    assert bool([*find_cycles(uses)]) == any(reaches_itself(name, uses) for name in uses)


def test_a_very_long_chain_and_a_very_long_cycle_are_searched_without_recursion():
    chain = {str(n): [str(n + 1)] for n in range(50_000)}
    assert [*find_cycles(chain)] == []
    (cycle,) = find_cycles({**chain, "50000": ["0"]})
    assert len(cycle) == 50_001
