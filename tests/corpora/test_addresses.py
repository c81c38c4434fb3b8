"""A corpus whose store is on a server: a plan names a connection, and the environment says where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context import Corpus, Record
from biblicus_context.errors import ContextError, InputError
from biblicus_context.spec.corpus import CorpusDeclaration
from tests.stores.postgres import drop, new_schema, url

SECRET = "hunter2"


@pytest.fixture(scope="module")
def connection() -> Iterator[str]:
    """The name of a connection to a database without tables."""
    schema = new_schema()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BIBLICUS_CONTEXT_CONNECTION_TEAM_DB", url(schema))
        yield "team-db"
    drop(schema)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "tea.md").write_text("# Tea\n\nGreen tea wants water of 80 degrees.\n")
    (root / "rye.md").write_text("# Bread\n\nRye bread rises for two hours.\n")
    return root


def declared(root: Path, store: str) -> CorpusDeclaration:
    return CorpusDeclaration(name="notes", config={"root": str(root), "store": store})


def test_files_are_found_as_they_are_in_a_folder(connection: str, files: Path, tmp_path: Path):
    """The same blocks in the same order, whichever database is below."""
    found = []
    for store in (f"connection:{connection}", str(tmp_path / "index")):
        with Corpus.open(declared(files, store)) as corpus:
            assert len(corpus.ingest().added) == 2
            assert corpus.ingest().added == ()
            hits = corpus.search("how hot is the water for tea?")
            found.append([(each.block.id, each.block.text) for each in hits])
    assert found[0] == found[1]
    assert found[0][0][0].startswith("tea.md")


def test_a_part_of_an_address_is_a_collection_of_its_own(connection: str):
    """By default it has the name of the corpus: two corpora of one connection are apart."""
    for name, place in (
        ("memories", f"connection:{connection}"),
        ("facts", f"connection:{connection}"),
        ("other", f"connection:{connection}#shared"),
    ):
        with Corpus.open_records(place, name=name) as corpus:
            corpus.put([Record(id="one", text=f"Tea for {name}.")])
    for name, place in (
        ("memories", f"connection:{connection}"),
        ("anything", f"connection:{connection}#facts"),
        ("another", f"connection:{connection}#shared"),
    ):
        with Corpus.open_records(place, name=name) as corpus:
            (found,) = corpus.search("tea")
            assert name in found.block.text or name in {"anything", "another"}
            assert corpus.store_name.startswith(f"connection:{connection}#")


def test_an_unknown_connection_is_named_with_those_that_are_known(connection: str):
    """As every unknown name is."""
    with (
        Corpus.open_records("connection:nowhere") as corpus,
        pytest.raises(ContextError, match="nowhere") as raised,
    ):
        corpus.put([Record(id="one", text="Tea.")])
    assert "team_db" in str(raised.value)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@db.example/team",
        f"postgresql://db.example/team?user=ann&password={SECRET}",
        f"mysql://ann:{SECRET}@db.example/team",
        f"connection:main?password={SECRET}",
    ],
)
def test_a_place_with_a_password_in_it_is_refused(address: str):
    """A plan may be anybody's to read; the error does not repeat it."""
    with pytest.raises(InputError, match="connection:NAME") as raised:
        Corpus.open_records(address)
    assert SECRET not in str(raised.value)
