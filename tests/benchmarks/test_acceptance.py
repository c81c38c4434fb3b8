"""`python -m benchmarks.acceptance`: what a product owner expects of the systems, here in small."""

from __future__ import annotations

import json

import pytest

from benchmarks.acceptance import __main__ as acceptance
from benchmarks.acceptance.figures import HERE, Figure, figure, loaded, sampled, table


def test_every_gold_memory_and_file_exists():
    memories = (HERE / "memory" / "memories.jsonl").read_text("utf-8").splitlines()
    ids = [json.loads(each)["id"] for each in memories]
    paths = [each["path"] for each in loaded("prime/files.yaml")]
    assert len(ids) == len({*ids}) >= 80
    assert len(paths) == len({*paths}) == 60
    assert len(loaded("prime/messages.yaml")) == 30
    for file, known in (("memory", ids), ("prime", paths)):
        asked = loaded(f"{file}/questions.yaml")
        assert len({each["ask"] for each in asked}) == len(asked)
        gold = {name for each in asked for name in each.get("gold", ())}
        assert gold <= {*known}
        assert {*known} - gold  # most of what is known answers nothing that is asked


def test_every_page_that_is_meant_exists():
    pages = {each["id"] for each in loaded("workspace/pages.yaml")}
    asked = loaded("workspace/questions.yaml")
    assert {each["gold"] for each in asked if "gold" in each} <= pages
    assert len({each["ask"] for each in asked}) == len(asked)


def test_a_sample_has_so_many_cases_of_each_kind():
    asked = loaded("memory/questions.yaml")
    assert sampled(asked, None) == asked
    kinds = [each["kind"] for each in sampled(asked, 2)]
    assert all(kinds.count(each) == 2 for each in kinds)


def test_a_line_names_what_is_missed():
    figures = [
        figure("found", [("a", True), ("b", False)]),
        Figure("silent", 9, 10, aim=0.9),
    ]
    lines = [*table("memory", figures, verbose=True)]
    assert lines[0].endswith("aim 100 %  MISSED")
    assert lines[1].strip() == "- b"
    assert lines[2].endswith("aim  90 %")


@pytest.mark.parametrize("system", acceptance.SYSTEMS)
def test_every_figure_of_a_system_has_cases(system: str):
    figures = acceptance.measured(system, "wordllama", most=2)
    assert [each.what for each in figures if not each.of] == []
