"""What an assembler tells of itself, and what it does besides assembling."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import re
import time
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import biblicus_context
from biblicus_context import (
    ContextAssembler,
    InputError,
    PlanError,
    Receipt,
    Retriever,
    UnknownNameError,
)
from biblicus_context.assembly import AssembleOptions
from biblicus_context.base import best_effort

HELLO = {"hello": {"messages": [{"type": "system", "content": "Hi."}]}}


def failing(request: Any) -> Any:
    raise ConnectionError("the index is away")


def test_the_version_is_that_of_the_installed_package():
    assert biblicus_context.__version__ == "0.1.0"


def test_the_contexts_are_listed_with_their_declarations_and_cannot_be_changed():
    contexts: Any = ContextAssembler(HELLO).contexts
    assert [*contexts] == ["hello"]
    assert contexts["hello"].messages[0].content == "Hi."
    with pytest.raises(TypeError):
        contexts["other"] = contexts["hello"]


def test_its_repr_names_what_is_declared():
    assembler = ContextAssembler(HELLO, {"kb": failing}, {"docs": {"config": {"root": "docs"}}})
    assert repr(assembler) == (
        "ContextAssembler(contexts=['hello'], retrievers=['kb'], corpora=['docs'])"
    )
    assert repr(ContextAssembler({})) == "ContextAssembler()"


def test_the_inputs_of_a_context_are_those_that_it_declares():
    declared = {"question": {"type": "string", "example": "Why?"}, "language": {"default": "en"}}
    inputs = ContextAssembler({"ask": {"inputs": declared, "messages": []}}).inputs("ask")
    assert [*inputs] == ["question", "language"]
    assert (inputs["question"].example, inputs["language"].has_default) == ("Why?", True)


def test_inputs_that_nothing_declares_are_known_by_their_use():
    contexts = {
        "ask": {
            "messages": [
                {"type": "system", "content": "For {input.product}. {input.json} {other.x}"},
                {"type": "system", "content": "{input.x}", "vars": {"input": {"x": 1}}},
                {"type": "system", "content": "Du.", "when": "input.language == 'de'"},
                {"type": "user", "template": "{{ input.question.text | upper }}"},
                {"type": "context", "name": "kb"},
                {"type": "context", "name": "inner"},
            ]
        },
        "inner": {"messages": [{"type": "system", "content": "{input.tone}"}]},
    }
    retrievers = {"kb": {"config": {"query": "find {input.words}"}}}
    inputs = ContextAssembler(contexts, retrievers, default_retriever=failing).inputs("ask")
    assert {*inputs} == {"product", "json", "language", "question", "words", "tone"}
    assert all(spec.required for spec in inputs.values())


def test_the_inputs_of_an_unknown_context_are_an_error_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="Did you mean 'hello'"):
        ContextAssembler(HELLO).inputs("helo")


class TestObservers:
    def test_each_result_is_reported_with_its_receipt(self):
        seen: list[Receipt] = []
        assembler = ContextAssembler(HELLO, observers=[seen.append])
        first = assembler.assemble("hello")
        second = asyncio.run(assembler.aassemble("hello"))
        assert seen == [first.receipt, second.receipt]

    def test_an_observer_may_be_async(self):
        seen: list[Receipt] = []

        async def note(receipt: Receipt) -> None:
            await asyncio.sleep(0)
            seen.append(receipt)

        assembler = ContextAssembler(HELLO, observers=[note, note])
        assembler.assemble("hello")
        asyncio.run(assembler.aassemble("hello"))
        assert [receipt.context for receipt in seen] == ["hello"] * 4

    def test_one_that_fails_is_logged_and_loses_neither_the_result_nor_the_others(
        self, caplog: pytest.LogCaptureFixture
    ):
        seen: list[Receipt] = []
        assembler = ContextAssembler(HELLO, observers=[failing, seen.append])
        assert assembler.assemble("hello").system_prompt == "Hi."
        assert asyncio.run(assembler.aassemble("hello")).system_prompt == "Hi."
        assert len(seen) == 2
        (record,) = caplog.records
        assert (record.name, record.levelname) == ("biblicus_context.observers", "WARNING")
        assert "the observer failing failed: ConnectionError (test_surface.py" in record.message
        assert "the index is away" not in caplog.text

    def test_one_that_hangs_is_left_behind(
        self, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(best_effort, "PATIENCE", 0.1)
        seen: list[Receipt] = []
        assembler = ContextAssembler(HELLO, observers=[lambda _: time.sleep(2), seen.append])
        began = time.perf_counter()
        for _ in range(10):
            assembler.assemble("hello")
            asyncio.run(assembler.aassemble("hello"))
        assert time.perf_counter() - began < 1.5
        assert len(seen) == 20
        assert len(caplog.records) == 1

    def test_one_that_stops_the_program_stops_it(self):
        def stop(receipt: Receipt) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ContextAssembler(HELLO, observers=[stop]).assemble("hello")

    @pytest.mark.parametrize("wrong", [print, 5, ["print"]])
    def test_they_are_a_list_of_callables(self, wrong: Any):
        with pytest.raises(InputError, match="observer"):
            ContextAssembler(HELLO, observers=wrong)


def test_a_skipped_pack_is_a_warning_in_the_log(caplog: pytest.LogCaptureFixture):
    contexts = {
        "main": {"messages": [{"type": "context", "name": "inner"}]},
        "inner": {"messages": [{"type": "context", "name": "kb", "on_error": "skip"}]},
    }
    ContextAssembler(contexts, {"kb": failing}).assemble("main")
    assert caplog.record_tuples == [
        (
            "biblicus_context.assembly",
            logging.WARNING,
            "context 'inner': pack 'kb' is left out: failed: ConnectionError",
        )
    ]


def test_nothing_is_logged_where_nothing_goes_wrong(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG, "biblicus_context")
    ContextAssembler(HELLO).assemble("hello")
    assert caplog.records == []


class TestWarmUp:
    def test_retrievers_with_that_method_are_warmed_up_once_each(self):
        class Slow:
            warm = 0

            def __call__(self, request: Any) -> str:
                return "text"

            def warm_up(self) -> None:
                self.warm += 1

        slow = Slow()
        contexts = {"main": {"packs": ["kb"]}, "other": {"packs": ["plain"]}}
        ContextAssembler(contexts, {"kb": slow, "plain": lambda request: "text"}).warm_up()
        assert slow.warm == 1

    def test_what_is_loaded_may_be_kept_from_collections_of_garbage(self):
        assembler = ContextAssembler({"main": {"messages": []}})
        before = gc.get_freeze_count()
        assembler.warm_up()
        assert gc.get_freeze_count() == before
        try:
            assembler.warm_up(freeze=True)
            assert gc.get_freeze_count() > before
        finally:
            gc.unfreeze()

    @pytest.mark.parametrize(
        "context",
        [
            {"policy": "unknown"},
            {"policy": {"model": "unknown"}},
            {"messages": [{"type": "context", "name": "unknown"}]},
            {"messages": [{"type": "user", "template": "{{ open"}]},
            {"policy": {"compactor": {"type": "unknown"}, "input_budget": {"max_tokens": 9}}},
        ],
    )
    def test_what_the_first_call_would_fail_for_fails_now(self, context: dict[str, Any]):
        with pytest.raises((PlanError, biblicus_context.TemplateError)):
            ContextAssembler({"main": context}).warm_up()

    def test_a_corpus_without_an_index_fails_now(self, tmp_path: Path):
        (tmp_path / "notes").mkdir()
        assembler = ContextAssembler(
            {"main": {"packs": ["kb"]}},
            {"kb": {"corpus": "notes", "config": {"retriever_id": "keyword", "query": "x"}}},
            {"notes": {"config": {"root": str(tmp_path / "notes")}}},
        )
        with pytest.raises(biblicus_context.ContextError, match="never been indexed"):
            assembler.warm_up()


@pytest.mark.parametrize("name", ["__init__", "assemble"])
def test_the_docstring_explains_every_argument(name: str):
    function = getattr(ContextAssembler, name)
    arguments = [each for each in inspect.signature(function).parameters if each != "self"]
    if name == "assemble":
        arguments[-1:] = AssembleOptions.__annotations__
    described = inspect.getdoc(function) or ""
    assert [each for each in arguments if not re.search(rf"\b{each}`?: ", described)] == []


def test_a_retriever_is_a_type_when_a_program_runs():
    def over(retriever: Retriever) -> None: ...

    assert "retriever" in get_type_hints(over)


def test_the_same_assembler_is_made_with_other_arguments():
    plan = {"page": {"messages": [{"type": "context", "name": "kb"}]}}
    kb = {"config": {"query": "tea"}}
    one = ContextAssembler(plan, {"kb": kb}, retriever_functions={"kb": lambda _: "One."})
    other = one.replace(retriever_functions={"kb": lambda _: "Two."})
    assert one.assemble("page").system_prompt == "One."
    assert other.assemble("page").system_prompt == "Two."
    assert other.assemble("page").token_count == one.assemble("page").token_count
