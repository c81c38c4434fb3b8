"""What an agent may call, asked by the official client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from biblicus_context import ContextAssembler
from biblicus_context.service.mcp import Offer
from biblicus_context.text import default_counter
from tests.service.mcp.conftest import Ask, told

_MOST_OF_A_LIST = 500


def call(ask: Ask, name: str, **arguments: Any) -> Any:
    return ask(lambda client: client.call_tool(name, arguments))


def test_the_whole_list_of_tools_costs_less_than_500_tokens(ask: Ask) -> None:
    found = ask(lambda client: client.list_tools())
    listed = [
        each.model_dump(by_alias=True, exclude_none=True, mode="json") for each in found.tools
    ]
    said = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    assert {each.name for each in found.tools} == {
        *("search", "assemble", "recall", "premortem", "remember", "feedback")
    }
    assert default_counter().count(said) < _MOST_OF_A_LIST
    assert found.ttl_ms > 0


def test_a_tool_that_nothing_can_answer_is_not_listed() -> None:
    from biblicus_context.service.mcp.tools import tools_of

    assert [*tools_of(Offer(ContextAssembler({"hello": {"messages": []}}), {}))] == ["assemble"]


@pytest.mark.parametrize("most", [50, 80, 300, 4_000])
def test_an_answer_of_a_search_has_no_more_tokens_than_were_asked_for(ask: Ask, most: int) -> None:
    found = call(
        ask, "search", corpus="handbook", query="Where are chairs stored?", max_tokens=most
    )
    answer = found.structured_content
    assert told(found) == answer["text"]
    assert default_counter().count(answer["text"]) == answer["tokens"] <= most
    assert "hall" in answer["text"]


def test_every_answer_keeps_the_schema_that_the_list_has(ask: Ask) -> None:
    async def talk(client: Client) -> None:
        tools = {each.name: each for each in (await client.list_tools()).tools}
        for name, arguments in {
            "search": {"corpus": "diary", "query": "safe"},
            "assemble": {"context": "support", "inputs": {"question": "May I return it?"}},
            "remember": {"text": "Tests of dates need a fixed clock."},
            "recall": {"query": "tests of dates"},
            "premortem": {"domain": "debugging"},
            "feedback": {"uris": ["biblicus://handbook/returns"], "useful": True},
        }.items():
            Draft202012Validator(tools[name].input_schema).validate(arguments)
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, told(answer)
            Draft202012Validator(tools[name].output_schema).validate(answer.structured_content)

    ask(talk)


def test_a_passage_names_a_resource_that_has_the_whole_document(ask: Ask) -> None:
    async def talk(client: Client) -> tuple[str, str]:
        asked = {"corpus": "handbook", "query": "sent back within thirty days"}
        first = told(await client.call_tool("search", asked)).splitlines()[0]
        found = await client.read_resource(first.split()[-1])
        return first, found.contents[0].text

    first, text = ask(talk)
    assert first.startswith("returns biblicus://handbook/returns")
    assert "Goods may be sent back within thirty days" in text


def test_an_assembled_context_is_within_its_own_budget_and_that_of_the_call(ask: Ask) -> None:
    inputs = {"question": "Where are chairs stored?"}
    long = call(ask, "assemble", context="support", inputs=inputs).structured_content
    short = call(ask, "assemble", context="support", inputs=inputs, max_tokens=100)
    assert [each["role"] for each in long["messages"]] == ["system", "assistant", "user"]
    assert short.structured_content["tokens"] <= 100 < long["tokens"] <= 8_000
    assert short.structured_content["left_out"]


def test_what_is_remembered_is_recalled_at_once(ask: Ask) -> None:
    async def talk(client: Client) -> str:
        text = "The importer fails on dates without a year."
        await client.call_tool("remember", {"text": text, "category": "error"})
        return told(await client.call_tool("recall", {"query": "importer dates"}))

    assert "The importer fails on dates without a year." in ask(talk)


def test_feedback_counts_known_passages_and_names_unknown_ones(ask: Ask) -> None:
    uris = ["biblicus://handbook/returns", "biblicus://handbook/nowhere", "biblicus://attic/box"]
    found = call(ask, "feedback", uris=uris, useful=False).structured_content
    assert found == {"unknown": uris[1:]}


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("serch", {}, "Tool 'serch' not defined"),
        ("search", {"corpus": "handbook"}, "search.query: Field required"),
        ("search", {"corpus": "attic", "query": "x"}, "Corpus 'attic' not defined"),
        ("search", {"query": "x"}, "this server has several corpora. Valid: handbook, diary"),
        ("search", {"query": "x", "limit": 3}, "search: unknown argument: found 'limit'"),
        ("search", {"query": "x", "max_tokens": 1e9}, "search.max_tokens"),
        ("assemble", {"context": "suport"}, "Did you mean 'support'?"),
        ("assemble", {"context": "support", "inputs": {}}, "question"),
        ("remember", {"text": ""}, "remember.text"),
        ("remember", {"text": "x", "category": "secret"}, "remember.category"),
        ("feedback", {"uris": ["https://example.org"], "useful": True}, "no such resource"),
    ],
)
def test_a_wrong_call_is_an_error_that_says_what_is_valid(
    ask: Ask, tool: str, arguments: dict[str, Any], said: str
) -> None:
    answer = call(ask, tool, **arguments)
    assert answer.is_error
    assert said in told(answer)


def test_nothing_of_another_reader_is_in_any_answer(ask: Ask) -> None:
    async def talk(client: Client) -> str:
        asked = {"corpus": "diary", "query": "The safe opens with 4711"}
        found = told(await client.call_tool("search", asked))
        listed = (await client.read_resource("biblicus://diary")).contents[0].text
        try:
            await client.read_resource("biblicus://diary/secret")
        except Exception as error:
            return f"{found}{listed}{error}"
        raise AssertionError("a document of another reader was read")

    told_all = ask(talk)
    assert "green" in told_all
    assert "4711" not in told_all
    assert "no such document" in told_all


def test_what_nobody_expected_is_told_and_logged_without_its_text(
    offer: Offer, ask: Ask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(offer.assembler, "aassemble", broken)
    caplog.set_level("DEBUG")
    answer = call(ask, "assemble", context="support", inputs={"question": "x"})
    assert told(answer) == "the server failed; its log says why"
    assert "hunter2" not in caplog.text
    assert "RuntimeError" in caplog.text


def test_a_memory_is_kept_in_the_folder_that_the_server_was_given(offer: Offer, ask: Ask) -> None:
    call(ask, "remember", text="Chairs of hall seven are blue.")
    assert offer.learning is not None
    assert any(Path(str(offer.corpora["handbook"].place)).parent.glob("learning/*"))
