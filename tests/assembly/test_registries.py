"""What registries accept, which callable is asked, and the error texts of Biblicus."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from biblicus_context import (
    BaseCompactor,
    CompactorDeclaration,
    ContextAssembler,
    ContextBudgetSpec,
    ContextDeclaration,
    ContextPolicySpec,
    CorpusDeclaration,
    InputError,
    ModelTable,
    PlanError,
    PolicyDeclaration,
    RetrieverDeclaration,
    UnknownNameError,
    UnknownPackError,
    build_compactor,
)
from tests.assembly.fakes import Shelf, assembled, plan, words

MESSAGES = [{"type": "system", "content": "Hi."}]
INSERT = {"type": "context", "name": "kb"}


@pytest.mark.parametrize(
    "context",
    [
        ContextDeclaration(name="main", messages=MESSAGES),
        ContextDeclaration(name="other", messages=MESSAGES),
        {"messages": MESSAGES},
        {"name": "other", "messages": MESSAGES},
        SimpleNamespace(messages=MESSAGES),
        SimpleNamespace(name="other", messages=MESSAGES, policy=None, packs=None, unrelated=1),
        {"messages": MESSAGES, "policy": []},
        {"messages": [{"type": "system", "content": "Hi.", "vars": []}]},
    ],
)
def test_a_context_is_a_declaration_a_mapping_or_an_object_under_its_registry_key(context: Any):
    assert ContextAssembler({"main": context}).assemble("main").system_prompt == "Hi."


@pytest.mark.parametrize(
    "retriever",
    [
        RetrieverDeclaration(name="kb", corpus="c", config={"query": "q", "limit": 2}),
        {"corpus": "c", "config": {"query": "q", "limit": 2}},
        SimpleNamespace(corpus="c", config={"query": "q", "limit": 2}),
        SimpleNamespace(config={"query": "q", "limit": 2, "corpus": "c"}, name="own", other=3),
    ],
)
def test_a_retriever_is_a_declaration_a_mapping_or_an_object_with_config(retriever: Any):
    kb = Shelf(["x"])
    corpora = {"c": {"config": {"root": "/data"}}}
    assembler = ContextAssembler({"main": {"packs": "kb"}}, {"kb": retriever}, corpora, None, kb)
    assembler.assemble("main")
    (request,) = kb.requests
    assert (request.query, request.limit) == ("q", 2)
    assert request.metadata["corpus"] == "c"
    assert request.metadata["corpus_root"] == "/data"


@pytest.mark.parametrize(
    "corpus",
    [
        CorpusDeclaration(name="c", config={"root": "/data"}),
        {"config": {"root": "/data"}},
        SimpleNamespace(config={"root": "/data"}),
    ],
)
def test_a_corpus_is_a_declaration_a_mapping_or_an_object_with_config(corpus: Any):
    kb = Shelf([])
    retrievers = {"kb": {"corpus": "c"}}
    ContextAssembler({"main": {"packs": "kb"}}, retrievers, {"c": corpus}, None, kb).assemble(
        "main"
    )
    assert kb.requests[0].metadata["corpus_root"] == "/data"


@pytest.mark.parametrize("config", [{"config": []}, SimpleNamespace(config=[])])
def test_empty_settings_may_arrive_as_an_empty_table_of_lua(config: Any):
    kb = Shelf(["x"])
    assembler = ContextAssembler({"main": {"packs": "kb"}}, {"kb": config}, default_retriever=kb)
    assert assembler.assemble("main").system_prompt == "x"


class Loud(BaseCompactor):
    def compact(self, request: Any) -> str:
        return "LOUD"


class Biblicus:
    def compact(self, request: Any) -> str:
        return "LOUD"


async def loud_later(request: Any) -> str:
    return "LOUD"


@pytest.mark.parametrize(
    "compactor",
    [
        Loud(),
        Loud,
        Biblicus(),
        lambda request: "LOUD",
        loud_later,
        CompactorDeclaration(name="other", config={"type": "truncate", "mark": " LOUD"}),
        {"type": "truncate", "mark": " LOUD"},
        SimpleNamespace(config={"type": "truncate", "mark": " LOUD"}),
        build_compactor({"type": "truncate", "mark": " LOUD"}),
    ],
)
def test_a_compactor_is_an_object_a_callable_a_declaration_or_settings(compactor: Any):
    context = plan(
        {"type": "system", "content": words(40), "shrink": True},
        input_budget={"max_tokens": 10},
        compactor="loud",
    )
    assert "LOUD" in assembled(context, compactors={"loud": compactor}).system_prompt


@pytest.mark.parametrize(
    "policy",
    [
        PolicyDeclaration(name="x", policy=ContextPolicySpec(input_budget={"max_tokens": 77})),
        ContextPolicySpec(input_budget=ContextBudgetSpec(max_tokens=77)),
        {"input_budget": {"max_tokens": 77}},
        SimpleNamespace(input_budget={"max_tokens": 77}),
    ],
)
def test_a_policy_may_be_given_by_name(policy: Any):
    context = {"messages": MESSAGES, "policy": "small"}
    assembler = ContextAssembler({"main": context}, policy_registry={"small": policy})
    assert assembler.assemble("main").receipt.budget == 77


def test_the_declarations_of_biblicus_are_accepted_as_they_are():
    theirs = pytest.importorskip("biblicus.context_engine")
    context = theirs.ContextDeclaration(
        name="other",
        policy=theirs.ContextPolicySpec(
            input_budget=theirs.ContextBudgetSpec(max_tokens=50),
            pack_budget=theirs.ContextPackBudgetSpec(default_ratio=0.5),
            overflow="compact",
            compactor="short",
            expansion=theirs.ContextExpansionSpec(max_pages=2),
        ),
        messages=[
            theirs.SystemMessageSpec(type="system", template="For {who}.", vars={"who": "Ada"}),
            theirs.ContextInsertSpec(type="context", name="kb", weight=2.0),
            theirs.HistoryInsertSpec(type="history"),
            theirs.UserMessageSpec(type="user", content="Q: {input.q}"),
        ],
    )
    kb = Shelf(["found"])
    result = ContextAssembler(
        {"main": context},
        {"kb": theirs.RetrieverDeclaration(name="kb", corpus="c", config={"query": "q"})},
        {"c": theirs.CorpusDeclaration(name="c", config={"root": "r"})},
        {"short": theirs.CompactorDeclaration(name="short", config={"type": "truncate"})},
        kb,
    ).assemble("main", "", [{"role": "user", "content": "Hi"}], "", {"input": {"q": "why"}})
    assert result.system_prompt == "For Ada.\n\nfound"
    assert (len(result.history), result.user_message) == (1, "Q: why")
    assert (result.receipt.budget, kb.requests[0].query) == (50, "q")


def test_a_default_plan_of_biblicus_is_accepted_as_it_is():
    theirs = pytest.importorskip("biblicus.context_engine")
    context = theirs.ContextDeclaration(name="main", packs=["kb"])
    result = ContextAssembler({"main": context}, {"kb": Shelf(["found"])}).assemble("main", "Base.")
    assert result.system_prompt == "Base.\n\nfound"


def test_declarations_of_biblicus_may_carry_more_than_ours_know():
    theirs = pytest.importorskip("biblicus.context_engine")
    kb = Shelf(["found"])
    assembler = ContextAssembler(
        {"main": {"packs": "kb"}},
        {"kb": theirs.RetrieverDeclaration(name="kb", corpus="c", config={}, owner="docs team")},
        {"c": theirs.CorpusDeclaration(name="c", config={}, owner="docs team")},
        default_retriever=kb,
    )
    assert assembler.assemble("main").system_prompt == "found"


def test_compactor_objects_of_biblicus_are_accepted():
    theirs = pytest.importorskip("biblicus.context_engine")
    context = plan(
        {"type": "system", "content": words(40), "shrink": True},
        input_budget={"max_tokens": 10},
        compactor="theirs",
    )
    result = assembled(context, compactors={"theirs": theirs.TruncateCompactor()})
    assert result.system_prompt == words(10)


def test_the_retriever_override_comes_before_a_callable_of_the_name_before_the_default():
    contexts = {"main": {"packs": "kb"}}
    named, default, override = Shelf(["named"]), Shelf(["default"]), Shelf(["override"])
    declared = {"kb": {"config": {}}}
    only_default = ContextAssembler(contexts, declared, default_retriever=default)
    assert only_default.assemble("main").system_prompt == "default"
    both = ContextAssembler(contexts, {"kb": named}, default_retriever=default)
    assert both.assemble("main").system_prompt == "named"
    assert both.assemble("main", retriever_override=override).system_prompt == "override"


def test_an_object_with_settings_that_can_be_called_is_asked_with_its_settings():
    class Retriever:
        config = {"query": "mine"}  # noqa: RUF012 - as their authors write it

        def __call__(self, request: Any) -> Any:
            return Shelf([f"asked {request.query}"])(request)

    assert (
        ContextAssembler({"main": {"packs": "kb"}}, {"kb": Retriever()})
        .assemble("main")
        .system_prompt
        == "asked mine"
    )


def test_a_context_is_meant_where_a_retriever_has_the_same_name():
    contexts = {"main": {"packs": "kb"}, "kb": {"messages": MESSAGES}}
    kb = Shelf(["x"])
    assert ContextAssembler(contexts, {"kb": kb}).assemble("main").system_prompt == "Hi."
    assert kb.requests == []


FILES = """
kind: context
name: main
policy: small
messages:
  - {type: system, content: From the file.}
  - {type: context, name: kb}
