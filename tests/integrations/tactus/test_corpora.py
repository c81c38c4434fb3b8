"""Packs come from corpora of Biblicus, from corpora of ours, and from both in one procedure."""

from __future__ import annotations

from pathlib import Path

import pytest
from biblicus.corpus import Corpus as BiblicusCorpus

from biblicus_context import ContextAssemblyResult, Corpus, load_project
from biblicus_context.integrations.tactus import install, installed
from tests.integrations.tactus.procedures import AGENT, asking, sent_as

PAGES = {
    "returns.md": "# Returns\n\nGoods can be returned within thirty days.\n",
    "delivery.md": "# Delivery\n\nA parcel takes three days by ordinary post.\n",
    "payment.md": "# Payment\n\nBills are paid by transfer within two weeks.\n",
}
PLAN = """
support_context = Context {
  policy = { input_budget = { max_tokens = 200 }, pack_budget = { default_ratio = 0.9 } },
  messages = { system("Answer."), context(kb_search), user("{input.message}") }
}
"""
QUESTION = "How can goods be returned?"


def retriever(corpus: str, retriever_id: str) -> str:
    return f"""
{corpus} = Corpus {{ root = "{corpus}" }}
kb_search = Retriever {{
  corpus = {corpus}, retriever_id = "{retriever_id}", query = "{{input.message}}", limit = 1
}}
"""


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A folder of files that nobody has indexed."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """The same texts as a corpus of Biblicus."""
    corpus = BiblicusCorpus.init(tmp_path / "archive")
    for name, text in PAGES.items():
        corpus.ingest_item(
            text.encode(),
            filename=name,
            media_type="text/markdown",
            source_uri=f"https://example.org/{name}",
        )
    return tmp_path / "archive"


@pytest.mark.parametrize("retriever_id", ["scan", "sqlite-full-text-search", "tf-vector"])
def test_a_corpus_of_biblicus_is_asked_through_the_router_of_tactus(
    play, archive: Path, retriever_id: str
):
    results: list[ContextAssemblyResult] = []
    with installed(on_assembled=results.append):
        ran = play(retriever("archive", retriever_id) + PLAN + AGENT + asking("goods returned"))
    assert ran.success, ran.error
    assert ran.sent == [sent_as(results[0])]
    assert "Goods can be returned within thirty days." in ran.sent[0][0]["content"]


@pytest.mark.parametrize("retriever_id", ["hybrid", "keyword", "vector", "fuzzy"])
def test_a_corpus_of_ours_is_named_in_the_same_way_and_left_as_it_is(
    play, handbook: Path, retriever_id: str
):
    results: list[ContextAssemblyResult] = []
    with installed(on_assembled=results.append):
        ran = play(retriever("handbook", retriever_id) + PLAN + AGENT + asking(QUESTION))
    assert ran.success, ran.error
    assert ran.sent == [sent_as(results[0])]
    assert "Goods can be returned within thirty days." in ran.sent[0][0]["content"]
    assert [citation.source for citation in results[0].citations] == ["returns.md"]
    assert {path.name for path in handbook.iterdir()} == set(PAGES)


def test_two_retrievers_of_a_procedure_share_one_corpus_and_take_every_setting(
    play, handbook: Path
):
    second = """
