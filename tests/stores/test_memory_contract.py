"""A store without SQLite keeps the contract too, so the contract does not depend on SQLite."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from biblicus_context.installation import install_command
from biblicus_context.stores import Store
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_contract import StoreContract
from biblicus_context.testing.store_contract.isolation import MakeStore


class TestMemory(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return InMemoryStore()

    @pytest.fixture
    def make_store(self) -> MakeStore:
        @contextmanager
        def make() -> Iterator[Store]:
            yield InMemoryStore()

        return make


WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None
from importlib import util
find = util.find_spec
util.find_spec = lambda name: None if name == sys.argv[1] else find(name)
from biblicus_context.errors import MissingExtraError
try:
    import biblicus_context.testing.store_contract
except MissingExtraError as error:
    print(error)
"""


@pytest.mark.parametrize("library", ["numpy", "pytest", "hypothesis"])
def test_the_contract_names_the_extra_that_it_needs(library: str):
    command = [sys.executable, "-c", WITHOUT, library]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert install_command("testing") in printed
    assert f"'{library}' is not installed" in printed
