"""The settings of a corpus say how large its blocks are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biblicus_context import Corpus, Record
from biblicus_context.errors import PlanError
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.testing.store_samples import seen

LONG = "\n\n".join(f"Part {n} of this text says a few words about tea." for n in range(60))


def declared(**config: Any) -> CorpusDeclaration:
    return CorpusDeclaration(name="notes", config=config)


def sizes(corpus: Corpus, document: str) -> list[int]:
    return [each.tokens for each in seen(corpus.store, corpus.principal).blocks_of([document])]


def test_files_are_cut_as_declared_and_read_again_when_that_changes(tmp_path: Path):
    root = tmp_path / "notes"
    root.mkdir()
    (root / "long.md").write_text(f"# A\n\n{LONG}\n\n# B\n\nShort.\n", "utf-8")
    with Corpus.open(declared(root=str(root))) as corpus:
        corpus.ingest()
        usual = sizes(corpus, "long.md")
    with Corpus.open(declared(root=str(root), chunks={"tokens": 60})) as corpus:
        assert corpus.ingest().changed == ("long.md",)
        assert corpus.ingest().changed == ()
        smaller = sizes(corpus, "long.md")
    assert max(usual) <= 200
    assert max(smaller) <= 60
    assert len(smaller) > 2 * len(usual)


def test_what_stays_whole_is_declared_too(tmp_path: Path):
    for whole, blocks in ((0, 1), (2_000, 0)):
        config = declared(store=str(tmp_path / f"{whole}"), chunks={"tokens": 100, "whole": whole})
        with Corpus.open(config) as corpus:
            corpus.put([Record(id="m1", text=LONG)])
            assert (len(sizes(corpus, "m1")) > 1) == bool(blocks)


def test_small_sections_stay_apart_if_declared(tmp_path: Path):
    """Such as the functions of a module, each a block of its own."""
    root = tmp_path / "code"
    root.mkdir()
    (root / "a.py").write_text("def one():\n    pass\n\n\ndef two():\n    pass\n", "utf-8")
    for least, blocks in ((None, 1), (0, 2), (40, 1)):
        chunks = {} if least is None else {"least": least}
        with Corpus.open(declared(root=str(root), chunks=chunks)) as corpus:
            corpus.ingest()
            assert len(sizes(corpus, "a.py")) == blocks


@pytest.mark.parametrize(
    ("chunks", "problem"),
    [
        ({"tokens": 0}, r"chunks.tokens: Input should be greater than or equal to 1"),
        ({"whole": -1}, r"chunks.whole: Input should be greater than or equal to 0"),
        ({"least": -1}, r"chunks.least: Input should be greater than or equal to 0"),
        ({"least": 201}, r"chunks.*least \(201\) is larger than tokens \(200\)"),
        ({"target": 100}, r"chunks.target"),
        ({"tokens": 10**9}, r"chunks.tokens: Input should be less than or equal to 100000"),
    ],
)
def test_sizes_that_cannot_be_meant_are_refused(chunks: dict[str, int], problem: str):
    with pytest.raises(PlanError, match=problem):
        Corpus.open(declared(root="notes", chunks=chunks))
