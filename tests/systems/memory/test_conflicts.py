"""Newer facts come before older ones, nothing is decided silently, and what held before can be asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from biblicus_context import InputError
from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore, Relationship

NOW = datetime.now(UTC)
MAY, JUNE = (
    Memory(
        id="may", content="The launch of the lamp is on 4 May.", created_at=NOW - timedelta(days=60)
    ),
    Memory(
        id="june",
        content="The launch of the lamp is on 12 June, because the permit was late.",
        created_at=NOW - timedelta(days=10),
    ),
)
OTHERS = [
    Memory(id="hall", content="The hall is booked from Thursday on.", created_at=NOW),
    Memory(id="talk", content="Thanks, that was quick!", created_at=NOW),
    *(
        Memory(
            id=f"e{n}",
            content=f"E-{n} means that part {n % 7} of the line stopped.",
            created_at=NOW,
        )
        for n in range(4410, 4434)
    ),
]
WHEN = "When is the launch of the lamp?"


@pytest.fixture
def store(place: str | Path) -> MemoryStore:
    store = MemoryStore.open(place)
    store.sync.remember_many([JUNE, MAY, *OTHERS], "acme")
    return store


def ids(store: MemoryStore, query: str, **options: object) -> list[str]:
    found = ContextEngine(store).sync.search(query, "acme", **options)
    return [each.memory.id for each in found.unwrap()]


def test_of_two_that_say_nearly_the_same_the_newer_comes_first(store: MemoryStore):
    assert ids(store, WHEN)[:2] == ["june", "may"]
    assert {*ids(store, WHEN, ranker="design")[:2]} == {"june", "may"}


def test_a_newer_one_of_the_same_template_about_another_thing_does_not_come_first(
    store: MemoryStore,
):
    days = {"Ann": "5 May", "Bob": "7 June", "Cleo": "9 July"}
    for number, (name, day) in enumerate(days.items()):
        content = f"The birthday of {name} is on {day}, and we bring a cake to the office."
        made = NOW + timedelta(days=number)
        store.sync.remember(Memory(id=name, content=content, created_at=made), "acme")
    assert ids(store, "When is the birthday of Ann?")[0] == "Ann"


def test_a_code_that_is_asked_for_exactly_comes_first_among_others_like_it(store: MemoryStore):
    for number in (4410, 4421, 4433):
        assert ids(store, f"What does e-{number} mean?")[0] == f"e{number}"


def test_what_a_memory_replaces_is_no_longer_found_but_held_then(store: MemoryStore):
    newer = Memory(id="july", content="The launch of the lamp is on 3 July.", created_at=NOW)
    near = store.sync.remember(newer, "acme", replaces="june")
    assert [each.id for each in near] == ["may"]  # which nobody said is replaced
    assert ids(store, WHEN)[0] == "july"
    assert "june" not in ids(store, WHEN)
    assert ids(store, WHEN, as_of=NOW - timedelta(days=5))[0] == "june"
    before = ids(store, WHEN, as_of=NOW - timedelta(days=30))
    assert before[0] == "may"
    assert not {"june", "july"} & {*before}
    assert [each.id for each in store.sync.history("june", "acme")] == ["june", "july"]
    assert store.sync.history("july", "acme") == store.sync.history("june", "acme")
    with pytest.raises(InputError, match="no such memory: found 'nobody'"):
        store.sync.remember(newer, "acme", replaces="nobody")


def test_a_memory_is_written_with_a_warning_of_those_with_other_values(store: MemoryStore):
    same = Memory(id="again", content="the launch of the lamp is on 4 May")
    assert [each.id for each in store.sync.remember(same, "acme")] == ["june"]
    unrelated = Memory(id="tea", content="Green tea wants water of 80 degrees.")
    assert store.sync.remember(unrelated, "acme") == []
    other_code = Memory(id="e1", content="E-9001 means that part 3 of the line stopped.")
    assert store.sync.remember(other_code, "acme") == []


def test_relations_keep_the_filters_of_the_call_and_their_ends_exist(store: MemoryStore):
    secret = Memory(id="secret", type="secret", content="The launch is a cover.", confidence=0.1)
    store.sync.remember(secret, "acme")
    store.sync.relate(Relationship("june", "secret", "about"), "acme")
    engine = ContextEngine(store)
    options = {"include_relationships": True, "limit": 1}
    (best,) = engine.sync.search(WHEN, "acme", **options).unwrap()
    assert [each.memory.id for each in best.relationships] == ["secret"]
    (best,) = engine.sync.search(WHEN, "acme", **options, memory_types="memory").unwrap()
    assert best.relationships == ()
    with pytest.raises(InputError, match="target: the workspace has no such memory: found 'gone'"):
        store.sync.relate(Relationship("june", "gone", "about"), "acme")


def test_nothing_is_written_where_nothing_is_relevant_and_the_answer_says_why(store: MemoryStore):
    engine = ContextEngine(store)
    for said in ("Thanks, bye!", "hello", "banana smoothie recipe"):
        built = engine.sync.build_context(said, "acme").unwrap()
        assert (built.context, built.token_count, built.verdict) == ("", 0, "nothing")
        assert not built.truncated
        assert built.because
    assert "none of 'banana', 'smoothie', 'recipe' found" in built.because
    assert engine.sync.build_context("banana smoothie recipe", "acme", floor=0).unwrap().memories
    assert engine.sync.build_context(WHEN, "acme").unwrap().verdict == "found"
    assert engine.sync.build_context(WHEN, "acme", floor=1).unwrap().verdict == "nothing"


def test_a_follow_up_is_understood_by_the_question_before_it(store: MemoryStore):
    said = [{"role": "user", "content": WHEN}, {"role": "assistant", "content": "On 12 June."}]
    assert ids(store, "And where is it?", history=said)[0] in ("june", "may")
    assert ids(store, "banana smoothie recipe", history=said) == []
    seen: list[object] = []

    async def rewriter(query: str, messages: object) -> str:
        seen.append(messages)
        return "hall booked"

    engine = ContextEngine(store, query_rewriter=rewriter)
    found = engine.sync.search("And where is it?", "acme", history=said).unwrap()
    assert found[0].memory.id == "hall"
    assert seen == [said]


def test_every_template_can_write_dates_and_what_is_cut_has_a_mark(store: MemoryStore):
    engine = ContextEngine(store)
    for template in ("chat", "summary"):
        text = engine.sync.build_context(
            WHEN, "acme", template=template, include_dates=True, limit=1
        ).unwrap()
        assert f"({JUNE.created_at:%Y-%m-%d}) The launch" in text.context
    cut = engine.sync.build_context(WHEN, "acme", token_budget=20).unwrap()
    assert cut.truncated
    assert " …" in cut.context


def test_memories_are_listed_page_by_page_and_imported_with_what_was_deleted(store: MemoryStore):
    first = store.sync.page("acme", {"kind": "memory"}, limit=20)
    rest = store.sync.page("acme", {"kind": "memory"}, after=first.next, limit=20)
    assert len(first.items) == 20
    assert rest.next is None
    assert [e.id for e in (*first.items, *rest.items)] == sorted(e.id for e in (MAY, JUNE, *OTHERS))
    store.import_lines(store.export_lines("acme"), "copy")
    store.sync.forget("hall", "acme")
    assert store.import_lines(store.export_lines("acme"), "copy", remove_others=True) == 27
    assert store.sync.get("hall", "copy") == []


def test_an_unknown_default_template_is_an_error_when_the_engine_is_made(store: MemoryStore):
    with pytest.raises(Exception, match="'table' not defined"):
        ContextEngine(store, default_template="table")
