"""Whatever a caller passes at a door, the answer is an error of this package, at once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from biblicus_context import (
    ContextAssembler,
    ContextRetrieverRequest,
    InputError,
    Record,
    UnknownNameError,
    load_project,
    retrieve_context_pack,
)
from biblicus_context.cli.main import main
from biblicus_context.corpora import Corpus, ranked_items
from biblicus_context.errors import ContextError
from biblicus_context.golden import run_tests
from biblicus_context.stores import Document, Principal
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import seen
from biblicus_context.text.counters import Counters
from biblicus_context.text.models.table import ModelTable

SOON = 20.0
"""Seconds; a door that waits for a pipe, or tries every part of a name, takes far longer."""

DOORS: list[Callable[[object], object]] = [
    load_project,
    lambda it: load_project("contexts", it),
    ContextAssembler.from_path,
    lambda it: Corpus.open(it).ingest(),
    lambda it: Corpus.open("pages", name=it).ingest(),
    open_store,
    ModelTable.from_file,
    lambda it: ModelTable.shipped().find(it),
    lambda it: Counters().get(it),
    lambda it: run_tests([it]),
    lambda it: Corpus.open("pages").search("x", limit=it),
    lambda it: (
        Principal("a", groups=it) and seen(open_store("store"), Principal("a", groups=it)).info()
    ),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder in ("contexts", "pages"):
        (tmp_path / folder).mkdir()
    (tmp_path / "contexts" / "a.yaml").write_text("kind: context\nname: a\n", "utf-8")
    (tmp_path / "pages" / "a.md").write_text("Tea.\n", "utf-8")
    os.mkfifo(tmp_path / "pipe")
    Corpus.open("pages").ingest()
    return tmp_path


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "it",
    ["a\0b", 3.5, b"contexts", object(), "a/" * 20_000],
    ids=lambda it: repr(it)[:20] if not callable(it) else None,
)
def test_what_a_door_does_not_take_is_an_error_of_this_package(here: Path, door, it):
    began = time.monotonic()
    try:
        report = door(it)
    except ContextError:
        pass
    else:  # a report names what could not be run, and an index may have any name that a file can
        assert getattr(report, "could_not_run", 1)
    assert time.monotonic() - began < SOON


def test_a_query_that_is_not_a_text_is_refused(here: Path):
    with pytest.raises(ContextError, match="a query is a text"):
        Corpus.open("pages").search(3)


@pytest.mark.parametrize(
    "door",
    [load_project, ContextAssembler.from_path, open_store, ModelTable.from_file],
)
def test_no_door_waits_for_a_pipe(here: Path, door):
    with pytest.raises(ContextError):
        door("pipe")


@pytest.mark.parametrize(
    "arguments",
    [
        ("lint", "--config", "pipe"),
        ("lint", "pipe"),
        ("render", "a", "--model", "/" * 20_000),
        ("models", "a-" * 10_000),
        ("tokens", "--model", "." * 20_000),
        ("eval", "pipe"),
    ],
    ids=lambda each: " ".join(each)[:20],
)
def test_a_command_answers_soon_whatever_it_is_given(here: Path, capsys, arguments):
    began = time.monotonic()
    assert main([*arguments]) == 2
    assert time.monotonic() - began < SOON
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert "bug in" not in err
    assert len(err) < 4000


def test_an_index_file_that_is_a_pipe_is_not_waited_for(here: Path, capsys):
    (database,) = (here / ".biblicus-context" / "pages").glob("*.db")
    for file in (*database.parent.glob("*.vectors"), database):
        file.unlink()
        os.mkfifo(file)
        assert main(["corpus", "check", "pages"]) in (1, 2)
        assert "bug in" not in capsys.readouterr().err
    assert main(["search", "tea", "--corpus", "pages"]) == 2


def test_an_index_is_readable_by_its_owner_alone(here: Path):
    (here / "pages" / "a.md").chmod(0o644)
    index = here / ".biblicus-context" / "pages"
    assert {oct(file.stat().st_mode & 0o777) for file in index.iterdir()} == {"0o600"}
    assert oct(index.stat().st_mode & 0o777) == "0o700"


def test_a_limit_below_one_names_the_argument():
    assembler = ContextAssembler({}, {"kb": {}}, retriever_functions={"kb": lambda request: None})
    for wrong in (-1, 0):
        with pytest.raises(InputError, match=r"^max_tokens: a whole number from 1 on"):
            assembler.retrieve("kb", "tea", max_tokens=wrong)
        with pytest.raises(InputError, match=r"^limit: a whole number from 1 on"):
            assembler.retrieve("kb", "tea", limit=wrong)


def test_a_name_that_no_folder_can_have_is_an_unknown_corpus(here: Path):
    request = ContextRetrieverRequest(query="tea")
    for name in ("x" * 5_000, "a/" * 2_040, "a\0b"):
        with pytest.raises(UnknownNameError):
            retrieve_context_pack(request=request, corpus=name, retriever_id="keyword")


def test_a_field_that_a_document_does_not_have_is_named(here: Path):
    records = Corpus.open_records(InMemoryStore(), embedder=None)
    records.put([Record(id="a", text="Tea.")])
    with pytest.raises(InputError, match=r"not a field that can be changed: found 'colour'"):
        records.writer.change(Document(id="a"), {"colour": "red"})


def test_figures_that_are_not_as_many_as_items_are_named():
    with pytest.raises(InputError, match=r"^similarities: a similarity is expected for each of 2"):
        ranked_items(["tea", "cup"], [0.5])
