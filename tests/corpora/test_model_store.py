"""A typed store writes, finds and relates models, each workspace for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import Field

from biblicus_context import InputError
from biblicus_context.corpora import ModelStore, RecordModel
from biblicus_context.stores import Relation
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.text import Counters

NOW = datetime.now(UTC)


class Note(RecordModel):
    id: str
    words: str = Field(alias="text")
    valid_to: datetime | None = None
    superseded_by: str | None = None


class NoteStore(ModelStore[Note]):
    model = Note
    name = "notes"


@pytest.fixture
def notes() -> Iterator[NoteStore]:
    store = NoteStore.open(InMemoryStore())
    tea, cup = Note(id="tea", words="Green tea is hot."), Note(id="cup", words="A cup of clay.")
    asyncio.run(store.put([tea, cup], "acme"))
    asyncio.run(store.relate(Relation("tea", "cup", "in"), "acme"))
    yield store
    store.close()


def test_what_was_put_comes_back_as_its_model(notes: NoteStore):
    assert asyncio.run(notes.get(["cup", "none"], "acme")) == [
        Note(id="cup", words="A cup of clay.")
    ]
    assert asyncio.run(notes.get(["cup"], "globex")) == []


def test_a_search_says_how_similar_each_model_is(notes: NoteStore):
    best, *rest = asyncio.run(notes.search("hot green tea", "acme"))
    assert (best.model.id, best.text) == ("tea", "Green tea is hot.")
    assert 1 >= best.similarity > max(each.similarity for each in rest) >= 0
    assert asyncio.run(notes.search("hot green tea", "globex")) == []
    assert len(asyncio.run(notes.search("tea", "acme", limit=1))) == 1


def test_a_long_model_comes_back_whole_and_says_what_was_found_of_it(notes: NoteStore):
    words = "\n\n".join(f"Paragraph {n} is about lamp number {n}. " * 12 for n in range(40)).strip()
    asyncio.run(notes.put([Note(id="long", words=words)], "acme"))
    best = asyncio.run(notes.search("lamp number 31", "acme"))[0]
    assert best.model.words == words
    assert "number 31" in best.text
    assert len(best.text) < len(words)
    assert best.is_part


def test_long_models_are_found_whole_if_all_that_is_found_is_within_a_number_of_tokens(
    notes: NoteStore,
):
    words = "\n\n".join(f"Paragraph {n} is about lamp number {n}. " * 12 for n in range(40)).strip()
    asyncio.run(notes.put([Note(id="long", words=words)], "acme"))
    counter = Counters().get("o200k_base")
    search = {"limit": 3, "maximum_items_per_source": 1}
    found = asyncio.run(notes.search("lamp number 31", "acme", **search, whole_within=10_000))
    assert (found[0].text, [each.is_part for each in found]) == (words, [False] * 3)
    enough = counter.count("\n".join(each.text for each in found))
    for tokens, is_part in ((enough, False), (enough - 1, True), (1, True)):
        found = asyncio.run(notes.search("lamp number 31", "acme", **search, whole_within=tokens))
        assert found[0].is_part is is_part
        assert [each.text for each in found[1:]] == [each.model.words for each in found[1:]]


def test_relations_lead_to_what_is_current(notes: NoteStore):
    ((end, arrow),) = asyncio.run(notes.related("cup", "acme"))
    assert (end.id, arrow) == ("tea", Relation("tea", "cup", "in"))
    asyncio.run(notes.update("tea", "acme", valid_to=NOW - timedelta(days=1)))
    assert asyncio.run(notes.related("cup", "acme")) == []
    asyncio.run(notes.update("tea", "acme", valid_to=NOW + timedelta(days=1)))
    assert len(asyncio.run(notes.related("cup", "acme"))) == 1
    asyncio.run(notes.update("tea", "acme", superseded_by="cup"))
    assert asyncio.run(notes.related("cup", "acme")) == []


def test_fields_are_changed_under_their_own_names(notes: NoteStore):
    assert asyncio.run(notes.update("tea", "acme", words="Black tea."))
    assert asyncio.run(notes.get(["tea"], "acme"))[0].words == "Black tea."
    assert not asyncio.run(notes.update("none", "acme", words="x"))
    with pytest.raises(InputError, match=r"'text'\. Valid: words, valid_to, superseded_by"):
        asyncio.run(notes.update("tea", "acme", text="x"))
    with pytest.raises(InputError, match="not a field that can be changed: found 'id'"):
        asyncio.run(notes.update("tea", "acme", id="x"))


def test_what_is_not_a_model_is_refused_and_one_id_is_a_list_of_one(notes: NoteStore):
    with pytest.raises(InputError, match=r"found 'tea'\. Make it with Note\(\.\.\.\)"):
        asyncio.run(notes.put(["tea"], "acme"))
    with pytest.raises(InputError, match="valid_to: "):
        asyncio.run(notes.update("tea", "acme", valid_to="soon"))
    assert [each.id for each in asyncio.run(notes.get("tea", "acme"))] == ["tea"]
    asyncio.run(notes.remove("tea", "acme"))
    assert asyncio.run(notes.get("tea", "acme")) == []


def test_removing_and_clearing_concern_one_workspace(notes: NoteStore):
    asyncio.run(notes.put([Note(id="tea", words="Theirs.")], "globex"))
    asyncio.run(notes.remove(["tea"], "acme"))
    assert len([*notes.export_lines("acme")]) == 1
    asyncio.run(notes.clear("acme"))
    assert [*notes.export_lines("acme")] == []
    assert notes.import_lines(notes.export_lines("globex"), "acme") == 1


@pytest.mark.parametrize("wrong", [None, "tea", ("tea", "cup", "in")])
def test_only_a_relation_relates(notes: NoteStore, wrong):
    with pytest.raises(InputError, match=r"relations\[0\]: a Relation is expected"):
        asyncio.run(notes.relate(wrong, "acme"))


@pytest.mark.parametrize("wrong", [None, 5])
def test_what_is_no_list_is_refused_before_anything_is_done(notes: NoteStore, wrong):
    for call in (notes.get, notes.remove):
        with pytest.raises(InputError, match="ids: a sequence of texts is expected"):
            asyncio.run(call(wrong, "acme"))
    for call in (notes.put, notes.put_many):
        with pytest.raises(InputError, match="models: a sequence of models is expected"):
            asyncio.run(call(wrong, "acme"))
