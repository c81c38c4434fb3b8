"""The repositories over stores of this package keep the contract that ships for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import Corpus, CorpusDeclaration, load_project, shipped_plan
from biblicus_context.stores import Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.systems.user_files.models import File, Message
from biblicus_context.systems.user_files.stored import (
    StoredFiles,
    StoredMessages,
    StoredReferences,
)
from biblicus_context.systems.user_files.user_corpus import UserCorpus
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.user_files_contract import UserFilesContract


class OverStores:
    """Repositories over two stores, whichever they are."""

    def __init__(self, files: Store, messages: Store) -> None:
        plan = load_project(shipped_plan("prime")).retrievers
        settings = {name: each.config for name, each in plan.items()}
        self.files = StoredFiles(_corpus("files", files), settings)
        self.references = StoredReferences(self.files)
        self.messages = StoredMessages(_corpus("messages", messages), settings)

    async def put(self, *files: File) -> None:
        await self.files.put(*files)

    async def refer(self, thread_id: str, file_id: str, user_id: str) -> None:
        await self.references.add(thread_id, file_id, user_id=user_id)

    async def say(self, thread_id: str, message: Message, user_id: str) -> None:
        await self.messages.add(thread_id, message, user_id=user_id)


def _corpus(name: str, store: Store) -> UserCorpus:
    declared = CorpusDeclaration(name=name, config={"store": name, "embedder": None})
    return UserCorpus(Corpus.open(declared, store=store), "prime")


class TestOverSQLite(UserFilesContract):
    @pytest.fixture
    def user_files(self, tmp_path: Path) -> OverStores:
        return OverStores(open_store(tmp_path / "files"), open_store(tmp_path / "messages"))


class TestInMemory(UserFilesContract):
    @pytest.fixture
    def user_files(self) -> OverStores:
        return OverStores(InMemoryStore(), InMemoryStore())
