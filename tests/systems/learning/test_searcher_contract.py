"""The searcher of a store keeps the contract that ships for others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context.systems.learning import LearningStore, Searcher
from biblicus_context.testing.searcher_contract import (
    EXPERIENCES,
    MEMORIES,
    VALUES,
    SearcherContract,
)


class TestLearningStore(SearcherContract):
    @pytest.fixture(autouse=True)
    def filled(self, tmp_path: Path) -> Iterator[None]:
        self.store = LearningStore.open(tmp_path / "learning", floor=None)
        for memory in MEMORIES:
            asyncio.run(self.store.record_memory(memory))
        for experience in EXPERIENCES:
            asyncio.run(self.store.record_experience(experience))
        for value in VALUES:
            asyncio.run(self.store.record_value(value))
        yield
        self.store.close()

    def searcher(self) -> Searcher:
        return self.store.searcher()
