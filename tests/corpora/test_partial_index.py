"""An index that is being made, or whose making was interrupted, is an error and not a poorer context."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import (
    ContextAssembler,
    ContextAssemblyResult,
    ContextError,
    Corpus,
    CorpusDeclaration,
    InputError,
    RetrieverError,
)
from biblicus_context.corpora.errors import NotIndexedError, PartialIndexError
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.ingest.summary import Progress
from biblicus_context.testing.store_samples import seen

PLAN = """
kind: context
name: main
policy: {{input_budget: {{max_tokens: 500}}}}
messages:
  - {{type: context, name: kb{on_error}}}
  - {{type: user, content: "tea"}}
---
kind: retriever
name: kb
corpus: notes
config: {{retriever_id: keyword, query: tea{own}}}
---
kind: corpus
name: notes
config: {{root: notes, embedder: null{index}}}
"""


def notes(folder: Path, number: int = 5) -> Path:
    root = folder / "notes"
    root.mkdir(exist_ok=True)
    for each in range(number):
        (root / f"{each}.md").write_text(f"# Tea {each}\n\nTea number {each} is hot.\n")
    return root


def planned(folder: Path, index: str = "", own: str = "", on_error: str = "") -> ContextAssembler:
    path = folder / "plan.yaml"
    path.write_text(PLAN.format(index=index, own=own, on_error=on_error))
    return ContextAssembler.from_path(path)


def stopping(progress: Progress) -> None:
    if progress.files == 3:
        raise KeyboardInterrupt


def opened(root: Path, **options: Any) -> Corpus:
    """The corpus as the plan declares it."""
    embedder = options.pop("embedder", None)
    config = {"root": str(root), **({} if embedder else {"embedder": None})}
    return Corpus.open(CorpusDeclaration(name="notes", config=config), embedder=embedder)


def interrupted(folder: Path) -> Path:
    root = notes(folder)
    with opened(root) as corpus, pytest.raises(KeyboardInterrupt):
        corpus.ingest(stopping)
    return root


def text_of(result: ContextAssemblyResult) -> str:
    return "\n".join(str(each["content"]) for each in result.messages)


def test_an_interrupted_first_index_is_an_error_until_it_is_finished(tmp_path: Path):
    root = interrupted(tmp_path)
    with pytest.raises(RetrieverError, match="is not complete") as raised:
        planned(tmp_path).assemble("main")
    assert isinstance(raised.value.__cause__, PartialIndexError)
    assert "Run: biblicus-context index" in str(raised.value)
    with opened(root) as corpus:
        with pytest.raises(PartialIndexError, match="index: partial"):
            corpus.search("tea")
        corpus.ingest()
        assert len(corpus.search("tea")) == 5
    done = planned(tmp_path).assemble("main")
    assert "Tea number 2" in text_of(done)
    assert done.receipt.warnings == ()


@pytest.mark.parametrize("where", ["index", "own"])
def test_who_allows_it_searches_what_is_there_and_the_receipt_says_so(tmp_path: Path, where: str):
    root = interrupted(tmp_path)
    with opened(root) as corpus:
        corpus.store.record_filling(corpus.principal, finished=True)
        corpus.ingest()
        corpus.store.record_filling(corpus.principal, finished=False)
    done = planned(tmp_path, **{where: ", index: partial"}).assemble("main")
    assert "Tea number 2" in text_of(done)
    (warning,) = done.receipt.warnings
    assert "the index of corpus 'notes' is not complete: it" in warning
    assert "biblicus-context index" in warning


def test_a_retriever_may_be_stricter_than_its_corpus(tmp_path: Path):
    interrupted(tmp_path)
    assembler = planned(tmp_path, index=", index: partial", own=", index: complete")
    with pytest.raises(RetrieverError, match="is not complete"):
        assembler.assemble("main")


def test_a_pack_that_is_skipped_says_why(tmp_path: Path):
    interrupted(tmp_path)
    done = planned(tmp_path, on_error=", on_error: skip").assemble("main")
    (part,) = [each for each in done.receipt.parts if each.name == "kb"]
    assert part.action == "failed"
    assert "is not complete" in part.reason


def test_a_word_that_the_setting_does_not_have_is_refused(tmp_path: Path):
    interrupted(tmp_path)
    with pytest.raises(ContextError, match="index"):
        planned(tmp_path, own=", index: half").assemble("main")


def test_an_index_that_is_behind_its_files_is_stale_and_not_partial(tmp_path: Path):
    root = notes(tmp_path)
    with opened(root) as corpus:
        corpus.ingest()
        notes(tmp_path, 9)
        with pytest.raises(KeyboardInterrupt):
            corpus.ingest(stopping)
        assert len(corpus.search("tea")) == 5


def test_vectors_that_are_still_missing_make_it_partial(tmp_path: Path):
    root, stops = notes(tmp_path), True

    def rows(texts: list[str]) -> list[list[float]]:
        if stops:
            raise ConnectionError
        return [[1.0, 0.0] for _ in texts]

    with opened(root) as words:
        words.ingest()
    other = FunctionEmbedder(rows, model="other", dimensions=2)
    with opened(root, embedder=other) as corpus:
        with pytest.raises(ContextError, match="'other' failed"):
            corpus.ingest()
        with pytest.raises(PartialIndexError):
            corpus.search("tea")
        stops = False
        corpus.ingest()
        assert corpus.search("tea")


def test_an_empty_folder_is_a_complete_index(tmp_path: Path):
    root = notes(tmp_path, 0)
    with opened(root) as corpus:
        with pytest.raises(NotIndexedError):
            corpus.search("tea")
        corpus.ingest()
        assert corpus.search("tea") == []


def test_records_of_programs_are_never_partial(tmp_path: Path):
    with Corpus.open_records(tmp_path / "records") as corpus:
        assert corpus.search("tea") == []
        assert not corpus.index.is_partial


_CHILD = """
import sys, time
from biblicus_context import Corpus, CorpusDeclaration
from biblicus_context.ingest import syncing

syncing._BLOCKS_A_BATCH = 1

def slowly(progress):
    if progress.files == 3:
        print("there", flush=True)
        time.sleep(60)

config = {"root": sys.argv[1], "embedder": None}
Corpus.open(CorpusDeclaration(name="notes", config=config)).ingest(slowly)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_another_process_knows_while_it_is_made_and_after_a_kill(tmp_path: Path):
    root = notes(tmp_path)
    command = [sys.executable, "-c", _CHILD, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child, opened(root) as reader:
        assert child.stdout is not None
        assert child.stdout.readline() == b"there\n"
        assert len(seen(reader.store, reader.principal).fingerprints()) > 0
        with pytest.raises(PartialIndexError, match=r"being made at this moment\. Wait") as raised:
            reader.search("tea")
        assert "Run:" not in str(raised.value)
        child.kill()
        child.wait(10)
        with pytest.raises(PartialIndexError, match=r"was interrupted\. Run: biblicus-context"):
            reader.search("tea")
    with opened(root) as writer:
        writer.ingest()
        assert len(writer.search("tea")) == 5


def test_the_option_index_missing_finishes_what_was_interrupted(tmp_path: Path):
    interrupted(tmp_path)
    planned(tmp_path)
    assembler = ContextAssembler.from_path(tmp_path / "plan.yaml", index="missing")
    assert "Tea number 2" in text_of(assembler.assemble("main"))
    with pytest.raises(InputError, match="index"):
        ContextAssembler.from_path(tmp_path / "plan.yaml", index="sometimes")  # type: ignore[arg-type]
