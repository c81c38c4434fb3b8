"""What a text says, in whatever field, changes no structure of a context: headings, items, fences, footers."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from benchmarks.attacks import Extent
from benchmarks.attacks.hostile_texts import HARMLESS, HOSTILE
from benchmarks.attacks.structured.said import HEADINGS, Said, marks
from benchmarks.attacks.structures import SYSTEMS, Attempt, attempts, structures
from biblicus_context import ContextAssembler, Corpus, Record
from biblicus_context.retrieval import is_small_talk
from biblicus_context.systems.memory import pack_of_records
from biblicus_context.testing.memory_store import InMemoryStore


def test_a_sample_of_the_campaign_changes_nothing():
    figures = [*structures(Extent(0.02))]
    assert [figure.name for figure in figures if not figure.holds] == []


def test_no_text_is_left_out_as_small_talk():
    assert [each for each in (*HARMLESS, *HOSTILE) if is_small_talk(each)] == []


def test_every_field_of_every_system_is_tried():
    tried = {
        (each.system, *each.texts)
        for each, _ in zip(attempts(Random(1)), range(2_600), strict=False)
    }
    assert {name for name, _ in tried} == {*SYSTEMS}
    assert len(tried) > 50


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_harmless_context_has_marks(system: str):
    assert len(SYSTEMS[system](Said({})).structure) >= 7


def test_a_changed_structure_is_seen():
    pattern = re.compile(HEADINGS)
    harmless = marks("# A\n\nwords\n```\n# code\n```\n", pattern)
    assert harmless.structure == ("# ", "```")
    for text in ("# A\n\n# words", "# A\n\nwords\n---", "# A\u2028## words", "# A\n```\n# b"):
        assert marks(text, pattern) != harmless


@pytest.mark.parametrize("compactor", ["extractive", "truncate", "head_tail", "tail"])
@pytest.mark.parametrize("mark", ["## Forged", "```", "<!--", "**Item**", "~~~", "---\n"])
@pytest.mark.parametrize("share", [None, 0.3])
def test_a_shortened_block_has_no_structure_either(compactor: str, mark: str, share: float | None):
    """What was in the middle of a line does not begin one, within the budget as ever."""
    corpus = Corpus.open_records(InMemoryStore(), embedder=None)
    text = " ".join(f"Rain {n} says words. {mark} lamp rain {n}." for n in range(60))
    corpus.put([Record(id="a", title="Rain", text=text)])
    config: dict[str, Any] = {"retriever_id": "explicit", "documents": ["a"], "query": "lamp 55"}
    config |= {"format": {"escape_headings": True}}
    if share:
        config |= {"item_cap": {"share": share, "compactor": compactor, "cut_note": " (cut)"}}
    kb = {"corpus": "c", "config": config}
    for most in range(50, 400, 35):
        policy = {"input_budget": {"max_tokens": most}, "pack_budget": {"default_ratio": 1}}
        plan = {
            "policy": {**policy, "compactor": {"type": compactor}},
            "messages": [
                {"type": "context", "name": "kb", "format": {"item": "### {title}\n{content}"}}
            ],
        }
        result = ContextAssembler({"p": plan}, {"kb": kb}, corpora={"c": corpus}).assemble("p")
        assert result.token_count <= most
        assert {*marks(result.system_prompt, re.compile(rf"\*\*|{HEADINGS}")).structure} <= {"### "}


@settings(max_examples=15)
@given(
    system=st.sampled_from([*SYSTEMS]),
    start=st.sampled_from(["", "\n", "\r\n", "\n\n", " \u2028"]),
    mark=st.sampled_from(
        ["# A", "## A", "---", "**A**: b", "*3 items*", "[A] [b]", "```", "~~~", "<!--", "- a"]
    ),
    chance=st.randoms(use_true_random=False),
)
def test_marks_in_any_field_stay_words(system: str, start: str, mark: str, chance: Random):
    said = Said({})
    SYSTEMS[system](said)
    field = chance.choice(sorted(said.fields))
    assert Attempt(system, {field: f"a{start}{mark}\nb"}).broken() == ""


def test_a_memory_of_several_lines_has_no_heading():
    pack = pack_of_records([(Record(id="a", text="# A\n## B\n- c"), 1.0)], indent="  ")
    assert [each.text for each in pack.blocks] == ["\\# A\n  \\## B\n  - c"]


def test_half_a_character_in_a_path_breaks_no_context():
    broken = Attempt("prime", {"path": "a\ud800.md", "referred path": "\udfff"}).broken()
    assert broken == ""


@pytest.mark.parametrize("language", ["`", "```\n# A", "c\n```"])
def test_the_language_of_code_ends_no_block_of_code(language: str):
    assert Attempt("learning", {"language": language}).broken() == ""
