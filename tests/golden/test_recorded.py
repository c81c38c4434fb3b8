"""Recorded answers: blocks are served as they are asked for, failures and delays as they are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biblicus_context.errors import LoadError
from biblicus_context.golden.suite.data import read_blocks, read_mappings
from tests.golden.projects import Folder, said

PAGING = """\
kind: context
name: paging
policy: {input_budget: {max_tokens: 400}, pack_budget: {default_ratio: 1}, expansion: {max_pages: 4}}
messages: [{type: context, name: kb, on_error: skip, timeout_seconds: 1}, {type: user, content: Hi}]
---
kind: retriever
name: kb
config: {limit: 2, query: what}
---
kind: context
name: strict
messages: [{type: context, name: kb}, {type: user, content: Hi}]
---
kind: context
name: both
messages: [{type: context, name: kb, timeout_seconds: 1}, {type: context, name: kb}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path, PAGING)


def verdict(folder: Folder, case: str):
    folder.write(
        "contexts/x.test.yaml",
        f"kind: contexts-test\ndefaults: {{context: paging}}\ncases: [{{name: it, {case}}}]\n",
    )
    (found,) = folder.run().files[0].verdicts
    assert not found.troubles
    return found


def test_pages_are_served_as_the_engine_asks_for_them(folder: Folder) -> None:
    expect = "{packs: {kb: {requests: 3, kept: [kb-1, kb-2, kb-3, kb-4, kb-5]}}}"
    assert said(verdict(folder, f"packs: {{kb: [a, b, c, d, e]}}, expect: {expect}")) == []


def test_no_more_is_served_than_is_asked_for(folder: Folder) -> None:
    expect = "{packs: {kb: {requests: 1, kept: [kb-1, kb-2]}}, absent: Third}"
    case = f"context: strict, packs: {{kb: [One., Two., Third.]}}, expect: {expect}"
    assert said(verdict(folder, case)) == []


def test_nothing_found_is_an_answer(folder: Folder) -> None:
    expect = "{packs: {kb: {requests: 1, text: ''}}, roles: [user]}"
    assert said(verdict(folder, f"packs: {{kb: []}}, expect: {expect}")) == []


def test_a_failure_is_raised_as_the_test_tells_it(folder: Folder) -> None:
    says = "retriever 'kb' failed: RecordedError: connection lost"
    case = "context: strict, packs: {kb: {fails: connection lost}}"
    expect = f'expect: {{error: {{name: RetrieverError, says: "{says}"}}}}'
    assert said(verdict(folder, f"{case}, {expect}")) == []


def test_a_failure_may_begin_with_a_later_page(folder: Folder) -> None:
    packs = "packs: {kb: {blocks: [a, b, c, d], fails: {message: gone, offset: 2}}}"
    expect = "expect: {packs: {kb: {requests: 2, kept: [kb-1, kb-2]}}, parts: {kb: failed}}"
    assert said(verdict(folder, f"{packs}, {expect}")) == []


def test_a_delay_beyond_the_timeout_is_one_without_waiting(folder: Folder) -> None:
    packs = "packs: {kb: {blocks: [a], delay_seconds: 3600}}"
    found = verdict(folder, f"{packs}, expect: {{parts: {{kb: failed}}, roles: [user]}}")
    assert said(found) == []
    assert found.seconds < 5


@pytest.mark.parametrize("case", ["context: paging, packs: {kb: {blocks: [a], delay_seconds: 0.5}}",
                                  "context: strict, packs: {kb: {blocks: [a], delay_seconds: 3600}}"])  # fmt: skip
def test_a_delay_within_the_timeout_changes_nothing(folder: Folder, case: str) -> None:
    assert said(verdict(folder, f"{case}, expect: {{contains: a, parts: {{kb: kept}}}}")) == []


def test_a_delay_under_two_timeouts_cannot_be_told_apart(folder: Folder) -> None:
    folder.write(
        "contexts/x.test.yaml",
        "kind: contexts-test\ncases: [{name: it, context: both, packs: {kb: {delay_seconds: 2}}}]\n",
    )
    (found,) = folder.run().files[0].verdicts
    assert "different timeouts" in found.troubles[0].text


BLOCKS = [{"id": "lost", "text": "A parcel.", "source": "a.md", "score": 0.5}, "Another."]
PACK = {
    "text": "",
    "evidence_count": 1,
    "blocks": [{"evidence_item_id": "lost", "text": "A parcel.", "metadata": {"page": 3}}],
}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("kb.json", json.dumps(BLOCKS)),
        ("kb.jsonl", "\n".join(map(json.dumps, BLOCKS)) + "\n\n"),
        ("kb.yaml", "- {id: lost, text: A parcel., source: a.md, score: 0.5}\n- Another.\n"),
    ],
)
def test_blocks_are_read_from_json_json_lines_and_yaml(
    tmp_path: Path, name: str, content: str
) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    first, second = read_blocks(file, "kb")
    assert (first.evidence_item_id, first.source, first.score) == ("lost", "a.md", 0.5)
    assert (second.evidence_item_id, second.text) == ("kb-2", "Another.")


