"""What changed between two assemblies."""

from __future__ import annotations

from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.assembly.result.saved import SavedResult, saved_from
from biblicus_context.comparing.changes import difference
from tests.assembly.fakes import Shelf

parts = st.lists(
    st.builds(
        lambda kind, content: {"type": kind, "content": content},
        st.sampled_from(["system", "user", "assistant"]),
        st.text("ab\n", min_size=1, max_size=5).map(lambda text: f"x{text}"),
    ),
    max_size=5,
)


def saved(*messages, **registries) -> SavedResult:
    context = {"messages": list(messages)}
    return saved_from(ContextAssembler({"main": context}, **registries).assemble("main"))


def system(text: str) -> dict[str, str]:
    return {"type": "system", "content": text}


def user(text: str) -> dict[str, str]:
    return {"type": "user", "content": text}


def test_a_changed_message_is_a_unified_difference_of_its_lines():
    one = saved(system("a\nb\nc"), user("q"))
    other = saved(system("a\nB\nc"), user("q"))
    (change,) = difference(one, other).messages
    assert (change.before, change.after, change.role) == (0, 0, "system")
    assert change.lines == ("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c")


def test_a_message_more_or_less_is_a_change_of_its_own():
    one, other = (
        saved(system("s"), user("q")),
        saved(user("q"), {"type": "assistant", "content": "a"}),
    )
    changes = [(each.before, each.after, each.role) for each in difference(one, other).messages]
    assert changes == [(0, None, "system"), (None, 1, "assistant")]


def test_parts_are_matched_by_name_and_have_their_tokens_on_each_side():
    kb, faq = Shelf(["one two three"]), Shelf(["four"])
    one = saved(system("s"), {"type": "context", "name": "kb"}, retriever_registry={"kb": kb})
    other = saved(
        {"type": "context", "name": "faq"},
        {"type": "context", "name": "kb"},
        system("s"),
        retriever_registry={"kb": kb, "faq": faq},
    )
    found = {part.label: part for part in difference(one, other).parts}
    assert [bar.given for bar in found["kb"].cells] == [3, 3]
    assert [bar and bar.given for bar in found["faq"].cells] == [None, 1]


def test_a_counter_that_only_a_program_knows_is_replaced_for_the_prefix():
    context = {"messages": [system("a b c")], "policy": {"counter": "mine"}}
    result = ContextAssembler({"main": context}, counters={"mine": len}).assemble("main")
    found = difference(saved_from(result), saved_from(result))
    assert (found.counter, found.prefix.tokens) == ("o200k_base", 3)


@given(parts)
def test_nothing_is_different_from_itself(messages):
    one = saved(*messages)
    found = difference(one, one)
    assert found.messages == ()
    assert found.prefix.is_whole
    assert all(before == after for before, after in (row.cells for row in found.parts))


@given(parts, parts)
def test_every_message_is_the_same_on_both_sides_or_named_once(before, after):
    one, other = saved(*before), saved(*after)
    found = difference(one, other)
    gone = [each.before for each in found.messages if each.before is not None]
    come = [each.after for each in found.messages if each.after is not None]
    assert len(gone) == len(set(gone))
    assert len(come) == len(set(come))
    left = [each for at, each in enumerate(one.messages) if at not in gone]
    assert left == [each for at, each in enumerate(other.messages) if at not in come]
    outer = [row.cells for row in found.parts if row.depth == 0]
    sums = [sum(cells[side].given for cells in outer if cells[side]) for side in (0, 1)]
    joins = other.receipt.joins - one.receipt.joins
    assert sums[1] - sums[0] + joins == other.receipt.used - one.receipt.used
