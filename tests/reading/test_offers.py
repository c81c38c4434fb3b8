"""What editors offer under the settings of a retriever: every key, with words, and nothing is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft7Validator
from pydantic import BaseModel

from biblicus_context.base.registry import Registry
from biblicus_context.corpora.search.rankers.registry import RETRIEVERS
from biblicus_context.retrieval.fusion import FUSIONS
from biblicus_context.retrieval.rank import COMPONENTS
from biblicus_context.retrieval.select import SELECTIONS
from biblicus_context.spec.choosing import ItemCapSpec, MinScoreSpec
from biblicus_context.spec.filters import FilterSpec
from biblicus_context.spec.retriever import COMBINED
from generators.schemas.documents import schemas

SCHEMA = schemas()["retriever"]
CONFIG = SCHEMA["properties"]["config"]
VALIDATOR = Draft7Validator(SCHEMA)
IDS = [*RETRIEVERS.entries]


def offered(retriever_id: str) -> dict[str, Any]:
    """The settings that an editor completes next to this id."""
    found = dict(CONFIG["properties"])
    for rule in CONFIG["allOf"]:
        if retriever_id in rule["if"]["properties"]["retriever_id"]["enum"]:
            found |= rule["then"]["properties"]
    return found


def settings_of(entry: object) -> Iterator[str]:
    if isinstance(entry, type) and issubclass(entry, BaseModel):
        yield from (field.alias or name for name, field in entry.model_fields.items())


def parts(family: Registry[Any]) -> list[Any]:
    return [pytest.param(word, each, id=word) for word, each in family.entries.items()]


def of_type(schema: Mapping[str, Any], word: str) -> dict[str, Any]:
    """The settings that an editor completes next to `type: word`."""
    for rule in schema["allOf"]:
        if word in rule["if"]["properties"]["type"]["enum"]:
            return dict(rule["then"]["properties"])
    return {}


every_retriever = pytest.mark.parametrize("retriever_id", [*IDS, COMBINED])


@every_retriever
@pytest.mark.parametrize(
    ("setting", "model"),
    [("filters", FilterSpec), ("min_score", MinScoreSpec), ("item_cap", ItemCapSpec)],
)
def test_every_key_of_a_setting_is_offered_with_words(
    retriever_id: str, setting: str, model: type[BaseModel]
) -> None:
    shown = offered(retriever_id)[setting]["properties"]
    assert {*shown} == {*settings_of(model)}
    assert all(each["description"] for each in shown.values())


def test_what_is_in_a_filter_is_offered_as_well() -> None:
    shown = offered("hybrid")["filters"]["properties"]
    assert {*shown["updated"]["properties"]} == {"from", "before", "to", "within"}
    assert {*shown["tags"]["properties"]} == {"any", "all"}
    assert {*shown["metadata"]["additionalProperties"]["properties"]} == {"in", "from", "to"}


@every_retriever
@pytest.mark.parametrize(("word", "entry"), parts(COMPONENTS))
def test_every_component_of_a_ranking_is_offered_with_its_settings(
    retriever_id: str, word: str, entry: object
) -> None:
    rank = offered(retriever_id)["rank"]
    assert word in rank["examples"]
    shown = rank["properties"][word]
    assert shown["description"]
    assert {*shown["properties"]} == {"weight", *settings_of(entry)}
    assert all(each["description"] for each in shown["properties"].values())


@pytest.mark.parametrize("retriever_id", ["hybrid", COMBINED])
@pytest.mark.parametrize("setting", ["select", "fusion"])
def test_every_part_is_offered_with_its_settings(retriever_id: str, setting: str) -> None:
    schema = offered(retriever_id)[setting]
    family: Registry[Any] = {"select": SELECTIONS, "fusion": FUSIONS}[setting]
    assert schema["examples"][: len(family.entries)] == [*family.entries]
    for word, entry in family.entries.items():
        assert {*of_type(schema, word)} == {*settings_of(entry)}
        assert all(each["description"] for each in of_type(schema, word).values())


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "weight", "kind", "knapsack"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)


@given(
    st.sampled_from([*IDS, COMBINED]),
    st.sampled_from(["filters", "rank", "select", "fusion", "min_score", "item_cap", "dedupe"]),
    ANYTHING,
)
def test_nothing_is_refused_as_retrievers_of_other_libraries_have_the_same_names(
    retriever_id: str, setting: str, value: object
) -> None:
    document = {"kind": "retriever", "name": "a", "config": {"retriever_id": retriever_id}}
    assert VALIDATOR.is_valid(document)
    document["config"][setting] = value  # type: ignore[index]
    assert VALIDATOR.is_valid(document)
