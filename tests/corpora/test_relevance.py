"""`min_score: auto` finds nothing where nothing is relevant, and says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biblicus_context import ContextAssembler, ContextError, Principal, Record
from biblicus_context.corpora import Corpus, Judged
from biblicus_context.embedders import Embedder, build_embedder
from biblicus_context.retrieval import is_small_talk
from biblicus_context.stores import Readers
from biblicus_context.text import rarity

KNOWN = {
    "sign-in": "Single sign-on works with SAML. Okta and Entra are tested every month.",
    "refund": "Within 30 days the money comes back to the card that paid.",
    "backup": "The database is copied every night at three and kept for six weeks.",
    "export": "Invoices are exported as CSV or as PDF, one file for each month.",
    "roles": "An accountant reads everything and changes nothing.",
    "limits": "A request to the interface may take ten seconds; sixty a minute are allowed.",
    "greeting": "Okay, thank you very much!",
    "reminder": "Customers who do not pay in time get three reminders by mail.",
}


class Counting:
    """An embedder that counts the texts that it is asked for."""

    def __init__(self, of: Embedder) -> None:
        self._of, self.asked = of, list[str]()
        self.model, self.dimensions, self.vector_weight = of.model, of.dimensions, of.vector_weight

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        self.asked += texts
        return np.asarray(self._of.embed(texts))

    def embed_query(self, text: str) -> np.ndarray[Any, Any]:
        self.asked.append(text)
        return np.asarray(self._of.embed_query(text))


@pytest.fixture(scope="module")
def counting() -> Counting:
    return Counting(build_embedder("granite"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, counting: Counting) -> Corpus:
    corpus = Corpus.open_records(tmp_path_factory.mktemp("pages"), embedder=counting)
    corpus.put([Record(id=name, text=text) for name, text in KNOWN.items()])
    corpus.embed_waiting()
    return corpus


def judged(corpus: Corpus, query: str, **settings: Any) -> Judged:
    return corpus.judged_search(query, **{"min_score": "auto", **settings})


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("do you support okta", "sign-in"),
        ("can i get my money back", "refund"),
        ("How often is the database saved?", "backup"),
        ("what may an accountant do", "roles"),
        ("is there a rate limit", "limits"),
    ],
)
def test_a_question_that_is_answered_finds_what_it_finds_without_a_floor(
    pages: Corpus, question: str, first: str
):
    found = judged(pages, question)
    assert [each.document.id for each in found.hits] == [
        each.document.id for each in pages.search(question)
    ]
    assert found.hits[0].document.id == first
    assert found.relevance is not None
    assert found.relevance.verdict in ("found", "weak")


@pytest.mark.parametrize(
    "question",
    ["banana smoothie recipe", "Who painted the Mona Lisa?", "my knee hurts after running"],
)
def test_a_question_about_something_else_finds_nothing_and_says_why(pages: Corpus, question: str):
    found = judged(pages, question)
    assert pages.search(question)
    assert found.hits == []
    assert found.relevance is not None
    assert found.relevance.verdict == "nothing"
    assert found.relevance.best < found.relevance.floor
    assert "floor 0." in found.relevance.text
    assert "none of '" in found.relevance.text


EACH = {"min_score": {"best": "auto", "each": "auto"}}


def test_what_is_far_from_the_query_is_left_out_and_the_receipt_may_say_so(pages: Corpus):
    everything = [each.document.id for each in judged(pages, "do you support okta").hits]
    assert len(everything) > 3
    near = judged(pages, "do you support okta", **EACH)
    kept = [each.document.id for each in near.hits]
    assert kept[0] == "sign-in"
    assert {*kept} < {*everything}
    assert "greeting" not in kept
    assert near.relevance == judged(pages, "do you support okta").relevance


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    corpus = Corpus.open_records(
        tmp_path_factory.mktemp("life"), embedder=build_embedder("granite")
    )
    said = (*SHORT, *CHAT, *KNOWN.values())
    corpus.put([Record(id=text, text=text) for text in said])
    corpus.embed_waiting()
    return corpus


SHORT = {
    "I have two kids.": "Do I have children?",
    "I work at Google.": "Who is my employer?",
    "My car is red.": "What colour is the vehicle?",
    "The hall is free.": "hall",
}
CHAT = (
    "Back in five minutes.", "Happy new week!", "Sorry, I was away for a moment.",
    "Never mind, found it.", "One more thing before I go.", "Can you make it shorter?",
)  # fmt: skip


@pytest.mark.parametrize("text", SHORT)
def test_a_short_fact_is_found_and_chit_chat_next_to_it_is_not(life: Corpus, text: str):
    found = [each.block.text for each in judged(life, SHORT[text], **EACH).hits]
    assert found[0] == text
    assert not {*found} & {*CHAT}


def test_what_follows_in_the_conversation_of_a_near_hit_is_not_far(tmp_path: Path):
    texts = {
        "said": "The roses need pruning.",
        "follows": "In March.",
        "elsewhere": "On the shelf.",
    }
    talks = {"said": "garden", "follows": "garden", "elsewhere": "kitchen"}
    others = [Record(id=f"other-{n}", text=text) for n, text in enumerate((*CHAT, *SHORT))]
    with Corpus.open_records(tmp_path, embedder=build_embedder("wordllama")) as corpus:
        turns = [Record(id=n, text=text, conversation=talks[n]) for n, text in texts.items()]
        corpus.put([*turns, *others])
        found = judged(corpus, "When do roses need pruning?", **EACH).hits
    assert {each.document.id for each in found} & {*texts} == {"said", "follows"}


def test_hits_can_only_be_judged_where_the_best_of_them_is(pages: Corpus):
    with pytest.raises(ContextError, match="each: auto needs best: auto"):
        judged(pages, "okta", min_score={"each": "auto", "best": 0.2})


def test_frequent_words_say_less_than_rare_ones_in_a_small_corpus_as_well():
    assert rarity("people") < rarity("invoice") < rarity("Okta")
    assert rarity("7") < rarity("57") < rarity("2050")
    assert rarity("okta") == rarity("Okta")


@pytest.mark.parametrize("said", ["hello", "Thanks, bye!", "ok", "Good morning!", "Danke, tschüss"])
def test_small_talk_costs_nothing_although_a_record_greets_as_well(
    pages: Corpus, counting: Counting, said: str
):
    before = len(counting.asked)
    assert judged(pages, said).hits == []
    assert len(counting.asked) == before


@pytest.mark.parametrize(
    "asked", ["Thanks! And the refund?", "", "hello world program", "ok computer"]
)
def test_what_asks_for_something_is_not_small_talk(asked: str):
    assert not is_small_talk(asked)


def _part(receipt: Any) -> Any:
    return next(each for each in receipt.parts if each.kind == "context")


def test_the_receipt_names_the_figures_and_has_the_verdict(pages: Corpus, tmp_path: Path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "kind: context\nname: answer\npolicy: {input_budget: {max_tokens: 500}}\n"
        "messages:\n  - {type: context, name: pages}\n"
        "---\nkind: retriever\nname: pages\ncorpus: records\n"
        "config: {retriever_id: hybrid, query: '{input.question}', min_score: auto}\n"
        "---\nkind: corpus\nname: records\nconfig: {store: nowhere}\n"
    )
    assembler = ContextAssembler.from_path(plan, corpora={"records": pages})

    def receipt(question: str) -> Any:
        return assembler.assemble("answer", inputs={"question": question}).receipt

    nothing = receipt("banana smoothie recipe")
    assert nothing.used == 0
    assert nothing.verdict == "nothing"
    part = _part(nothing)
    assert part.cause == "relevance"
    assert part.reason.startswith("nothing relevant: best 0.")
    assert part.reason.endswith("none of 'banana', 'smoothie', 'recipe' found")
    assert {each.cause for each in part.blocks} == {"relevance"}
    assert nothing.is_complete
    assert (
        _part(receipt("hello")).reason == "nothing relevant: the message greets, thanks or agrees"
    )
    assert receipt("do you support okta").verdict in ("found", "weak")
    assert receipt("Customers who do not pay in time get reminders").verdict == "found"


def test_words_alone_decide_where_nothing_is_embedded(tmp_path: Path):
    corpus = Corpus.open_records(tmp_path, embedder=None)
    corpus.put([Record(id=name, text=text) for name, text in KNOWN.items()])
    keyword = {"retriever_id": "keyword"}
    assert judged(corpus, "okta sign-on", **keyword).hits
    foreign = "the best recipe for a banana smoothie with time for hungry children"
    assert corpus.search(foreign, **keyword), "one of them has a word"
    assert not judged(corpus, foreign, **keyword).hits
    frequent = "the best recipe for a smoothie with time for children"
    assert not judged(corpus, frequent, **keyword).hits, "'time' is in texts about anything"
    # Of few words one that is rare is enough to be shown, and not to be sure.
    some = judged(corpus, "reminders for the recipe of a smoothie", **keyword)
    assert [each.document.id for each in some.hits] == ["reminder"]
    assert some.relevance is not None
    assert some.relevance.verdict == "weak"


def test_what_a_user_may_not_read_does_not_change_the_decision(tmp_path: Path, counting: Counting):
    own, all_of_it = (
        Corpus.open_records(tmp_path / name, embedder=counting) for name in ("own", "all")
    )
    ann = Readers(users=frozenset({"ann"}))
    records = [Record(id=n, text=t, readers=ann) for n, t in KNOWN.items()]
    secret = Record(
        id="secret",
        text="Banana smoothie recipe: two bananas.",
        readers=Readers(frozenset({"bob"})),
    )
    own.put(records)
    all_of_it.put([*records, secret])
    for question in ("banana smoothie recipe", "do you support okta", "what about yoghurt"):
        seen = [
            judged(each.for_principal(Principal("local", user="ann")), question)
            for each in (own, all_of_it)
        ]
        assert seen[0].relevance == seen[1].relevance


def test_a_floor_of_the_caller_takes_the_place_of_the_decision(pages: Corpus):
    assert judged(pages, "banana smoothie recipe", min_score={"best": 0.0}).hits
    assert not judged(pages, "do you support okta", min_score={"best": 0.95}).hits
