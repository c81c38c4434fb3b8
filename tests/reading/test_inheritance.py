"""A retriever that is like another one of its file has that one's settings, except its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.reading import PlanDocument, load_project, read_documents
from biblicus_context.reading.load import read_drafts
from biblicus_context.spec.retriever import RetrieverDeclaration
from tests.pace import within
from tests.reading.passing import passed_on

BASE = """\
kind: retriever
name: found
corpus: handbook
config: {retriever_id: hybrid, limit: 5, filters: {kind: page, metadata: {status: open}}}
"""


def _declared(text: str) -> dict[str, RetrieverDeclaration]:
    found = read_documents(text, "plan.yaml")
    assert not [each for each in found if isinstance(each, LoadError)], found
    return {
        each.declaration.name: each.declaration
        for each in found
        if isinstance(each, PlanDocument) and isinstance(each.declaration, RetrieverDeclaration)
    }


def _like(*lines: str) -> RetrieverDeclaration:
    return _declared("\n".join([f"{BASE}---", "kind: retriever", "name: other", *lines]))["other"]


def test_what_is_not_set_is_taken_over():
    base = _declared(BASE)["found"]
    assert _like("like: found") == base.model_copy(update={"name": "other"})


def test_a_setting_replaces_the_whole_value():
    other = _like("like: found", "config: {filters: {kind: note}, query: x}")
    assert other.config == {
        **_declared(BASE)["found"].config,
        "filters": {"kind": "note"},
        "query": "x",
    }


def test_null_sets_a_setting_to_nothing():
    other = _like("like: found", "corpus: null", "config: {filters: null}")
    assert other.corpus is None
    assert other.config["filters"] is None


@pytest.mark.parametrize(
    ("base", "own"),
    [("corpus: a", "config: {corpus: b}"), ("config: {corpus: a}", "corpus: b")],
)
def test_a_corpus_replaces_one_that_is_written_in_the_other_place(base, own):
    text = f"kind: retriever\nname: x\n{base}\n---\nkind: retriever\nname: other\nlike: x\n{own}\n"
    other = _declared(text)["other"]
    assert other.config.get("corpus", other.corpus) == "b"
    assert None in (other.corpus, other.config.get("corpus"))


def test_neither_the_order_nor_the_length_of_a_chain_matters():
    documents = [
        f"kind: retriever\nname: r{at}\nlike: r{at + 1}\nconfig: {{}}\n" for at in range(3_000)
    ]
    text = "---\n".join([*documents, "kind: retriever\nname: r3000\nconfig: {limit: 7}\n"])
    with within(10):
        assert _declared(text)["r0"].config == {"limit": 7}


COMBINED = """\
---
kind: retriever
name: all
config:
  retriever_id: combined
  of:
    - {name: live, weight: 2}
    - {name: pages, like: found, limit: 9}
    - {like: found, corpus: tickets, filters: null, guarantee: 1}
"""


def test_a_source_takes_over_the_corpus_and_the_settings():
    declared = _declared(BASE + COMBINED)
    base = declared["found"]
    assert declared["all"].config["of"] == [
        {"name": "live", "weight": 2},
        {"corpus": "handbook", **base.config, "name": "pages", "limit": 9},
        {**base.config, "corpus": "tickets", "filters": None, "guarantee": 1},
    ]


def test_a_source_of_a_source_takes_over_settings():
    inner = "{name: inner, retriever_id: combined, of: [{name: pages, like: found}]}"
    text = f"kind: retriever\nname: x\nconfig: {{retriever_id: combined, of: [{inner}]}}\n"
    (source,) = _declared(f"{BASE}---\n{text}")["x"].config["of"]
    assert source["of"][0]["limit"] == 5


def test_a_retriever_that_is_like_a_combined_one_has_its_sources():
    text = f"{BASE}{COMBINED}---\nkind: retriever\nname: more\nlike: all\nconfig: {{limit: 3}}\n"
    declared = _declared(text)
    assert declared["more"].config == {**declared["all"].config, "limit": 3}


def test_sources_of_a_retriever_that_is_not_combined_are_left_to_it():
    text = "kind: retriever\nname: x\nconfig: {of: [{like: y}]}\n"
    assert _declared(text)["x"].config == {"of": [{"like": "y"}]}


def test_a_value_that_a_source_takes_over_keeps_its_place():
    found = read_documents(BASE + COMBINED, "plan.yaml")
    assert found[1].tree.at(["config", "of", 1, "filters", "kind"]).place == (4, 58)
    assert found[1].tree.at(["config", "of", 1, "corpus"]).place == (3, 9)


SETTINGS = st.dictionaries(
    st.sampled_from(["query", "filters", "rank", "corpus", "more"]),
    st.one_of(
        st.none(), st.text("ab", max_size=3), st.dictionaries(st.just("k"), st.integers(0, 9))
    ),
)


@st.composite
def sources(draw: st.DrawFn, names: list[str], deep: bool = True) -> list[Any]:
    """Sources of a combined retriever; each that has settings may be like one of these names."""
    found: list[Any] = []
    for at in range(draw(st.integers(1, 3))):
        source: dict[str, Any] = {"name": f"s{at}", **draw(SETTINGS)}
        source["retriever_id"] = draw(
            st.sampled_from(["hybrid", "combined"] if deep else ["hybrid"])
        )
        if source["retriever_id"] == "combined":
            source["of"] = draw(sources(names, deep=False))
        if names and draw(st.booleans()):
            source["like"] = draw(st.sampled_from(names))
        found.append(draw(st.sampled_from([source, f"s{at}"])))
    return found


@st.composite
def alike(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Retrievers in any order, each of which may be like one that is not like it."""
    documents: list[dict[str, Any]] = []
    for at in range(draw(st.integers(1, 6))):
        document: dict[str, Any] = {"kind": "retriever", "name": f"r{at}"}
        if at and draw(st.booleans()):
            document["like"] = f"r{draw(st.integers(0, at - 1))}"
        if draw(st.booleans()):
            document["corpus"] = draw(st.sampled_from(["one", "two", None]))
        if draw(st.booleans()):
            document["config"] = draw(SETTINGS.filter(lambda each: "query" not in each))
        if draw(st.booleans()):
            own = {"retriever_id": "combined", "of": draw(sources([f"r{n}" for n in range(at)]))}
            document["config"] = {**document.get("config", {}), **own}
        documents.append(document)
    return draw(st.permutations(documents))


