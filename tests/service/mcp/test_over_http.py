"""Agents over HTTP, each with a key: the official client against the service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from biblicus_context import Corpus, Principal, Readers, Record
from biblicus_context.service import app
from biblicus_context.service.keys import KeyFile
from biblicus_context.service.scopes import KeyScope
from tests.service.serving import serving

pytestmark = pytest.mark.enable_socket
PLANS = """
kind: context
name: support
messages:
  - {type: context, name: kb}
  - {type: user, content: "{input.question}"}
---
kind: retriever
name: kb
corpus: handbook
config: {retriever_id: keyword, query: "{input.question}"}
---
kind: corpus
name: handbook
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("agents")
    (found / "contexts").mkdir()
    (found / "contexts" / "support.yaml").write_text(PLANS, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def keys(folder: Path) -> KeyFile:
    return KeyFile(folder / "keys.json")


@pytest.fixture(scope="module")
def address(folder: Path, keys: KeyFile) -> Iterator[str]:
    keys.create("acme", user="ann")
    corpora = Corpus.open_records(
        folder / "handbook", name="handbook", principal=Principal("acme", "ann")
    )
    with corpora:
        secret = Readers(users=frozenset({"ann"}))
        corpora.put([Record(id="hers", text="Ann's chairs are in hall one.", readers=secret)])
        corpora.put([Record(id="all", text="Chairs are in hall two.")])
        settings = {"mcp": True, "data": folder / "data", "reload_seconds": 0.05}
        made = app(folder / "contexts", keys=keys, settings=settings, corpora={"handbook": corpora})
        with serving(made) as found:
            yield found


def key_of(keys: KeyFile, *scopes: KeyScope, workspace: str = "acme", user: str = "ann") -> str:
    return keys.create(workspace, user=user, scopes=scopes or (KeyScope.READ,)).key


def asked(address: str, key: str, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    async def talk() -> Any:
        headers = {"authorization": f"Bearer {key}"}
        async with (
            create_mcp_http_client(headers=headers) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            return await ask(client)

    return asyncio.run(talk())


async def tools(client: Client) -> list[str]:
    return [each.name for each in (await client.list_tools()).tools]


async def chairs(client: Client) -> str:
    asked = {"query": "Where are the chairs?", "max_tokens": 200}
    return str((await client.call_tool("search", asked)).structured_content)


def test_nobody_is_let_in_without_a_key_or_with_one_of_another_scope(
    address: str, keys: KeyFile
) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    without = httpx.post(f"{address}/mcp", json=call)
    other = {"authorization": f"Bearer {key_of(keys, KeyScope.INSPECT)}"}
    assert without.status_code == 401
    assert without.headers["www-authenticate"].startswith("Bearer")
    assert httpx.post(f"{address}/mcp", json=call, headers=other).status_code == 403


def test_a_reader_has_no_tools_that_write_and_cannot_call_them(address: str, keys: KeyFile) -> None:
    reader, writer = key_of(keys), key_of(keys, KeyScope.READ, KeyScope.WRITE)
    reads = ["search", "assemble", "recall", "premortem"]
    assert asked(address, reader, tools) == reads
    assert asked(address, writer, tools) == [*reads, "remember", "feedback"]
    said = {"text": "Ship on Fridays.", "category": "decision"}
    refused = asked(address, reader, lambda client: client.call_tool("remember", said))
    assert refused.is_error


def test_each_key_reads_as_its_principal(address: str, keys: KeyFile) -> None:
    ann, bob = key_of(keys), key_of(keys, user="bob")
    assert "hall one" in asked(address, ann, chairs)
    seen = asked(address, bob, chairs)
    assert "hall two" in seen
    assert "hall one" not in seen
    assert "hall" not in asked(address, key_of(keys, workspace="other"), chairs)


def test_what_one_workspace_remembers_no_other_one_recalls(address: str, keys: KeyFile) -> None:
    both = (KeyScope.READ, KeyScope.WRITE)
    said = {"text": "The deploy of lamps needs a green build.", "category": "decision"}
    about = {"query": "deploy of lamps", "max_tokens": 400}
    asked(address, key_of(keys, *both), lambda client: client.call_tool("remember", said))
    recalled = [
        str(asked(address, key_of(keys, workspace=each), lambda c: c.call_tool("recall", about)))
        for each in ("acme", "other")
    ]
    assert "green build" in recalled[0]
    assert "green build" not in recalled[1]


def test_a_plan_that_is_written_while_the_service_runs_is_offered(
    address: str, keys: KeyFile, folder: Path
) -> None:
    more = "kind: context\nname: greeting\nmessages: [{type: user, content: Hello.}]\n"
    (folder / "contexts" / "more.yaml").write_text(more, encoding="utf-8")

    async def prompts(client: Client) -> list[str]:
        return [each.name for each in (await client.list_prompts()).prompts]

    until = time.monotonic() + 60
    while (found := asked(address, key_of(keys), prompts)) != ["greeting", "support"]:
        assert time.monotonic() < until, found  # a client keeps a list, so each time is another one


def test_agents_are_not_served_unless_the_settings_say_so(folder: Path) -> None:
    with serving(app(folder / "contexts", corpora={})) as address:
        assert httpx.post(f"{address}/mcp", json={}).status_code == 404
