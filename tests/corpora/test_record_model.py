"""A model of any fields is a record, and the record is that model again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, strategies as st
from pydantic import Field

from biblicus_context.corpora import ModelStore, RecordModel
from biblicus_context.testing.memory_store import InMemoryStore


class Attempt(RecordModel):
    record_kind = "attempt"

    id: str
    domain: str
    surprise: str = ""
    steps: tuple[str, ...] = ()
    trust: float = Field(default=0.5, alias="importance")
    more: Mapping[str, str] = Field(default_factory=dict, alias="metadata")

    def views(self) -> dict[str, str]:
        return {"domain": self.domain, "surprise": self.surprise}


LAMP = Attempt(id="lamp", domain="light", surprise="It was the clock.", steps=("a", "b"))
CUP = Attempt(id="cup", domain="clay", surprise="The clay was wet.")


@pytest.fixture
def attempts() -> Iterator[ModelStore[Attempt]]:
    store = ModelStore.open(InMemoryStore(), Attempt)
    asyncio.run(store.put([LAMP, CUP], "acme"))
    yield store
    store.close()


@given(
    domain=st.text(min_size=1, max_size=9),
    steps=st.lists(st.text(max_size=5), max_size=3),
    trust=st.floats(0, 1),
    more=st.dictionaries(st.sampled_from("xyz"), st.text(max_size=5)),
)
def test_a_record_is_the_model_again(domain: str, steps: list, trust: float, more: dict):
    """Whatever its fields are, and whatever metadata it has besides."""
    model = Attempt(id="a", domain=domain, steps=tuple(steps), trust=trust, more=more)
    record = model.as_record()
    assert Attempt.of_record(record) == model
    assert (record.kind, record.importance) == ("attempt", trust)
    assert record.metadata["domain"] == domain
    assert [part.metadata for part in record.parts] == [{"view": "domain"}]


def test_a_view_is_searched_by_itself(attempts: ModelStore[Attempt]):
    """The same words in another view do not count, and other filters still hold."""
    best, _ = asyncio.run(attempts.search("clock", "acme", view="surprise"))
    assert (best.model, best.text) == (LAMP, "It was the clock.")
    both = {"metadata": {"domain": "clay"}}
    (found,) = asyncio.run(attempts.search("clock", "acme", view="surprise", filters=both))
    assert found.model == CUP
    assert asyncio.run(attempts.search("clock", "acme", view="none")) == []


def test_relevant_models_come_once_with_figures_that_fall(attempts: ModelStore[Attempt]):
    """Also if several of their views match."""
    found = asyncio.run(attempts.relevant("the clock light", "acme", limit=9))
    assert {each.item.id for each in found} == {"lamp", "cup"}
    assert len(found) == 2
    assert 1 >= found[0].relevance >= found[1].relevance >= 0
    assert asyncio.run(attempts.relevant("clock", "globex", limit=9)) == []


def test_a_changed_field_changes_metadata_and_views(attempts: ModelStore[Attempt]):
    """The other fields stay."""
    assert asyncio.run(attempts.update("lamp", "acme", surprise="A fuse."))
    changed = LAMP.model_copy(update={"surprise": "A fuse."})
    assert asyncio.run(attempts.get("lamp", "acme")) == [changed]
    best = asyncio.run(attempts.search("fuse", "acme", view="surprise"))[0]
    assert (best.model, best.text) == (changed, "A fuse.")


def test_one_write_adds_and_removes(attempts: ModelStore[Attempt]):
    """`put_many` writes more than a batch, and `ids` lists what meets filters."""
    many = [Attempt(id=f"n{number:04}", domain="many") for number in range(1_001)]
    asyncio.run(attempts.put_many(many, "acme"))
    of_domain = {"metadata": {"domain": "many"}}
    assert asyncio.run(attempts.ids("acme", of_domain)) == [each.id for each in many]
    asyncio.run(attempts.put([], "acme", remove=[each.id for each in many]))
    assert asyncio.run(attempts.ids("acme")) == ["cup", "lamp"]
    assert asyncio.run(attempts.ids("globex")) == []


def test_similar_models_are_a_cluster(attempts: ModelStore[Attempt]):
    """Compared by the texts of one view."""
    third = Attempt(id="oven", domain="heat", surprise="The clock was it.")
    asyncio.run(attempts.put([third], "acme"))
    clusters = asyncio.run(attempts.clusters("acme", view="surprise", most=2))
    assert [{each.id for each in found.members} for found in clusters] == [{"lamp", "oven"}]
    assert asyncio.run(attempts.clusters("globex")) == []
