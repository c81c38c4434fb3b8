"""Corpus, filters and format of a combined retriever count for each source without its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import LoadError
from biblicus_context.reading import read_documents
from tests.lint.linting import found, only, report_of
from tests.reading.passing import KEYS, passed_on

PLAN = """\
kind: context
name: support
policy: {input_budget: {max_tokens: 2000}}
messages:
  - {type: context, name: pool, format: {fence: true}}
  - {type: user, content: "{input.question}"}
---
kind: corpus
name: handbook
config: {root: handbook}
---
kind: retriever
name: pool
corpus: handbook
config:
  retriever_id: combined
  filters: {kind: page}
  format: {speakers: true}
  of:
    - {retriever_id: hybrid, query: "{input.question}"}
    - {retriever_id: recent, limit: 2}
"""


def _read(document: dict[str, Any]) -> dict[str, Any]:
    (read,) = read_documents(json.dumps(document), "plan.yaml")
    assert not isinstance(read, LoadError), read
    return read.tree.root.value


SETTINGS = st.fixed_dictionaries({}, optional={key: st.sampled_from("ab") for key in KEYS})


def _pools(source: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda settings, sources: {**settings, "retriever_id": "combined", "of": sources},
        SETTINGS,
        st.lists(source, min_size=1, max_size=3),
    )


IN_PLACE = SETTINGS.map(lambda settings: {**settings, "retriever_id": "hybrid"})
SOURCES = IN_PLACE | _pools(IN_PLACE) | st.just("elsewhere") | st.just({"name": "elsewhere"})


@given(_pools(SOURCES))
def test_a_combined_retriever_means_what_it_means_written_out(config):
    read = _read({"kind": "retriever", "name": "pool", "config": config})
    assert read["config"] == passed_on(config, {})


def test_a_corpus_above_the_settings_is_passed_on():
    read = _read(
        {
            "kind": "retriever",
            "name": "pool",
            "corpus": "handbook",
            "config": {"retriever_id": "combined", "of": [{"retriever_id": "hybrid"}]},
        }
    )
    assert "corpus" not in read
    assert read["config"]["of"] == [{"retriever_id": "hybrid", "corpus": "handbook"}]


def test_a_retriever_that_is_like_a_combined_one_passes_on_what_it_sets():
    text = f"{PLAN}---\nkind: retriever\nname: notes\nlike: pool\nconfig: {{filters: {{kind: note}}}}\n"
    notes = read_documents(text, "plan.yaml")[-1].tree.root.value["config"]["of"]
    assert [each["filters"] for each in notes] == [{"kind": "note"}] * 2
    assert {each["corpus"] for each in notes} == {"handbook"}


def test_a_sound_plan_has_no_findings(tmp_path):
    assert report_of(tmp_path, PLAN).findings == ()


@pytest.mark.parametrize(
    ("right", "wrong", "code", "line"),
    [
        ("kind: page}", "kindd: page}", "BC216", 17),
        ("speakers: true", "speakrs: true", "BC216", 18),
        ("corpus: handbook", "corpus: handbok", "BC203", 14),
        ("{kind: page}", '{kind: "{input.kid}"}', "BC403", 17),
    ],
)
def test_a_mistake_is_one_finding_in_its_place(tmp_path, right, wrong, code, line):
    text = PLAN.replace("messages:", "inputs: {question: {type: string}}\nmessages:")
    report = report_of(tmp_path, text.replace(right, wrong))
    assert [each for each in found(report) if each[0] != "BC221"] == [(code, line + 1)]


def test_a_filter_is_never_ignored(tmp_path):
    """A source that is declared elsewhere would be searched without it."""
    elsewhere = (
        "---\nkind: retriever\nname: elsewhere\ncorpus: handbook\nconfig: {retriever_id: hybrid}\n"
    )
    text = PLAN.replace("corpus: handbook\nconfig:\n", "config:\n").replace(
        "  format: {sp", "  # {sp"
    )
    text = text.replace("recent,", "recent, corpus: handbook,").replace(
        "hybrid,", "hybrid, corpus: handbook,"
    )
    finding = only(report_of(tmp_path, f"{text}    - elsewhere\n{elsewhere}"))
    assert (finding.code, finding.place.line) == ("BC216", 16)
    assert finding.problem == (
        "filters: only in a file, and only if every source has a retriever_id: write it next to each"
    )
