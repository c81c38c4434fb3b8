"""A project with two corpora and a learning memory, offered to an agent that speaks the official protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from biblicus_context import ContextAssembler, Corpus, Principal, Readers, Record
from biblicus_context.service.mcp import Offer, server_of
from biblicus_context.systems.learning import LearningStore
from tests.cli.conftest import run

__all__ = ["run"]

Answer = TypeVar("Answer")
Ask: TypeAlias = Callable[[Callable[[Client], Awaitable[Any]]], Any]

PLANS = {
    "support": {
        "description": "Answers a question from the handbook.",
        "inputs": {
            "question": {"type": "string", "description": "What is asked."},
            "count": {"type": "integer", "default": 3},
        },
        "messages": [
            {"type": "system", "content": "Be kind."},
            {"type": "context", "name": "kb"},
            {"type": "assistant", "content": "How can I help?"},
            {"type": "user", "template": "{input.question} ({{ input.count + 1 }})"},
        ],
    },
}
HANDBOOK = {
    "returns": "Goods may be sent back within thirty days, also when they were opened.",
    "delivery": "A parcel takes three days at home and a week abroad.",
    "long": "\n".join(
        f"Line {number}: chairs are stored in hall {number}." for number in range(900)
    ),
}


@pytest.fixture(scope="session")
def offer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offer]:
    """What Bob is offered: one record of the diary is Ann's alone."""
    folder = tmp_path_factory.mktemp("offer")
    yield (found := offered(folder, Principal("local", "bob")))
    found.close()


def offered(folder: Path, who: Principal) -> Offer:
    """A handbook for everybody, a diary with a record of Ann's, a plan over the handbook, and a memory."""
    corpora = {
        name: Corpus.open_records(folder / name, name=name, principal=who)
        for name in ("handbook", "diary")
    }
    corpora["handbook"].put([Record(id=name, text=text) for name, text in HANDBOOK.items()])
    secret = Record(id="secret", text="The safe opens with 4711.", readers=Readers(users={"ann"}))
    corpora["diary"].put([secret, Record(id="open", text="The safe is green.")])
    config = {"retriever_id": "hybrid", "query": "{input.question}"}
    assembler = ContextAssembler(
        PLANS, {"kb": {"corpus": "handbook", "config": config}}, corpora=corpora
    )
    return Offer(assembler, corpora, LearningStore.open(folder / "learning"))


@pytest.fixture
def ask(offer: Offer) -> Ask:
    """Run what a client does, over the official client and server, without a process in between."""

    return lambda talk: asked_by(Client(server_of(offer)), talk)


def asked_by(client: Client, talk: Callable[[Client], Awaitable[Any]]) -> Any:
    """What a client is answered."""

    async def run() -> Any:
        async with client:
            return await talk(client)

    return asyncio.run(run())


def refused(ask: Ask, talk: Callable[[Client], Awaitable[Any]]) -> str:
    """The error that a request ends with."""

    async def refusal(client: Client) -> str:
        with pytest.raises(MCPError) as raised:
            await talk(client)
        return str(raised.value)

    return str(ask(refusal))


def told(answer: Any) -> str:
    """The text of an answer of a tool, or of the error that it is."""
    (part,) = answer.content
    return str(part.text)