@pytest.mark.parametrize("content", [PACK, PACK["blocks"]])
def test_a_pack_that_a_retriever_answered_can_be_played_again(
    tmp_path: Path, content: object
) -> None:
    file = tmp_path / "kb.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    (block,) = read_blocks(file, "kb")
    assert (block.evidence_item_id, block.metadata) == ("lost", {"page": 3})


def test_a_pack_of_text_alone_is_one_block(tmp_path: Path) -> None:
    file = tmp_path / "kb.json"
    file.write_text('{"text": "All of it.", "evidence_count": 1}', encoding="utf-8")
    (block,) = read_blocks(file, "kb")
    assert (block.evidence_item_id, block.text) == ("kb-1", "All of it.")
    file.write_text('{"text": "", "evidence_count": 0}', encoding="utf-8")
    assert read_blocks(file, "kb") == []


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("h.json", "[{]", ":1:3: this is not JSON: Expecting property name"),
        ("h.jsonl", '{"role": "user"}\n{"role"}\n', ":2:8: this is not JSON: Expecting ':'"),
        ("h.json", '[{"role": "user", "role": "tool"}]', ":1: this is not JSON: the key 'role' is repeated"),
        ("h.json", '[{"role": NaN}]', ":1: this is not JSON: NaN is not a number in JSON"),
        ("h.json", "[" * 100_000, ":1: this is not JSON: "),
        ("h.json", "{}", ": this must be a list"),
        ("h.json", "[1]", ": entry 0 must be a mapping: found 1"),
        ("h.yaml", "- {role: user\n", ":2:1: the bracket or brace is not closed"),
        ("h.yaml", "- {role: user}\n---\n- {role: user}\n", ": the file must contain one document"),
        ("h.txt", "Hello", ": unknown kind of file: found '.txt'. Valid: .json, .jsonl, .ndjson, .yaml, .yml"),
    ],
)  # fmt: skip
def test_a_file_that_holds_something_else_is_told_with_its_place(
    tmp_path: Path, name: str, content: str, problem: str
) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    with pytest.raises(LoadError) as caught:
        read_mappings(file)
    assert str(caught.value).startswith(f"{file}{problem}")


def test_a_conversation_may_hold_signs_that_plans_may_not(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('\ufeff{"role": "user", "content": "a\u2028b\x85c"}\n \n', encoding="utf-8")
    assert read_mappings(file) == [{"role": "user", "content": "a\u2028b\x85c"}]
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(LoadError, match="the file is not valid UTF-8"):
        read_mappings(file)


def test_a_block_that_is_none_is_told_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "kb.json"
    file.write_text('["a", {"id": "b"}]', encoding="utf-8")
    with pytest.raises(LoadError, match=r"1\.block\.text: Field required"):
        read_blocks(file, "kb")


def test_a_conversation_in_a_file_is_read_once_for_all_cases(folder: Folder) -> None:
    lines = [{"role": "user", "content": f"Message {number}"} for number in range(3)]
    folder.write("contexts/__recorded__/talk.jsonl", "\n".join(map(json.dumps, lines)))
    folder.write(
        "contexts/x.test.yaml",
        """\
        kind: contexts-test
        defaults: {context: talk, history: __recorded__/talk.jsonl, user_message: Hi}
        cases:
          - {name: once, expect: {history: {kept: [0, 2]}}}
          - name: again and again
            history: {messages: __recorded__/talk.jsonl, times: 4}
            expect: {history: {kept: [11]}}
        """,
    )
    folder.write("contexts/talk.yaml", "kind: context\nname: talk\n")
    report = folder.run()
    assert report.counts["passed"] == 2
    assert [Path(each).name for each in report.files[0].reads][-1] == "talk.jsonl"


def test_the_sources_of_a_combined_retriever_have_answers_of_their_own(folder: Folder) -> None:
    folder.write(
        "contexts/plans.yaml",
        """\
        kind: context
        name: all
        messages: [{type: context, name: both}]
        ---
        kind: retriever
        name: both
        config: {retriever_id: combined, of: [one, {retriever_id: keyword, corpus: notes}]}
        ---
        kind: retriever
        name: one
        config: {}
        ---
        kind: corpus
        name: notes
        config: {store: ../notes}
        """,
    )
    folder.write(
        "contexts/x.test.yaml",
        """\
        kind: contexts-test
        defaults: {context: all}
        cases:
          - {name: both, packs: {one: [A], both/keyword: [B]}, expect: {contains: [A, B]}}
          - {name: one of two, packs: {one: [A]}}
        """,
    )
    both, one = folder.run().files[0].verdicts
    assert both.status == "passed"
    assert one.status == "error"
    assert "'both/keyword'" in str(one)