def _written_out(name: str, documents: list[dict[str, Any]]) -> dict[str, Any]:
    own = next(each for each in documents if each["name"] == name)
    base = _written_out(own["like"], documents) if "like" in own else {}
    settings = own.get("config", {})
    settings = {**settings, **_with_sources(settings, documents)}
    if "corpus" in own or "corpus" in settings:
        base = {
            "config": {key: each for key, each in base.get("config", {}).items() if key != "corpus"}
        }
    return {
        "name": name,
        **{key: each[key] for each in (base, own) for key in ("corpus",) if key in each},
        "config": {**base.get("config", {}), **settings},
    }


def _with_sources(settings: dict[str, Any], documents: list[dict[str, Any]]) -> dict[str, Any]:
    if "of" not in settings or settings.get("retriever_id") != "combined":
        return {}
    return {"of": [_source(each, documents) for each in settings["of"]]}


def _source(source: Any, documents: list[dict[str, Any]]) -> Any:
    if isinstance(source, str):
        return source
    base = _written_out(source["like"], documents) if "like" in source else {}
    corpus = {"corpus": base["corpus"]} if "corpus" in base else {}
    own = {key: each for key, each in source.items() if key != "like"}
    return {**corpus, **base.get("config", {}), **own, **_with_sources(own, documents)}


def _passed_on(retriever: dict[str, Any]) -> dict[str, Any]:
    config = retriever["config"]
    if not all("retriever_id" in each for each in config.get("of", ["elsewhere"])):
        return {**retriever, "config": passed_on(config, {})}
    corpus = {"corpus": retriever["corpus"]} if "corpus" in retriever else {}
    own = {**corpus, **config}
    return {"name": retriever["name"], "config": passed_on(own, {})}


@given(alike())
def test_retrievers_mean_what_they_mean_written_out(documents):
    text = "\n---\n".join(map(json.dumps, documents))
    for name, declared in _declared(text).items():
        assert declared == RetrieverDeclaration(**_passed_on(_written_out(name, documents)))


def test_a_value_keeps_its_place():
    found = read_documents(f"{BASE}---\nkind: retriever\nname: other\nlike: found\n", "plan.yaml")
    tree = found[1].tree
    assert tree.at(["config", "limit"]).place == (4, 39)
    assert tree.root.place.line == 6


def test_a_retriever_of_another_file_cannot_be_named(tmp_path):
    (tmp_path / "a.yaml").write_text("kind: retriever\nname: found\n")
    (tmp_path / "b.yaml").write_text("kind: retriever\nname: other\nlike: found\n")
    with pytest.raises(LoadError) as raised:
        load_project(tmp_path)
    assert str(raised.value) == (
        f"{tmp_path / 'b.yaml'}:3:7: this file declares no such retriever: found 'found'. "
        "'like' names another retriever of the same file."
    )


def test_a_retriever_that_cannot_be_read_is_one_error():
    broken = f"{BASE}corpus: handbook\n"
    found = read_documents(f"{broken}---\nkind: retriever\nname: other\nlike: found\n", "plan.yaml")
    assert [each.line for each in found] == [5]


def test_of_a_retriever_that_is_like_an_unknown_one_only_its_name_is_known():
    _, draft = read_drafts("kind: retriever\nname: a\nlike: b\nconfig: {limit: 3}\n", "plan.yaml")
    assert isinstance(draft, PlanDocument)
    assert draft.lost == {"corpus", "config"}


def test_many_names_are_not_all_listed():
    documents = [f"kind: retriever\nname: r{at}\nlike: s{at}\n" for at in range(1_000)]
    with within(10):
        found = read_documents("---\n".join(documents), "plan.yaml")
    assert max(len(str(each)) for each in found) < 400


SOURCES = ", ".join(["{retriever_id: hybrid, like: a}"] * 10_000)


@pytest.mark.parametrize(
    "copies",
    [
        [f"kind: retriever\nname: c{at}\nlike: a\n" for at in range(5_000)],
        [f"kind: retriever\nname: c\nconfig: {{retriever_id: combined, of: [{SOURCES}]}}\n"],
    ],
    ids=["retrievers", "sources"],
)
def test_a_small_file_does_not_become_a_large_plan(tmp_path, copies):
    settings = ", ".join(f"k{at}: {at}" for at in range(2_000))
    base = f"kind: retriever\nname: a\nconfig: {{{settings}}}\n"
    (tmp_path / "plan.yaml").write_text("---\n".join([base, *copies]))
    with within(20), pytest.raises(LoadError) as raised:
        load_project(tmp_path)
    assert not isinstance(raised.value, ProjectError)
    assert "'like' takes over more than 100,000 keys and values in this file" in str(raised.value)
    assert raised.value.mistake == "too-many-values"
