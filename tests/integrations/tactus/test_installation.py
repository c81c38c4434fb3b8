"""Installing replaces one attribute of Tactus, and undoing it leaves no trace."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from tactus.core import context_assembler
from tactus.core.runtime import TactusRuntime

from biblicus_context import ContextPack, ContextRetrieverRequest
from biblicus_context.integrations.tactus import (
    Engine,
    install,
    installed,
    is_installed,
    uninstall,
)

TACTUS = context_assembler.ContextAssembler
PREPARE = TactusRuntime._ensure_retriever_dependencies


def in_place() -> object:
    """Which engine agents would be assembled by; None for Tactus' own."""
    found = context_assembler.ContextAssembler
    return None if found is TACTUS else found.__self__


def test_undoing_it_puts_back_what_was_there_however_often_it_was_installed():
    install()
    first = in_place()
    install()
    assert isinstance(first, Engine)
    assert in_place() is not first
    uninstall()
    assert in_place() is None
    assert TactusRuntime._ensure_retriever_dependencies is PREPARE
    uninstall()
    assert in_place() is None


def test_blocks_nest_and_each_leaves_what_it_found():
    install()
    process = in_place()
    with installed() as outer:
        assert in_place() is outer
        with installed() as inner:
            assert in_place() is inner
        assert in_place() is outer
    assert in_place() is process


def test_a_block_that_fails_is_undone():
    with pytest.raises(ZeroDivisionError), installed():
        1 / 0  # noqa: B018
    assert in_place() is None


def test_undoing_it_inside_a_block_waits_for_the_block():
    install()
    with installed() as block:
        uninstall()
        assert in_place() is block
        assert is_installed()
    assert in_place() is None


def test_blocks_of_threads_may_end_in_any_order():
    first, second = installed(), installed()
    first.__enter__()
    with second as engine:
        first.__exit__(None, None, None)
        assert in_place() is engine
    assert in_place() is None


def test_many_threads_leave_tactus_as_it_was():
    def work(_: int) -> bool:
        with installed():
            return is_installed()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))
    assert in_place() is None
    assert TactusRuntime._ensure_retriever_dependencies is PREPARE


def test_importing_auto_installs_with_the_yaml_files_that_the_environment_names(
    tmp_path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "hello.yaml").write_text(
        "kind: context\nname: hello\nmessages: [{type: system, content: Hello.}]\n"
    )
    monkeypatch.setenv("BIBLICUS_CONTEXT_PATHS", str(tmp_path))
    monkeypatch.delitem(sys.modules, "biblicus_context.integrations.tactus.auto", raising=False)
    importlib.import_module("biblicus_context.integrations.tactus.auto")
    assert in_place().for_registries({}).assemble("hello", "", [], "", {}).system_prompt == "Hello."


def test_auto_leaves_an_engine_alone_that_a_host_has_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "biblicus_context.integrations.tactus.auto", raising=False)
    with installed() as engine:
        importlib.import_module("biblicus_context.integrations.tactus.auto")
        assert in_place() is engine
    assert in_place() is None


def fixed(text: str) -> Callable[[ContextRetrieverRequest], ContextPack]:
    return lambda request: ContextPack(text=text, evidence_count=1)


def test_a_default_retriever_and_an_override_go_before_the_router():
    registries = {"c": {"messages": [{"type": "context", "name": "kb"}]}}
    kb = {"kb": SimpleNamespace(config={"retriever_id": "scan"}, corpus=None)}
    turn = Engine().for_registries(registries, kb, default_retriever=fixed("default"))
    call = ("c", "", [], "How?", {"input": {}, "context": {}})
    assert turn.assemble(*call).system_prompt == "default"
    assert turn.assemble(*call, retriever_override=fixed("override")).system_prompt == "override"


def test_empty_tables_of_lua_are_accepted_where_a_mapping_is_meant():
    plan = {"policy": [], "messages": [{"type": "user", "template": "{input.message}", "vars": []}]}
    declared = SimpleNamespace(model_dump=lambda exclude_none: {"name": "_temp_context_1", **plan})
    turn = Engine().for_registries({"chat": declared}, {}, {}, {})
    for inputs in ({"input": {"message": "Hi"}, "context": []}, {"input": {"message": "Hi"}}):
        assert turn.assemble("chat", "", [], "Hi", inputs).user_message == "Hi"


def test_an_older_word_for_retriever_id_is_understood(tmp_path):
    corpus = {"notes": SimpleNamespace(config={"corpus_root": str(tmp_path / "notes")})}
    kb = {"kb": SimpleNamespace(config={"retriever_type": "keywrd"}, corpus="notes")}
    with pytest.raises(ValueError, match="unknown retriever_id: found 'keywrd'"):
        Engine().for_registries({}, kb, corpus)


def test_compactors_of_a_procedure_are_known_by_name():
    plan = {
        "policy": {"input_budget": {"max_tokens": 12}, "compactor": "short"},
        "messages": [{"type": "system", "content": "one two three four " * 10, "shrink": True}],
    }
    compactors = {"short": SimpleNamespace(config={"type": "truncate"})}
    turn = Engine().for_registries({"chat": plan}, compactor_registry=compactors)
    assert turn.assemble("chat", "", [], "", {"input": {}}).token_count <= 12


def plan_saying(text: str) -> dict[str, object]:
    return {"chat": {"messages": [{"type": "system", "content": text}]}}


def test_turns_of_one_procedure_share_an_assembler_and_those_of_others_have_their_own():
    engine = Engine()
    first, second = (engine.for_registries(plan_saying(text)).assembler for text in "ab")
    assert first is not second
    assert engine.for_registries(plan_saying("a")).assembler is first
    assert engine.for_registries(plan_saying("b")).assembler is second


def test_a_declaration_that_was_changed_after_a_turn_counts_in_the_next():
    engine, plan = Engine(), plan_saying("a")
    assert engine.for_registries(plan).assemble("chat", "", [], "", {}).system_prompt == "a"
    plan["chat"]["messages"][0]["content"] = "b"
    assert engine.for_registries(plan).assemble("chat", "", [], "", {}).system_prompt == "b"


def test_the_procedures_that_ran_last_are_remembered_and_no_more():
    engine = Engine()
    first = engine.for_registries(plan_saying("first")).assembler
    for number in range(15):
        engine.for_registries(plan_saying(str(number)))
        assert engine.for_registries(plan_saying("first")).assembler is first
    for number in range(16):
        engine.for_registries(plan_saying(str(number)))
    assert engine.for_registries(plan_saying("first")).assembler is not first


def test_a_corpus_without_a_folder_is_left_to_the_router_of_tactus(
    tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TACTUS_NOAA_AFD_DIR", str(tmp_path))
    (tmp_path / "MFL").mkdir()
    (tmp_path / "MFL" / "one.txt").write_text("Rain in Miami.")
    corpus = {"weather": SimpleNamespace(config={"split": "train"})}
    config = {"retriever_id": "noaa_afd", "query": "rain"}
    kb = {"kb": SimpleNamespace(config=config, corpus="weather")}
    plan = {"chat": {"messages": [{"type": "context", "name": "kb"}]}}
    made = Engine().for_registries(plan, kb, corpus).assemble("chat", "", [], "", {})
    assert made.system_prompt == "Rain in Miami."
