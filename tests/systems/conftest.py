"""Where the stores of tests of the systems are: in a folder, and on a Postgres server."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from biblicus_context.stores.postgres import open_store
from tests.nightly import NIGHTLY
from tests.stores.postgres import drop, new_schema, url

_NUMBERS: Final = count()
_ALWAYS: Final = pytest.mark.on_postgres.name


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test of a `place` runs in both at night; in the gate, those that are marked do."""
    for name in ("place", "module_place"):
        if name in metafunc.fixturenames:
            both = NIGHTLY or metafunc.definition.get_closest_marker(_ALWAYS)
            kinds = ("folder", "postgres") if both else ("folder",)
            scope = "module" if name == "module_place" else "function"
            metafunc.parametrize(name, kinds, indirect=True, scope=scope)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of one store for all tests; each has collections of its own there."""
    schema = new_schema()
    with (
        pytest.MonkeyPatch.context() as patched,
        open_store(url(schema)),  # its connections stay open
    ):
        patched.setenv("BIBLICUS_CONTEXT_CONNECTION_SYSTEMS", url(schema))
        yield "connection:systems"
    drop(schema)


def _place(request: pytest.FixtureRequest, folder: Path) -> str | Path:
    if request.param == "folder":
        return folder / "store"
    address: str = request.getfixturevalue("postgres")
    return f"{address}#t{next(_NUMBERS)}"


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a test keeps its store: in a folder, or in collections of its own on a server."""
    return _place(request, tmp_path)


@pytest.fixture(scope="module")
def module_place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> str | Path:
    """The same for all tests of a file."""
    return _place(request, tmp_path_factory.mktemp("store"))
