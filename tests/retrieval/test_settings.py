"""A retriever's settings shape its requests; a wrong one is an error that says where it stands."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from biblicus_context.errors import PlanError
from biblicus_context.retrieval.requests.settings import RequestSettings, request_settings
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration

HANDBOOK = CorpusDeclaration(
    name="handbook",
    config={"root": "../handbook", "split": "test", "maximum_cache_total_items": 9},
)


def settings(config: dict[str, Any], *, corpus: str | None = "handbook") -> RequestSettings:
    declaration = RetrieverDeclaration(name="kb", corpus=corpus, config=config)
    return request_settings(declaration, {"handbook": HANDBOOK})


def test_a_retriever_without_settings_begins_at_the_start_and_says_no_limit() -> None:
    found = settings({})
    assert (found.query, found.limit, found.offset, found.maximum_total_characters) == (
        None,
        None,
        0,
        None,
    )
    assert found.join_with == "\n\n"


def test_settings_are_read_from_config() -> None:
    found = settings({"query": "{input.q}", "limit": 5, "offset": 2, "join_with": "\n---\n"})
    assert (found.query, found.limit, found.offset, found.join_with) == (
        "{input.q}",
        5,
        2,
        "\n---\n",
    )


def test_a_request_is_told_the_retriever_and_where_its_corpus_is() -> None:
    metadata = settings({"retriever_id": "scan", "language": "de"}).metadata
    assert metadata == {
        "retriever": "kb",
        "corpus": "handbook",
        "retriever_id": "scan",
        "language": "de",
        "corpus_root": "../handbook",
        "split": "test",
        "maximum_cache_total_items": 9,
        "maximum_cache_total_characters": None,
        "maximum_items_per_source": None,
        "include_metadata": False,
        "metadata_fields": None,
        "snapshot_id": None,
        "configuration_name": None,
        "configuration": None,
    }


def test_settings_that_shape_the_request_are_not_repeated_in_its_metadata() -> None:
    metadata = settings({"query": "q", "limit": 1, "pipeline": {"index": {"a": 1}}}).metadata
    assert not metadata.keys() & {"query", "limit", "offset", "pipeline", "index"}


def test_a_corpus_named_in_the_settings_counts_before_the_declared_one() -> None:
    assert settings({"corpus": "handbook"}, corpus="other").metadata["corpus_root"] == "../handbook"


@pytest.mark.parametrize("corpus", [None, "elsewhere"])
def test_a_corpus_that_is_not_declared_has_no_root(corpus: str | None) -> None:
    metadata = settings({}, corpus=corpus).metadata
    assert (metadata["corpus"], metadata["corpus_root"], metadata["split"]) == (
        corpus,
        None,
        "train",
    )


@pytest.mark.parametrize("place", ["pipeline", "configuration"])
def test_settings_under_pipeline_query_are_the_retrievers_own(place: str) -> None:
    pipeline = {"query": {"limit": 7, "maximum_items_per_source": 2, "include_metadata": True}}
    found = settings(
        {"limit": 1, place: pipeline if place == "pipeline" else {"pipeline": pipeline}}
    )
    assert found.limit == 7
    assert found.metadata["maximum_items_per_source"] == 2
    assert found.metadata["include_metadata"] is True


@pytest.mark.parametrize(
    ("config", "configuration"),
    [
        ({}, None),
        ({"configuration": {}}, {}),
        ({"configuration": []}, None),
        ({"configuration": {"chunk_size": 1}, "index": {"chunk_size": 2}}, {"chunk_size": 1}),
        ({"pipeline": {"index": {"chunk_size": 1}}}, {"chunk_size": 1}),
        ({"pipeline": {"query": {"limit": 1}}}, {}),
        ({"index": {"chunk_size": 2}}, {"chunk_size": 2}),
    ],
)
def test_the_index_configuration_is_found_where_biblicus_finds_it(
    config: dict[str, Any], configuration: object
) -> None:
    assert settings(config).metadata["configuration"] == configuration


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": "3"}, "limit"),
        ({"limit": True}, "limit"),
        ({"offset": -1}, "offset"),
        ({"query": ["q"]}, "query"),
        ({"join_with": 5}, "join_with"),
        ({"maximum_total_characters": 0}, "maximum_total_characters"),
        ({"corpus": {"root": "x"}}, "corpus"),
        ({"pipeline": {"query": {"limit": "many"}}}, "limit"),
    ],
)
def test_a_wrong_setting_is_named_with_its_retriever(config: dict[str, Any], setting: str) -> None:
    with pytest.raises(PlanError, match=rf"^retriever 'kb' config: {setting}: .*found"):
        settings(config)


def test_the_declaration_is_not_changed() -> None:
    config = MappingProxyType({"pipeline": {"query": {"limit": 2}}, "limit": 1})
    declaration = RetrieverDeclaration(name="kb", config=config)
    before = declaration.model_dump()
    request_settings(declaration, {})
    assert declaration.model_dump() == before
