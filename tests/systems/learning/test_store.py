"""What was learned is found as soon as it is written, on its axes, and by its own workspace alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context import ContextError
from biblicus_context.systems.learning import (
    ContextAssembler,
    Experience,
    LearningStore,
    Memory,
    RelevantItem,
    Value,
)
from tests.ingest.build import written
from tests.ingest.git.build import Made, repository
from tests.systems.learning.build import EXPERIENCE, MEMORY, NOW, TYPES, VALUE

pytestmark = pytest.mark.on_postgres


@pytest.fixture
def store(place: str | Path) -> Iterator[LearningStore]:
    opened = LearningStore.open(place, workspace="acme")
    yield opened
    opened.close()


def found(hits: object) -> list:
    return [hit.item for hit in asyncio.run(hits)]


def test_the_program_of_the_page_runs(place: str | Path):
    """As it is written for users, with `now` and a loop around it."""

    async def program() -> None:
        store = LearningStore.open(place, workspace="acme")
        await store.record_experience(EXPERIENCE)
        assembler = ContextAssembler(store.searcher())
        context = await assembler.assemble_context(
            "flaky test", ["experiences", "values"], max_tokens=2000
        )
        assert context.markdown.startswith("# Context")
        assert context.sources_used == {"experience": 1}
        premortem = await assembler.get_premortem_context(
            "debugging", strategy="systematic-elimination"
        )
        assert "## Common Failures" in premortem.markdown

    asyncio.run(program())


def test_an_empty_store_finds_nothing(store: LearningStore):
    """Before anything was written there is no error, and no folder."""
    context = asyncio.run(ContextAssembler(store).assemble_context("anything", TYPES))
    assert (context.markdown, context.items) == ("", ())


def test_what_was_recorded_comes_back_as_it_was(store: LearningStore):
    """Also from a store that is opened again."""
    value = VALUE.model_copy(update={"experience_ids": ("ghap_1",), "created_at": NOW})
    memory = MEMORY.model_copy(update={"created_at": NOW})
    for call in (
        store.record_memory(memory),
        store.record_value(value),
        store.record_experience(EXPERIENCE),
    ):
        asyncio.run(call)
    assert found(store.search_memories("UTC", 5)) == [memory]
    assert found(store.search_values("clock", 5)) == [value]
    assert found(store.search_experiences("flaky", 5)) == [EXPERIENCE]


def test_an_experience_is_found_on_four_axes(store: LearningStore):
    """An axis that has nothing to say is left out, also when it had before."""
    store = store.with_floor(None)  # of one experience, a word is often not relevant enough
    asyncio.run(store.record_experience(EXPERIENCE))
    for axis in ("full", "strategy", "surprise", "root_cause"):
        assert found(store.search_experiences("clock", 5, axis=axis)) == [EXPERIENCE]
    calm = EXPERIENCE.model_copy(update={"surprise": "", "goal": "Ship it"})
    asyncio.run(store.record_experience(calm))
    assert found(store.search_experiences("clock", 5, axis="surprise")) == []
    assert found(store.search_experiences("ship", 5)) == [calm]


def test_an_experience_is_found_by_domain_strategy_and_outcome(store: LearningStore):
    """All that are passed must hold."""
    other = EXPERIENCE.model_copy(update={"id": "ghap_2", "outcome_status": "confirmed"})
    third = EXPERIENCE.model_copy(
        update={"id": "ghap_3", "domain": "feature", "goal": "Test the export"}
    )
    for each in (EXPERIENCE, other, third):
        asyncio.run(store.record_experience(each))
    search = store.search_experiences
    assert found(search("test", 5, domain="debugging", outcome="falsified")) == [EXPERIENCE]
    assert found(search("test", 5, domain="feature")) == [third]
    assert len(found(search("test", 5, strategy="systematic-elimination"))) == 3
    assert found(search("test", 5, domain="refactoring")) == []


@pytest.mark.parametrize("name", ["surprise", "root_cause", "lesson"])
def test_what_is_not_known_of_an_experience_may_be_none(store: LearningStore, name: str):
    """As the optional fields of other programs are."""
    unknown = Experience.model_validate({**dict(EXPERIENCE), name: None})
    assert getattr(unknown, name) == ""
    asyncio.run(store.record_experience(unknown))
    assert found(store.search_experiences("flaky", 5)) == [unknown]


def test_a_mistake_in_a_search_of_experiences_is_an_error(store: LearningStore):
    """It found nothing before, as if nothing had been learned."""
    asyncio.run(store.record_experience(EXPERIENCE))
    search: Any = store.search_experiences
    with pytest.raises(ContextError, match=r"found 'domian'. Valid: .*mean 'domain'"):
        asyncio.run(search("test", 5, domian="debugging"))
    for call in (search("test", 5, axis="causes"), store.derive_values("causes")):  # type: ignore[arg-type]  # a mistake
        with pytest.raises(ContextError, match=r"'causes'. Valid: full, strategy, surprise, root_"):
            asyncio.run(call)


def test_code_and_commits_are_indexed_and_found(store: LearningStore, tmp_path: Path):
    """A unit of code with its place, a commit with its files."""
    text = 'import os\n\ndef now(zone):\n    """The time in a zone."""\n    return 1\n'
    root = written(tmp_path / "project", {"src/clock.py": text})
    repository(root, [Made(b"Freeze the clock\n\nIt ran.", {b"src/clock.py": b"x\n"})])
    assert len(asyncio.run(store.index_code(root, include=("src",))).added) == 1
    assert len(asyncio.run(store.index_commits(root)).added) == 1
    unit, rest = found(store.search_code("time zone", 5))
    assert (rest.unit_type, rest.signature) == ("code", "import os")
    assert (unit.unit_type, unit.qualified_name, unit.start_line) == ("function", "now", 3)
    assert (unit.file_path, unit.language) == ("src/clock.py", "python")
    assert unit.docstring == '"""The time in a zone."""'
    (commit,) = found(store.search_commits("freeze", 5))
    assert (commit.author, commit.files_changed) == ("Ann", ("src/clock.py",))
    assert (commit.message, commit.insertions) == ("Freeze the clock\n\nIt ran.", 1)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("import os\n\n\ndef now(zone):\n    return clock[zone]\n", "def now(zone):\n    return clock[zone]"),
        (
            "class Clock:\n    # Hands move.\n    def now(self):\n        return 1\n",
            "# Hands move.\ndef now(self):\n    return 1",
        ),
    ],
)  # fmt: skip
def test_a_context_has_code_with_its_body(
    store: LearningStore, tmp_path: Path, text: str, shown: str
):
    """A test without a docstring would be a bare name; a method begins at the margin, as it is quoted alone."""
    root = written(tmp_path / "project", {"clock.py": text})
    asyncio.run(store.index_code(root))
    assembler = ContextAssembler(store.searcher())
    context = asyncio.run(assembler.assemble_context("now", ["code"]))
    assert f"```python\n{shown}\n```" in context.markdown


def test_every_function_and_method_of_a_file_is_found_as_itself(
    store: LearningStore, tmp_path: Path
):
    """Also where they are short; a method is named after its class."""
    text = "class Clock:\n    def wind(self):\n        pass\n\n    def stop(self):\n        pass\n"
    root = written(tmp_path / "project", {"clock.py": f"{text}\n\ndef repair(clock):\n    pass\n"})
    asyncio.run(store.index_code(root))
    for word, name in (("wind", "Clock.wind"), ("stop", "Clock.stop"), ("repair", "repair")):
        assert found(store.search_code(word, 5))[0].qualified_name == name
    context = asyncio.run(ContextAssembler(store).assemble_context("clock", ["code"]))
    assert context.sources_used == {"code": 4}


def test_values_are_derived_from_what_experiences_have_in_common(store: LearningStore):
    """The same experiences give the same values, and a run that derives fewer deletes none."""
    causes = ["Time zone of the clock", "The clock of the time zone", "Clock and time zone"]
    causes += ["No memory left on the disk", "The disk has no memory left", "A full disk"]
    for number, cause in enumerate(causes):
        one = EXPERIENCE.model_copy(update={"id": f"g{number}", "root_cause": cause})
        asyncio.run(store.record_experience(one))
    values = asyncio.run(store.derive_values(most=2))
    assert [each.cluster_size for each in values] == [3, 3]
    assert {frozenset(each.experience_ids) for each in values} == {
        frozenset({"g0", "g1", "g2"}),
        frozenset({"g3", "g4", "g5"}),
    }
    assert asyncio.run(store.derive_values(most=2)) == values
    assert asyncio.run(store.derive_values(most=0)) == []
    (one,) = asyncio.run(store.derive_values(most=1))
    assert one.cluster_size == 6
    assert {each.id for each in found(store.search_values("clock disk", 9))} == {
        one.id,
        *(each.id for each in values),
    }
    again = EXPERIENCE.model_copy(update={"id": "g6", "root_cause": "The clock and its time zone"})
    asyncio.run(store.record_experience(again))
    larger = asyncio.run(store.derive_values(most=2))
    assert {each.cluster_size for each in larger} == {4, 3}
    kept = {each.id for each in found(store.search_values("clock disk", 9))}
    assert {each.id for each in larger} <= kept
    assert len(kept) == 3


THEMES = {
    "clock": ("time zone", "The tests assume the time zone of the developer."),
    "disk": ("disk", "The disk of the build machine was full."),
    "lock": ("lock", "Two threads took the same locks in another order."),
}
PHRASES = (
    "{}", "Again: {}", "It was found late that {}", "We saw it in the log: {}",
)  # fmt: skip


def test_a_value_is_a_line_of_what_experiences_have_in_common(store: LearningStore):
    """It was one experience word for word, and three themes made eight values."""
    for name, (_, cause) in THEMES.items():
        for n, phrase in enumerate(PHRASES):
            said = phrase.format(cause[0].lower() + cause[1:])
            one = EXPERIENCE.model_copy(update={"id": f"{name}{n}", "root_cause": said})
            asyncio.run(store.record_experience(one))
    values = asyncio.run(store.derive_values())
    assert len(values) == 3
    for value in values:
        (name,) = {each[:-1] for each in value.experience_ids}
        assert THEMES[name][0] in value.text
        assert value.text.endswith("(4 experiences of debugging, 4 falsified)")
        assert "\n" not in value.text
        assert "Hypothesis" not in value.text

    async def written(experiences: Sequence[Experience]) -> str:
        return f"{len(experiences)} of {experiences[0].domain}"

    said = asyncio.run(store.derive_values(principle=written))
    assert {each.text for each in said} == {"4 of debugging"}


def test_what_is_forgotten_is_certified(store: LearningStore, place: str | Path):
    """On a server other processes may read it for half a minute."""
    asyncio.run(store.record_memory(MEMORY))
    asyncio.run(store.record_experience(EXPERIENCE))
    gone = asyncio.run(store.forget("m1", "ghap_1", "nothing"))
    assert gone.removed == {"memories": ("m1",), "experiences": ("ghap_1",)}
    assert gone.unknown == ("nothing",)
    assert (gone.remains_until is None) == isinstance(place, Path)
    assert MEMORY.content not in repr(gone)
    assert found(store.search_memories("UTC", 5)) == []
    assert asyncio.run(store.forget_memory("m1")).documents == 0


def test_other_repositories_and_what_holds_for_all_are_read_where_they_are_named(
    place: str | Path, tmp_path: Path
):
    """And not where they are not."""
    whole = LearningStore.open(place, workspace="global")
    asyncio.run(whole.record_memory(Memory(id="g", content="All clocks run in UTC.")))
    api = LearningStore.open(place, workspace="api")
    root = written(tmp_path / "api", {"clock.py": "def wind_clock():\n    return 1\n"})
    asyncio.run(api.index_code(root))
    mine = LearningStore.open(place, workspace="web", also=["api", "global"])
    asyncio.run(mine.record_memory(Memory(id="m", content="The clock of the page is local.")))
    assert {each.id for each in found(mine.search_memories("clock", 9))} == {"global:g", "m"}
    assert found(mine.search_code("wind clock", 9))[0].qualified_name == "wind_clock"
    assert len(found(mine.search_memories("clock", 1))) == 1
    alone = LearningStore.open(place, workspace="web")
    assert {each.id for each in found(alone.search_memories("clock", 9))} == {"m"}
    assert found(alone.search_code("wind clock", 9)) == []
    for each in (whole, api, mine, alone):
        each.close()


SECRETS = {
    "ghp_0123456789abcdefghij0123456789abcdefghij": "0123456789abcdefghij",
    "postgres://ann:hunter2hunter2@db/prod": "hunter2",
    "api_key = 9f8e7d6c5b4a39281706": "9f8e7d6c5b4a",
}


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_never_stored(store: LearningStore, place: str | Path, secret: str):
    word = SECRETS[secret]
    asyncio.run(store.record_memory(Memory(id="m1", content=f"Log in with {secret} here.")))
    one = EXPERIENCE.model_copy(update={"id": "e"})
    told = Experience(**{**one.model_dump(), "action": f"Used {secret} there."})
    asyncio.run(store.record_experience(told))
    (memory,) = found(store.search_memories("log in", 5))
    assert "[redacted: " in memory.content
    assert memory.content.startswith("Log in with ")
    assert memory.content.endswith(" here.")
    assert word not in told.action
    store.close()
    if isinstance(place, Path):
        files = [each.read_bytes() for each in place.rglob("*") if each.is_file()]
        assert files
        assert not any(word.encode() in each for each in files)


def test_another_workspace_of_the_same_place_finds_nothing(
    store: LearningStore, place: str | Path, tmp_path: Path
):
    """Whatever it asks, and whatever it writes."""
    root = repository(tmp_path / "project", [Made(b"One", {b"a.py": b"def one(): ...\n"})])
    written(root, {"a.py": "def one(): ...\n"})
    for call in (
        store.record_memory(MEMORY),
        store.record_value(VALUE),
        store.record_experience(EXPERIENCE),
        store.index_code(root),
        store.index_commits(root),
    ):
        asyncio.run(call)
    other = LearningStore.open(place, workspace="other")
    assembler = ContextAssembler(other)
    assert asyncio.run(assembler.assemble_context("clock one", TYPES)).markdown == ""
    assert asyncio.run(assembler.get_premortem_context("debugging")).markdown == ""
    assert asyncio.run(other.derive_values()) == []
    asyncio.run(other.record_memory(Memory(id="m1", content="Ours")))
    assert found(store.search_memories("UTC", 5))[0].content == MEMORY.content
    other.close()


names = st.sampled_from(["m1", "m2", "m3"])
words = st.sampled_from(["tea", "bread", "clock"])


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(writes=st.lists(st.tuples(st.sampled_from(["a", "b"]), names, words), max_size=8))
def test_two_workspaces_never_meet(tmp_path_factory: pytest.TempPathFactory, writes: list):
    """Each finds what it wrote last under each id, and nothing else."""
    place = tmp_path_factory.mktemp("two")
    stores = {name: LearningStore.open(place, workspace=name) for name in "ab"}
    known: dict[str, dict[str, str]] = {"a": {}, "b": {}}
    for who, name, word in writes:
        asyncio.run(
            stores[who].record_memory(Memory(id=name, content=f"{word} of {who} as {name}"))
        )
        known[who][name] = f"{word} of {who} as {name}"
    for who, store in stores.items():
        hits = asyncio.run(store.search_memories("tea bread clock of a b", 9))
        assert {hit.item.id: hit.item.content for hit in hits} == known[who]
        assert all(isinstance(hit, RelevantItem) and 0 <= hit.relevance <= 1 for hit in hits)
        store.close()


def test_a_premortem_of_an_unknown_domain_names_those_of_the_store(store: LearningStore):
    asyncio.run(store.record_experience(EXPERIENCE))
    asyncio.run(store.record_value(Value(id="v", text="Suspect the clock first.")))
    assembler = ContextAssembler(store.searcher())
    found = asyncio.run(assembler.get_premortem_context("nope", "guessing"))
    assert (found.markdown, found.notes) == (
        "",
        (
            "domain: no experience has this: found 'nope'. Valid: debugging",
            "strategy: no experience has this: found 'guessing'. Valid: systematic-elimination",
        ),
    )
    assert asyncio.run(assembler.get_premortem_context("Debugging")).notes == ()
    assert asyncio.run(store.domains()) == ["debugging"]
