"""The stream is the finished messages, each stretch with where it comes from."""

from __future__ import annotations

from itertools import chain

from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler
from biblicus_context.pages.stream import ShownText, shown_messages
from biblicus_context.pages.wording import message_text
from tests.assembly.strategies import Case, cases
from tests.pages.assemblies import everything


def stretches_of(result) -> list[ShownText]:
    return list(chain.from_iterable(message.texts for message in shown_messages(result)))


@settings(max_examples=80)
@given(cases(overflow=("compact", "none")))
def test_the_stretches_of_a_message_are_its_text_without_a_gap(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    places = {part.place for part in result.receipt.parts}
    messages = shown_messages(result)
    assert ["".join(stretch.text for stretch in message.texts) for message in messages] == [
        message_text(message) for message in result.messages
    ]
    assert [message.role for message in messages] == [each["role"] for each in result.messages]
    assert {stretch.place for stretch in stretches_of(result)} <= places | {""}


@settings(max_examples=80)
@given(cases())
def test_every_block_that_is_placed_whole_is_a_stretch_of_its_part(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    found = {(stretch.place, stretch.label) for stretch in stretches_of(result)}
    for part in result.receipt.parts:
        for block in part.blocks:
            assert (block.action == "dropped") or (part.place, block.id) in found


def test_a_block_tells_what_is_known_of_it():
    (lost,) = (stretch for stretch in stretches_of(everything()) if stretch.label == "lost")
    assert lost.place == "messages[2]"
    assert (lost.source, lost.score, lost.page) == ("handbook/lost.md", 0.91, 1)
    assert lost.text == "A parcel is lost after ten days."
    assert lost.tokens == 8
    assert lost.shortened == ""


def test_what_joins_two_parts_belongs_to_none():
    first = shown_messages(everything())[0]
    assert [stretch.text for stretch in first.texts if not stretch.place] == ["\n\n"] * 4
    assert all(stretch.tokens is None for stretch in first.texts if not stretch.place)


def test_a_message_of_the_history_is_known_by_its_number_in_what_was_handed_in():
    labels = [
        stretch.label for stretch in stretches_of(everything()) if stretch.place == "messages[4]"
    ]
    assert labels[-1] == "message 3"


def test_a_block_that_was_cut_says_why():
    texts = {stretch.label: stretch for stretch in stretches_of(everything(budget=150))}
    assert texts["long"].shortened.startswith("total budget of 150 tokens is full")


def test_a_summary_stands_for_the_turns_that_went():
    past = [{"role": "user", "content": f"Sentence number {at} is here."} for at in range(20)]
    context = {
        "policy": {"input_budget": {"max_tokens": 60}},
        "messages": [{"type": "history", "keep_last": 1, "compactor": {"type": "summary"}}],
    }
    result = ContextAssembler({"main": context}).assemble("main", history=past)
    labels = [stretch.label for stretch in stretches_of(result)]
    assert labels[0] == "summary"
    assert labels[-1] == "message 19"


def test_a_history_that_went_as_a_whole_still_ends_the_system_prompt():
    context = {
        "policy": {"input_budget": {"max_tokens": 12}},
        "messages": [
            {"type": "system", "content": "First."},
            {"type": "history"},
            {"type": "system", "content": "Second."},
        ],
    }
    past = [{"role": "user", "content": "word " * 50}]
    result = ContextAssembler({"main": context}).assemble("main", history=past)
    assert [len(message.texts) for message in shown_messages(result)] == [1, 1]
