"""An index is looked after without losing what is in it, and without touching what is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from biblicus_context.corpora import Corpus, NotIndexedError, maintenance
from biblicus_context.errors import InputError
from biblicus_context.spec.corpus import CorpusSettings
from biblicus_context.stores import Batch, Document, Entry, Principal, StoreError
from biblicus_context.testing.store_samples import block

ROOT = Path(__file__).parents[2]
READER = """
import sqlite3, sys
from biblicus_context.corpora import Corpus

with Corpus.open(sys.argv[1]) as notes:
    assert notes.search("what stays")[0].source == "kept.md"
    (database,) = notes.place.glob("*.db")
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN")
    counted = connection.execute("SELECT count(*) FROM documents").fetchone()
    print("ready", flush=True)
    sys.stdin.readline()
    assert connection.execute("SELECT count(*) FROM documents").fetchone() == counted
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT count(*) FROM documents").fetchone() < counted
    assert notes.search("what stays")[0].source == "kept.md"
"""


@pytest.fixture
def notes(tmp_path: Path) -> Corpus:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "kept.md").write_text("# Kept\n\nThis is what stays.\n", "utf-8")
    (root / "a.PY").write_text("x = 1\n", "utf-8")
    (root / "b.rs").write_text("fn main() {}\n", "utf-8")
    (root / "c.py").write_text("def f():\n    return 1\n", "utf-8")
    corpus = Corpus.open(root)
    corpus.ingest()
    return corpus


def test_an_account_has_the_numbers_of_one_workspace_and_the_size_of_all(notes: Corpus):
    found = maintenance.account(notes)
    assert (found.info.documents, found.info.kinds) == (4, {"code": 3, "markdown": 1})
    (model,) = found.info.vectors
    assert found.coverage(model) == 1.0
    with Corpus.open(notes.root, principal=Principal("other")) as others:
        nothing = maintenance.account(others)
        assert (nothing.info.documents, nothing.changed) == (0, None)
        assert nothing.bytes == found.bytes
        assert maintenance.languages(others) == {}


def test_blocks_without_an_embedding_are_not_covered(notes: Corpus):
    document = Entry(Document(id="x"), (block("x", 0, "no vector"),))
    notes.store.write(notes.principal, Batch(put=(document,)))
    found = maintenance.account(notes)
    assert [found.coverage(model) for model in found.info.vectors] == [0.8]


def test_languages_are_counted_the_most_frequent_first(notes: Corpus):
    assert [*maintenance.languages(notes).items()] == [("python", 2), ("rust", 1)]


def test_an_index_that_is_not_there_cannot_be_looked_after(tmp_path: Path):
    with Corpus.open(tmp_path) as corpus:
        for act in (
            maintenance.account,
            maintenance.check,
            maintenance.vacuum,
            maintenance.removable,
            maintenance.remove,
        ):
            with pytest.raises(NotIndexedError):
                act(corpus)
        assert not corpus.place.exists()


def test_a_vacuum_gives_space_back_while_another_process_reads(notes: Corpus):
    for number in range(200):
        (notes.root / f"{number}.txt").write_text(f"note {number} " * 400, "utf-8")
    notes.ingest()
    for number in range(200):
        (notes.root / f"{number}.txt").unlink()
    notes.ingest()
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(notes.root)],
        cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert reader.stdout is not None
    assert reader.stdout.readline() == "ready\n"
    maintenance.vacuum(notes)
    _, errors = reader.communicate("go\n", timeout=60)
    assert reader.returncode == 0, errors
    sizes = maintenance.vacuum(notes)
    assert maintenance.check(notes) == ()
    assert sizes.after < 1_000_000
    assert notes.search("what stays")[0].source == "kept.md"


def test_a_vacuum_leaves_the_embeddings_ready_to_search(notes: Corpus):
    for file in notes.place.glob("*.vectors"):
        file.unlink()
    for _ in range(2):
        maintenance.vacuum(notes)
        assert [*notes.place.glob("*.vectors")]


def test_what_is_removed_is_the_index_and_it_can_be_made_again(notes: Corpus):
    before = {path: path.read_bytes() for path in notes.root.iterdir()}
    assert maintenance.removable(notes) == maintenance.size_on_disk(notes.place)
    maintenance.remove(notes)
    assert not notes.place.exists()
    assert {path: path.read_bytes() for path in notes.root.iterdir()} == before
    assert len(notes.ingest().added) == 4


def test_a_folder_of_the_user_is_not_removed(tmp_path: Path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "letter.txt").write_text("dear", "utf-8")
    corpus = Corpus("mine", CorpusSettings(root="."), store=folder)
    for act in (maintenance.removable, maintenance.remove):
        with pytest.raises(StoreError, match="this folder is not a store"):
            act(corpus)
    assert (folder / "letter.txt").read_text() == "dear"
    with pytest.raises(InputError, match="must be valid as the name of a folder"):
        Corpus("../mine", CorpusSettings(root="."))
