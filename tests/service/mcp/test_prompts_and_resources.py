"""Contexts as prompts, and corpora as resources."""

from __future__ import annotations

import pytest
from mcp import Client

from biblicus_context.service.mcp.offer import MOST_OF_A_DOCUMENT
from biblicus_context.text import default_counter
from tests.service.mcp.conftest import HANDBOOK, Ask, refused


def test_a_context_is_a_prompt_with_its_inputs_as_arguments(ask: Ask) -> None:
    (prompt,) = ask(lambda client: client.list_prompts()).prompts
    assert (prompt.name, prompt.description) == ("support", "Answers a question from the handbook.")
    assert [(each.name, each.required) for each in prompt.arguments] == [
        ("question", True),
        ("count", False),
    ]


def test_arguments_are_texts_and_become_the_declared_types(ask: Ask) -> None:
    asked = {"question": "May I send it back?", "count": "7"}
    found = ask(lambda client: client.get_prompt("support", asked))
    assert [each.role for each in found.messages] == ["user", "assistant", "user"]
    assert found.messages[0].content.text.startswith("Be kind.")
    assert found.messages[-1].content.text == "May I send it back? (8)"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("suport", {}, "Did you mean 'support'?"),
        ("support", {"question": "x", "count": "many"}, "input.count: not JSON"),
        ("support", {}, "question"),
    ],
)
def test_a_prompt_that_cannot_be_made_says_why(
    ask: Ask, name: str, arguments: dict[str, str], said: str
) -> None:
    assert said in refused(ask, lambda client: client.get_prompt(name, arguments))


def test_each_corpus_is_a_resource_that_lists_its_documents(ask: Ask) -> None:
    async def talk(client: Client) -> tuple[list[str], str]:
        listed = (await client.list_resources()).resources
        return [str(each.uri) for each in listed], (
            await client.read_resource("biblicus://handbook")
        ).contents[0].text

    uris, text = ask(talk)
    assert uris == ["biblicus://handbook", "biblicus://diary"]
    assert [line.split()[-1] for line in text.splitlines()] == [
        f"biblicus://handbook/{name}" for name in sorted(HANDBOOK)
    ]


def test_a_long_document_is_read_in_parts_that_lose_no_line(ask: Ask) -> None:
    async def talk(client: Client) -> list[str]:
        lines, uri = list[str](), "biblicus://handbook/long"
        while uri:
            text = (await client.read_resource(uri)).contents[0].text
            assert default_counter().count(text) <= MOST_OF_A_DOCUMENT + 40
            *found, last = text.splitlines()
            uri = last.split()[-1].rstrip("]") if last.startswith("[cut: ") else ""
            lines += found if uri else [*found, last]
        return lines

    assert ask(talk) == HANDBOOK["long"].splitlines()


@pytest.mark.parametrize(
    "uri",
    [
        "biblicus://attic/returns",
        "biblicus://handbook/nothing",
        "biblicus://handbook/returns?line=x",
        "biblicus://handbook/../diary/secret",
        "biblicus://handbook/%00",
        "biblicus:///returns",
        "file:///etc/passwd",
    ],
)
def test_a_resource_that_is_not_there_is_an_error_that_names_what_is(ask: Ask, uri: str) -> None:
    said = refused(ask, lambda client: client.read_resource(uri))
    assert "biblicus://" in said or "diary, handbook" in said