recent = Retriever {
  corpus = handbook, retriever_type = "recent", limit = 1, include_metadata = true,
  metadata_fields = {"path"}, filters = {path = {"delivery.md"}}
}
"""
    plan = PLAN.replace("context(kb_search),", "context(kb_search), context(recent),")
    install()
    ran = play(retriever("handbook", "keyword") + second + plan + AGENT + asking(QUESTION))
    assert ran.success, ran.error
    assert "Goods can be returned within thirty days." in ran.sent[0][0]["content"]
    assert "A parcel takes three days by ordinary post." in ran.sent[0][0]["content"]


def test_what_has_changed_in_a_corpus_of_ours_is_read_before_the_next_run(play, handbook: Path):
    procedure = retriever("handbook", "keyword") + PLAN + AGENT + asking(QUESTION)
    install()
    assert play(procedure).success
    (handbook / "returns.md").write_text("Goods can be returned within sixty days.\n")
    assert "sixty days" in play(procedure).sent[0][0]["content"]


def test_a_corpus_of_ours_that_was_never_indexed_is_an_error_with_the_command(play, handbook: Path):
    install()
    ran = play(
        retriever("handbook", "keyword") + PLAN + AGENT + asking(QUESTION), dependencies="none"
    )
    assert not ran.success
    assert "corpus 'handbook' has never been indexed" in ran.error
    assert "biblicus-context index" in ran.error
    assert not ran.sent


def test_hybrid_is_that_of_biblicus_over_a_corpus_of_biblicus(play, archive: Path):
    install()
    procedure = retriever("archive", "hybrid") + PLAN + AGENT + asking(QUESTION)
    ran = play(procedure)
    assert not (archive.parent / ".biblicus-context").exists()
    assert "biblicus-context index" not in ran.error


def test_an_unknown_retriever_is_an_error_that_lists_ours(play, handbook: Path):
    install()
    ran = play(retriever("handbook", "keywrd") + PLAN + AGENT + asking(QUESTION))
    assert not ran.success
    assert "unknown retriever_id: found 'keywrd'" in ran.error
    assert "Did you mean 'keyword'?" in ran.error


YAML = """
kind: context
name: shop
policy: chat
inputs: {topic: {type: string, default: goods}}
messages:
  - {type: system, base: true}
  - {type: context, name: guides}
  - {type: history, keep_last: 2}
  - {type: user, content: "{input.topic}: {input.message}"}
---
kind: policy
name: chat
input_budget: {max_tokens: 300}
pack_budget: {default_ratio: 0.9}
---
kind: retriever
name: guides
corpus: handbook
config: {retriever_id: keyword, query: "{input.message}", limit: 1}
---
kind: corpus
name: handbook
config: {root: ../handbook}
"""


@pytest.fixture
def contexts(tmp_path: Path, handbook: Path) -> Path:
    """A folder of YAML whose corpus is indexed."""
    folder = tmp_path / "contexts"
    folder.mkdir()
    (folder / "shop.yaml").write_text(YAML, encoding="utf-8")
    with Corpus.open(load_project(folder).corpora["handbook"]) as corpus:
        corpus.ingest()
    return folder


def test_an_agent_may_name_a_context_of_the_yaml_files(play, contexts: Path):
    results: list[ContextAssemblyResult] = []
    agent = AGENT.replace("support_context", '"shop"')
    with installed(contexts, on_assembled=results.append):
        ran = play(agent + asking(QUESTION))
    assert ran.success, ran.error
    assert ran.sent == [sent_as(results[0])]
    assert ran.sent[0] == [
        {
            "role": "system",
            "content": "You are Ada.\n\n# Returns\n\nGoods can be returned within thirty days.",
        },
        {"role": "user", "content": f"goods: {QUESTION}"},
    ]


def test_a_question_that_a_context_declares_is_handed_on(play, contexts: Path):
    (contexts / "shop.yaml").write_text(
        "kind: context\nname: shop\ninputs: {question: string}\n"
        'messages: [{type: user, content: "{input.question}"}]\n',
        encoding="utf-8",
    )
    install(contexts)
    ran = play(AGENT.replace("support_context", '"shop"') + asking("How?"))
    assert ran.sent == [[{"role": "user", "content": "How?"}]]


def test_a_plan_in_lua_may_place_a_pack_of_the_yaml_files(play, contexts: Path):
    install(contexts)
    ran = play(PLAN.replace("kb_search", '"guides"') + AGENT + asking(QUESTION))
    assert ran.success, ran.error
    assert "thirty days" in ran.sent[0][0]["content"]


def test_both_kinds_of_corpora_fill_one_context(play, archive: Path, contexts: Path):
    install(contexts)
    plan = PLAN.replace("context(kb_search),", 'context(kb_search), context("guides"),')
    bills = retriever("archive", "scan").replace("{input.message}", "bills transfer")
    ran = play(bills + plan + AGENT + asking("goods returned"))
    assert ran.success, ran.error
    assert ran.sent[0][0]["content"] == "\n\n".join(
        ["Answer.", PAGES["payment.md"].strip(), PAGES["returns.md"].strip()]
    )


def test_a_corpus_stays_open_between_turns(play, contexts: Path, monkeypatch: pytest.MonkeyPatch):
    opened: list[object] = []
    original = Corpus.open
    monkeypatch.setattr(
        Corpus, "open", lambda *given, **how: opened.append(given) or original(*given, **how)
    )
    install(contexts)
    ran = play(AGENT.replace("support_context", '"shop"') + asking("One?", "Two?", "Three?"))
    assert ran.success, ran.error
    assert len(opened) == 1
