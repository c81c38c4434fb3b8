"""The repositories over stores of this package keep the contract that ships for others."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from biblicus_context import Corpus, InputError
from biblicus_context.stores import Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.systems.prime import ThreadMessage, UserFile, UserLibrary
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.user_files_contract import UserFilesContract


class OverStores:
    """Repositories over two stores, whichever they are."""

    def __init__(self, files: Store, messages: Store) -> None:
        corpora = [Corpus.open_records(each) for each in (files, messages)]
        self.library = UserLibrary(*corpora)
        self.files, self.references = self.library.files, self.library.references
        self.messages = self.library.messages

    async def put(self, *files: UserFile) -> None:
        await self.files.put(*files)

    async def refer(self, thread_id: str, file_id: str, user_id: str) -> None:
        await self.references.add(thread_id, file_id, user_id=user_id)

    async def say(self, thread_id: str, message: ThreadMessage, user_id: str) -> None:
        await self.messages.add(thread_id, message, user_id=user_id)


def test_a_name_that_is_too_long_is_refused_where_it_is_written(tmp_path: Path):
    library = OverStores(InMemoryStore(), InMemoryStore()).library
    said, long = ThreadMessage(role="user", content="Lamp."), "x" * 401
    for call, place in (
        (library.messages.add(long, said, user_id="ann"), "thread_id"),
        (library.references.add(long, "f", user_id="ann"), "thread_id"),
        (library.messages.add("t", said.model_copy(update={"id": long}), user_id="ann"), "messages.id"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=f"{place}: longer than 400"):
            asyncio.run(call)
    assert asyncio.run(library.messages.get_recent(long, "ann")) == []


class TestOverSQLite(UserFilesContract):
    @pytest.fixture
    def user_files(self, tmp_path: Path) -> OverStores:
        return OverStores(open_store(tmp_path / "files"), open_store(tmp_path / "messages"))


class TestInMemory(UserFilesContract):
    @pytest.fixture
    def user_files(self) -> OverStores:
        return OverStores(InMemoryStore(), InMemoryStore())
