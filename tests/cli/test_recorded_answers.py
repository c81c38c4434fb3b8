"""Recorded answers stand for retrievers."""

from __future__ import annotations

import pytest

from biblicus_context.cli.input.recorded_answers import recorded_answers
from biblicus_context.errors import InputError
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


@pytest.fixture
def answers(tmp_path):
    def read(text: str):
        file = tmp_path / "packs.yaml"
        file.write_text(text, encoding="utf-8")
        return recorded_answers(file)

    return read


def blocks_of(answer) -> list[ContextPackBlock]:
    return answer.page(ContextRetrieverRequest(query="", limit=100)).blocks


@pytest.mark.parametrize(
    "written",
    ["kb: One.\n", "kb: [One.]\n", "kb: {text: One.}\n", "kb: {blocks: [{text: One.}]}\n"],
)
def test_an_answer_is_a_text_a_list_or_a_pack(answers, written):
    (block,) = blocks_of(answers(written)["kb"])
    assert (block.evidence_item_id, block.text) == ("kb-1", "One.")


def test_a_block_keeps_what_is_known_of_it(answers):
    written = "kb: [{id: a, text: One., source: s.md, score: 0.5, metadata: {x: 1}}]\n"
    assert blocks_of(answers(written)["kb"]) == [
        ContextPackBlock(
            evidence_item_id="a", text="One.", source="s.md", score=0.5, metadata={"x": 1}
        )
    ]


def test_a_pack_that_was_saved_is_an_answer(answers):
    pack = ContextPack(
        text="One.", evidence_count=1, blocks=[ContextPackBlock(evidence_item_id="a", text="One.")]
    )
    assert blocks_of(answers(f"kb: {pack.model_dump_json()}\n")["kb"]) == pack.blocks


def test_pages_are_served_as_they_are_asked_for(answers):
    answer = answers("kb: [a, b, c]\n")["kb"]
    pages = [
        answer.page(ContextRetrieverRequest(query="", offset=offset, limit=2))
        for offset in (0, 2, 4)
    ]
    assert [page.evidence_count for page in pages] == [2, 1, 0]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("kb: [{txt: One.}]\n", "recorded answer of 'kb', block 1: text: Field required"),
        ("kb: [a, 5]\n", "recorded answer of 'kb', block 2: neither a text nor a block"),
        (
            "kb: {pages: 1}\n",
            "recorded answer of 'kb', block 1: neither a text nor a block",
        ),
    ],
)
def test_what_is_no_answer_is_refused(answers, written, said):
    with pytest.raises(InputError) as refused:
        answers(written)
    assert str(refused.value).startswith(said)


def test_an_answer_that_nobody_asks_for_is_a_misspelt_name(run, project):
    (project / "packs.yaml").write_text("handbok: [a]\n", encoding="utf-8")
    assert run("render", "desk", "--examples", "--packs", "packs.yaml").refusal == (
        "an answer is recorded for a retriever that no context uses: found 'handbok'. "
        "Valid: handbook. Did you mean 'handbook'?"
    )


def test_a_retriever_that_the_file_does_not_have_is_named_with_the_file(run, project):
    (project / "more.yaml").write_text(
        "kind: retriever\nname: other\n---\nkind: context\nname: both\n"
        "messages: [{type: context, name: handbook}, {type: context, name: other}]\n",
        encoding="utf-8",
    )
    refusal = run(
        *("render", "both", "--input", "question=x", "--packs", "packs.yaml"),
        *("--path", "contexts", "--path", "more.yaml"),
    ).refusal
    assert refusal.startswith("retriever 'other' cannot run from the command line, and packs.yaml")


def test_a_pack_that_only_python_knows_is_answered_too(run, project):
    (project / "p.yaml").write_text(
        "kind: context\nname: p\nmessages: [{type: context, name: kb}]\n", encoding="utf-8"
    )
    (project / "kb.yaml").write_text("kb: From Python.\n", encoding="utf-8")
    assert "From Python." in run("render", "p", "--path", "p.yaml", "--packs", "kb.yaml").text
