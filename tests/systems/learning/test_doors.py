"""Every method without `await`, lists a page at a time, deletion of each thing with a certificate, a floor for a call."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import InputError
from biblicus_context.systems.learning import (
    ContextAssembler,
    Experience,
    LearningStore,
    Memory,
    RelevantItem,
    SynchronousContextAssembler,
    SynchronousLearningStore,
)
from tests.ingest.build import written
from tests.systems.learning.build import EXPERIENCE, TYPES, VALUE

FOREIGN = "How do I prune tomato plants?"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LearningStore]:
    opened = LearningStore.open(tmp_path / "learning", workspace="acme")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("asynchronous", "synchronous"),
    [(LearningStore, SynchronousLearningStore), (ContextAssembler, SynchronousContextAssembler)],
)
def test_every_async_method_is_there_without_await_and_with_the_same_arguments(
    asynchronous: type, synchronous: type
):
    methods = {
        name: each
        for name, each in vars(asynchronous).items()
        if inspect.iscoroutinefunction(each) and not name.startswith("_")
    }
    assert len(methods) > 1
    for name, each in methods.items():
        own = inspect.signature(getattr(synchronous, name)).parameters
        assert own == inspect.signature(each).parameters


def test_memories_are_listed_a_page_at_a_time_by_tags_and_metadata(store: LearningStore):
    for number in range(5):
        kind, tags = ("decision", ("release",)) if number % 2 else ("fact", ())
        memory = Memory(id=f"m{number}", content=f"Fact {number}.", category=kind, tags=tags)
        store.sync.record_memory(memory)
    first = store.sync.list_memories(limit=3)
    assert [each.id for each in first.items] == ["m0", "m1", "m2"]
    rest = store.sync.list_memories(after=first.next, limit=3)
    assert ([each.id for each in rest.items], rest.next) == (["m3", "m4"], None)
    tagged = store.sync.list_memories({"tags": ["release"]})
    assert [(each.id, each.tags) for each in tagged.items] == [
        ("m1", ("release",)),
        ("m3", ("release",)),
    ]
    assert len(store.sync.list_memories({"metadata": {"category": "fact"}}).items) == 3


def test_experiences_and_values_are_listed_by_their_fields(store: LearningStore):
    store.sync.record_experience(EXPERIENCE)
    store.sync.record_value(VALUE)
    assert store.sync.list_experiences({"metadata": {"domain": "debugging"}}).items == [EXPERIENCE]
    assert store.sync.list_experiences({"metadata": {"domain": "feature"}}).items == []
    assert [each.id for each in store.sync.list_values().items] == [VALUE.id]


def test_a_tag_with_a_secret_is_stored_without_it():
    memory = Memory(id="m", content="x", tags=("ghp_0123456789abcdefghij0123456789abcdefghij",))
    assert memory.tags == ("[redacted: a GitHub token]",)


def traces(folder: Path, word: bytes) -> list[str]:
    return [e.name for e in folder.rglob("*") if e.is_file() and word in e.read_bytes()]


def test_code_of_a_repository_is_forgotten_with_a_certificate(store: LearningStore, tmp_path: Path):
    files = {"clock.py": "def xylophone():\n    return 1\n", "tea.py": "def tea():\n    return 2\n"}
    root = written(tmp_path / "project", files)
    store.sync.index_code(root)
    assert store.sync.list_code() == ["clock.py", "tea.py"]
    gone = store.sync.forget_code("clock.py", "nowhere.py")
    assert (gone.removed, gone.unknown) == ({"code": ("clock.py",)}, ("nowhere.py",))
    assert store.sync.list_code() == ["tea.py"]
    assert traces(tmp_path / "learning", b"xylophone") == []
    store.sync.index_code(root)
    assert store.sync.list_code() == ["clock.py", "tea.py"]
    assert store.sync.forget_code().removed == {"code": ("clock.py", "tea.py")}
    assert store.sync.list_code() == []
    assert traces(tmp_path / "learning", b"xylophone") == []


def test_a_workspace_is_forgotten_as_a_whole_and_no_other_one(store: LearningStore, tmp_path: Path):
    other = LearningStore.open(tmp_path / "learning", workspace="globex")
    for each in (store, other):
        each.sync.record_memory(Memory(id="m", content="A xylophone."))
    store.sync.record_experience(EXPERIENCE)
    gone = store.sync.forget_workspace()
    assert gone.removed == {"memories": ("m",), "experiences": (EXPERIENCE.id,)}
    assert store.sync.list_memories().items == []
    assert [each.id for each in other.sync.list_memories().items] == ["m"]
    other.close()


def remembered(store: LearningStore) -> ContextAssembler:
    facts = ("Tests run in UTC.", "Releases are cut on Tuesdays.", "Log lines are JSON.")
    for number, each in enumerate(facts * 4):
        store.sync.record_memory(Memory(id=f"m{number}", content=f"{each} ({number})"))
    return ContextAssembler(store.searcher())


def test_an_answer_has_a_verdict_and_a_call_its_own_floor(store: LearningStore):
    assembler = remembered(store).sync
    found = assembler.assemble_context("On which day do we cut releases?", ["memories"])
    assert found.verdict in ("found", "weak")
    nothing = assembler.assemble_context(FOREIGN, TYPES)
    assert (nothing.items, nothing.verdict) == ((), "nothing")
    assert assembler.assemble_context(FOREIGN, ["memories"], floor=None).items
    assert not assembler.assemble_context("releases", ["memories"], floor={"best": 0.999}).items
    assert not assembler.assemble_context(FOREIGN, TYPES).items  # of that call alone


def test_a_searcher_of_a_program_has_no_floor_of_a_call():
    class Empty:
        async def search_memories(self, query: str, limit: int) -> Sequence[Any]:
            return []

        search_code = search_values = search_commits = search_memories

        async def search_experiences(self, query: str, limit: int, **_: Any) -> Sequence[Any]:
            return []

    assembler = ContextAssembler(Empty()).sync
    assert assembler.assemble_context("tea", TYPES).verdict is None
    with pytest.raises(InputError, match="floor: this searcher decides itself"):
        assembler.assemble_context("tea", TYPES, floor=None)


def test_a_relevance_that_is_not_a_number_is_none():
    class Odd:
        async def search_memories(self, query: str, limit: int) -> Sequence[Any]:
            figures = {"odd": float("nan"), "endless": float("inf"), "usual": 0.5}
            return [RelevantItem(Memory(id=e, content=f"Text {e}."), n) for e, n in figures.items()]

        async def search_code(self, query: str, limit: int) -> Sequence[Any]:
            return []

        search_values = search_commits = search_code

        async def search_experiences(self, query: str, limit: int, **_: Any) -> Sequence[Any]:
            return []

    found = ContextAssembler(Odd()).sync.assemble_context("tea", ["memories"])
    assert {each.metadata["id"]: each.relevance for each in found.items} == {
        "odd": 0.0,
        "endless": 1.0,
        "usual": 0.5,
    }
    assert found.items[-1].metadata["id"] == "odd"


def test_code_of_others_is_not_indexed_unless_it_is_asked_for(store: LearningStore, tmp_path: Path):
    files = {
        "app.py": "def app():\n    return 1\n",
        "node_modules/dep/index.js": "export function dep() {\n  return 1;\n}\n",
        "web/jquery.min.js": "function a(b){return b}\n",
    }
    root = written(tmp_path / "project", files)
    store.sync.index_code(root)
    assert store.sync.list_code() == ["app.py"]
    store.sync.index_code(root, exclude=())
    assert len(store.sync.list_code()) == 3


def test_it_is_written_without_await(store: LearningStore):
    store.sync.record_experience(EXPERIENCE.model_copy(update={"id": "e1"}))
    (found,) = store.sync.search_experiences("flaky", 5, domain="debugging")
    assert isinstance(found.item, Experience)
