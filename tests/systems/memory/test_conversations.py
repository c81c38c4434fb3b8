"""A conversation becomes memories: its turns, and with an extractor facts that somebody said."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import InputError
from biblicus_context.systems.memory import Extraction, Fact, Memory, MemoryStore, Remembered

SAID = [
    {"role": "user", "content": "Hello!"},
    {"role": "user", "content": "The launch moves to 25 May."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": [{"type": "text", "text": "And I am vegan since January."}]},
    {"role": "tool", "content": "{}"},
]


pytestmark = pytest.mark.on_postgres


@pytest.fixture
def store(place: str | Path) -> MemoryStore:
    store = MemoryStore.open(place)
    store.sync.remember(Memory(id="old", content="The launch is on 4 May."), "acme")
    return store


def remembered(store: MemoryStore, extract: Any = None, said: Any = SAID) -> Remembered:
    return store.sync.remember_conversation(said, "acme", conversation_id="c1", extract=extract)


def everything(store: MemoryStore) -> dict[str, Memory]:
    return {each.id: each for each in store.sync.page("acme").items}


def test_without_an_extractor_turns_are_memories_with_their_source(store: MemoryStore):
    done = remembered(store)
    own = [everything(store)[each] for each in done.turns]
    assert [each.content for each in own] == [
        "The launch moves to 25 May.",
        "Noted.",
        "And I am vegan since January.",
    ]
    assert {(each.type, each.conversation_id) for each in own} == {("turn", "c1")}
    assert [each.metadata["role"] for each in own] == ["user", "assistant", "user"]


def test_the_same_messages_again_and_later_ones_write_only_what_is_new(store: MemoryStore):
    remembered(store)
    before = everything(store)
    assert remembered(store) == Remembered(turns=[])
    assert everything(store) == before
    more = remembered(store, said=[*SAID, {"role": "user", "content": "The hall is booked."}])
    assert len(more.turns) == 1


def extractor(request: Extraction) -> list[Any]:
    assert [each.number for each in request.turns] == [1, 2, 3, 4]
    assert [each.id for each in request.known] == ["old"]
    return [
        Fact(content="The launch is on 25 May.", turns=(2,), replaces="old"),
        {"content": "The user is vegan.", "turns": [4], "type": "preference", "confidence": 0.9},
        {"content": "the user is vegan", "turns": [4]},
        {"content": "The launch has 300 guests.", "turns": [2]},
        {"content": "The user has code X-17.", "turns": [4]},
        {"content": "The hall is booked.", "turns": [9]},
        {"content": "The launch is on 25 May in Rome.", "turns": [2], "replaces": "nobody"},
        {"content": "", "turns": [1]},
    ]


def test_facts_are_stored_beside_their_turns_and_nothing_invented_is(store: MemoryStore):
    done = remembered(store, extractor)
    assert [each.content for each in done.facts] == [
        "The launch is on 25 May.",
        "The user is vegan.",
    ]
    launch, vegan = done.facts
    known = everything(store)
    assert known["old"].superseded_by == launch.id
    assert done.replaced == {"old": launch.id}
    assert (vegan.type, vegan.confidence) == ("preference", 0.9)
    assert done.known == [vegan.id]
    said = known[launch.metadata["said_in"][0]]
    assert said.content == "The launch moves to 25 May."
    ((turn, arrow),) = asyncio.run(store.related(launch.id, "acme"))
    assert (turn.id, arrow.type) == (said.id, "said_in")
    assert [each.reason for each in done.refused] == [
        "no turn says '300'",
        "no turn says '17'",
        "there is no turn 9",
        "no known memory has the id 'nobody'",
        "content: String should have at least 1 character",
    ]


def test_an_extractor_may_be_async_and_return_the_text_of_a_model(store: MemoryStore):
    async def model(request: Extraction) -> str:
        prompt = request.prompt.to_openai()
        assert "Known:\n- [old] The launch is on 4 May." in prompt[-1]["content"]
        assert "2. (" in prompt[-1]["content"]
        answer = {"facts": [{"content": "The user is vegan.", "turns": [4]}]}
        return f"Here it is:\n```json\n{json.dumps(answer)}\n```"

    assert [each.content for each in remembered(store, model).facts] == ["The user is vegan."]


def test_what_says_nearly_the_same_with_other_values_is_named(store: MemoryStore):
    done = remembered(store, lambda _: [Fact(content="The launch is on 25 May.", turns=(2,))])
    (fact,) = done.facts
    assert done.conflicts == {fact.id: ["old"]}
    assert everything(store)["old"].superseded_by is None


@pytest.mark.parametrize("wrong", ["The user is vegan.", 7, None])
def test_an_extractor_that_returns_no_facts_is_an_error_and_nothing_is_written(
    store: MemoryStore, wrong: Any
):
    before = everything(store)
    with pytest.raises(InputError, match="extract"):
        remembered(store, lambda _: wrong)
    assert everything(store) == before


@pytest.mark.parametrize("wrong", ["hello", {"role": "user", "content": "x"}, 7])
def test_messages_are_a_list(store: MemoryStore, wrong: Any):
    with pytest.raises(InputError, match="a list of messages is expected"):
        remembered(store, said=wrong)


def test_what_is_no_message_is_named_with_its_place(store: MemoryStore):
    with pytest.raises(InputError, match=r"messages\[1\]: a message is expected: found 'int'"):
        remembered(store, said=[SAID[1], 5])