---
kind: policy
name: small
input_budget: {max_tokens: 50}
---
kind: retriever
name: kb
config: {query: from the file}
"""


def test_files_and_python_registries_are_merged_and_python_wins(tmp_path: Path):
    (tmp_path / "plan.yaml").write_text(FILES)
    kb = Shelf(["found"])
    assembler = ContextAssembler.from_path(tmp_path, default_retriever=kb)
    assert assembler.assemble("main").system_prompt == "From the file.\n\nfound"
    assert kb.requests[0].query == "from the file"
    other = ContextAssembler.from_path(
        tmp_path / "plan.yaml",
        context_registry={"more": {"messages": [{"type": "context", "name": "main"}]}},
        retriever_registry={"kb": Shelf(["from python"])},
        policy_registry={"small": {"input_budget": {"max_tokens": 99}}},
    )
    result = other.assemble("more")
    assert result.system_prompt == "From the file.\n\nfrom python"
    assert other.assemble("main").receipt.budget == 99


def test_files_may_use_names_that_only_python_declares(tmp_path: Path):
    text = "kind: context\nname: main\npacks: [kb]\npolicy: {compactor: mine}\n"
    (tmp_path / "plan.yaml").write_text(text)
    assembler = ContextAssembler.from_path(
        tmp_path, retriever_registry={"kb": Shelf(["x"])}, compactor_registry={"mine": Loud()}
    )
    assert assembler.assemble("main").system_prompt == "x"


class TestErrorTextsOfBiblicus:
    def test_an_unknown_context(self):
        with pytest.raises(ValueError, match="Context 'x' not defined") as caught:
            ContextAssembler({"main": {}}).assemble("x")
        assert isinstance(caught.value, UnknownNameError)
        assert caught.value.known == ("main",)

    def test_an_unknown_context_comes_with_the_nearest_name(self):
        with pytest.raises(UnknownNameError, match="Did you mean 'support'"):
            ContextAssembler({"support": {}}).assemble("suport")

    def test_an_unknown_compactor(self):
        with pytest.raises(ValueError, match="Compactor 'x' not defined"):
            assembled(plan(compactor="x"))

    def test_an_unknown_type_of_compactor(self):
        with pytest.raises(ValueError, match="Unknown compactor type: x"):
            assembled(plan(compactor={"type": "x"}))

    def test_an_unknown_pack(self):
        with pytest.raises(NotImplementedError, match="Context pack 'x' is not available"):
            assembled(plan({"type": "context", "name": "x"}))
        with pytest.raises(UnknownPackError, match="Context pack 'x' is not available"):
            assembled({"packs": ["x"]})

    def test_an_empty_budget(self):
        with pytest.raises(ValueError, match="Budget must specify ratio or max_tokens"):
            ContextBudgetSpec()
        with pytest.raises(ValueError, match="Budget must specify ratio or max_tokens"):
            assembled(plan({**INSERT, "budget": {}}))

    def test_no_retriever(self):
        with pytest.raises(
            ValueError, match="No retriever override or default retriever configured"
        ):
            assembled(plan(INSERT), {"kb": {"config": {}}})

    def test_a_nested_history(self):
        inner = {"messages": [{"type": "history"}]}
        with pytest.raises(ValueError, match=r"Nested context packs cannot include history\(\)"):
            assembled(plan({"type": "context", "name": "inner"}), contexts={"inner": inner})

    def test_a_nested_history_among_alternatives_never_gets_past_the_declaration(self):
        with pytest.raises(ValueError, match="history"):
            ContextDeclaration(name="x", messages=[{"first": [{"type": "history"}]}])


def test_an_unknown_policy_is_named_with_those_that_are_known():
    context = {"messages": MESSAGES, "policy": "smal"}
    with pytest.raises(UnknownNameError, match=r"context 'main': Policy 'smal' not .*'small'"):
        ContextAssembler({"main": context}, policy_registry={"small": {}}).assemble("main")


def test_a_setting_of_the_wrong_type_names_the_retriever_and_the_setting():
    with pytest.raises(PlanError, match=r"retriever 'kb' config: limit.*found 'three'"):
        assembled(
            plan(INSERT), {"kb": {"config": {"limit": "three"}}}, retriever_override=Shelf([])
        )


def test_a_retriever_of_python_is_like_no_other():
    found = {"config": {"limit": 5}}
    with pytest.raises(PlanError) as raised:
        ContextAssembler({}, {"found": found, "other": {"like": "found"}})
    assert str(raised.value) == (
        "retriever 'other': 'like' is a key of files: found 'found'. "
        "Pass all settings, such as {**config_of_the_other, 'limit': 5}."
    )


def test_a_source_of_python_is_like_no_retriever():
    pool = {"config": {"retriever_id": "combined", "of": [{"name": "old", "like": "found"}]}}
    plan = {"page": {"messages": [{"type": "context", "name": "pool"}]}}
    with pytest.raises(PlanError) as raised:
        ContextAssembler(plan, {"pool": pool}).assemble("page")
    assert "'like' is a key of files; pass all settings of the source" in str(raised.value)


@pytest.mark.parametrize("key", ["corpus", "filters", "format"])
def test_sources_of_python_share_no_settings(key):
    of = [{"retriever_id": "hybrid"}]
    pool = {"config": {"retriever_id": "combined", "of": of, key: {}}}
    plan = {"page": {"messages": [{"type": "context", "name": "pool"}]}}
    with pytest.raises(PlanError) as raised:
        ContextAssembler(plan, {"pool": pool}).assemble("page")
    assert f"{key}: only in a file, and only if every source has a retriever_id" in str(
        raised.value
    )


def test_a_compactor_that_is_none_of_these_is_refused_by_name():
    with pytest.raises(PlanError, match=r"compactor 'mine': a compactor is a function"):
        assembled(plan(compactor="mine"), compactors={"mine": 42})


def test_a_missing_retriever_is_not_hidden_by_on_error_skip():
    with pytest.raises(PlanError, match="No retriever override"):
        assembled(plan({**INSERT, "on_error": "skip"}), {"kb": {"config": {}}})


@pytest.mark.parametrize("nonsense", ["a text", 42, None])
def test_what_is_no_declaration_of_anything_is_refused_by_name(nonsense: Any):
    with pytest.raises(ValueError, match="main"):
        ContextAssembler({"main": nonsense})
    with pytest.raises(ValueError, match="kb"):
        ContextAssembler({"main": {"packs": "kb"}}, {"kb": nonsense})


def test_an_answer_of_biblicus_is_accepted():
    theirs = pytest.importorskip("biblicus.context")
    pack = theirs.ContextPack(
        text="x",
        evidence_count=1,
        blocks=[theirs.ContextPackBlock(evidence_item_id="e", text="x", metadata=None)],
    )
    assert assembled(plan(INSERT), {"kb": lambda request: pack}).system_prompt == "x"
    assert assembled(plan(INSERT), {"kb": lambda request: "x"}).system_prompt == "x"


def test_an_option_that_nobody_knows_is_named_with_the_nearest():
    with pytest.raises(InputError, match=r"unknown option: found 'budgt'.*Did you mean 'budget'"):
        assembled({"messages": []}, budgt=5)


def test_a_budget_of_one_call_has_to_be_a_token_at_least():
    with pytest.raises(InputError, match="at least 1"):
        assembled({"messages": []}, budget=0)


def test_a_misspelt_key_of_a_context_is_named_with_the_nearest():
    with pytest.raises(ValueError, match=r"(?s)main.*mesages"):
        ContextAssembler({"main": {"mesages": []}})


def test_an_unknown_type_of_directive_is_named_with_those_that_are_known():
    with pytest.raises(ValueError, match=r"(?s)main.*systm.*system"):
        ContextAssembler({"main": {"messages": [{"type": "systm", "content": "x"}]}})


def test_a_ratio_of_packs_without_an_input_budget_is_an_error_that_says_what_to_set():
    with pytest.raises(PlanError, match=r"default_ratio needs an input budget.*default_max_tokens"):
        assembled(plan(INSERT, pack_budget={"default_ratio": 0.5}), {"kb": Shelf([])})


def test_a_pack_where_no_names_are_known_says_so():
    with pytest.raises(UnknownNameError, match=r"Policy 'x' not defined. None are defined"):
        ContextAssembler({"main": {"policy": "x"}}).assemble("main")


SMALL = {"tiny": {"window": 99, "counter": "whitespace"}}


def test_models_may_be_added_by_mapping_by_file_and_by_table(tmp_path: Path):
    file = tmp_path / "models.json"
    file.write_text(json.dumps({"models": SMALL}))
    tables = [SMALL, file, str(file), ModelTable.shipped().with_models(SMALL)]
    context = {"messages": [{"type": "user", "content": "a b c"}], "policy": {"model": "tiny"}}
    for models in tables:
        result = ContextAssembler({"main": context}, models=models).assemble("main")
        assert (result.token_count, result.receipt.window) == (3, 99)


def test_counters_may_be_added_by_name():
    class Letters:
        name = "letters"
        estimated = False

        def count(self, text: str) -> int:
            return len(text)

        def count_many(self, texts: Any) -> list[int]:
            return [len(text) for text in texts]

    context = {
        "messages": [{"type": "user", "content": "abcdef"}],
        "policy": {"counter": "letters"},
    }
    result = ContextAssembler({"main": context}, counters={"letters": Letters()}).assemble("main")
    assert result.token_count == 6


def test_two_keys_whose_declarations_have_one_name_keep_their_own_budgets():
    small, large = (
        ContextDeclaration(
            name="same",
            policy={"input_budget": {"max_tokens": most}},
            messages=[{"type": "user", "content": "Why?"}],
        )
        for most in (50, 500)
    )
    assembler = ContextAssembler({"a": small, "b": large})
    budgets = [assembler.assemble(each).receipt.budget for each in ("a", "b", "a")]
    assert budgets == [50, 500, 50]


def test_a_context_that_is_wrong_is_an_error_of_its_calls_alone():
    wrong = {"policy": "missing", "messages": [{"type": "user", "content": "Why?"}]}
    sound = {"messages": [{"type": "user", "content": "Why?"}]}
    assembler = ContextAssembler({"wrong": wrong, "sound": sound})
    assert assembler.assemble("sound").user_message == "Why?"
    with pytest.raises(UnknownNameError, match="Policy 'missing' not defined"):
        assembler.assemble("wrong")


def test_a_call_with_another_budget_leaves_the_budget_of_the_plan():
    plan = {"policy": {"input_budget": {"max_tokens": 50}}, "messages": []}
    assembler = ContextAssembler({"main": plan})
    asked = (None, 20, None)
    assert [assembler.assemble("main", budget=each).receipt.budget for each in asked] == [
        50,
        20,
        50,
    ]
