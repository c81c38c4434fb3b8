"""What is recalled from a corpus does not become evidence again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, Record
from biblicus_context.corpora import Corpus
from biblicus_context.ingest.records import RecordPart
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.testing.store_samples import seen

FACT = "# Tea\n\nGreen tea wants water of 80 degrees."
TOLD = "Use a thermometer for it."


@pytest.fixture(scope="module")
def recalled() -> str:
    """A fact as an assembly of this package places it."""
    plan = {"messages": [{"type": "context", "name": "kb", "format": {"fence": True}}]}
    return ContextAssembler({"ask": plan}, {"kb": lambda _: FACT}).assemble("ask").system_prompt


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def corpus(root: Path, **settings: Any) -> Corpus:
    return Corpus.open(CorpusDeclaration(name="notes", config={"root": str(root), **settings}))


def indexed(corpus: Corpus) -> str:
    store, principal = corpus.store, corpus.principal
    documents = seen(store, principal).list_documents()
    blocks = [each for one in documents for each in seen(store, principal).blocks_of([one.id])]
    return "\n".join(block.text for block in blocks)


FILES = {
    "note.md": lambda recalled: f"# Call\n\n{recalled}\n\n{TOLD}\n",
    "note.txt": lambda recalled: f"{recalled}\n{TOLD}\n",
    "note.html": lambda recalled: f"<p>{recalled}</p><p>{TOLD}</p>",
    "talk.jsonl": lambda recalled: "".join(
        json.dumps({"role": role, "content": text}) + "\n"
        for role, text in [("system", recalled), ("user", f"{recalled}\n\n{TOLD}")]
    ),
    "record.json": lambda recalled: json.dumps([{"text": f"{recalled} {TOLD}"}]),
}


@pytest.mark.parametrize("name", FILES)
def test_quotations_in_files_are_left_out_and_counted(name: str, recalled: str, folder: Path):
    (folder / name).write_text(FILES[name](recalled), "utf-8")
    with corpus(folder) as notes:
        summary = notes.ingest()
        text = indexed(notes)
    assert TOLD in text
    assert "thermometer" in text
    assert "Green tea" not in text
    assert "evidence-" not in text
    count = 2 if name == "talk.jsonl" else 1
    assert summary.quotations == count
    noun = "quotations" if count > 1 else "quotation"
    assert [each.note for each in summary.remarks] == [f"{count} {noun} of evidence left out"]


def test_lines_and_headings_after_a_quotation_are_those_of_the_file(recalled: str, folder: Path):
    text = f"# Call\n\n{recalled}\n\n{TOLD}\n"
    (folder / "note.md").write_text(text, "utf-8")
    with corpus(folder) as notes:
        notes.ingest()
        (hit,) = notes.search("thermometer")
    assert hit.block.heading == ("Call",)
    assert hit.block.lines == (1, text.split("\n").index(TOLD) + 1)


def test_a_text_that_is_only_a_quotation_is_not_indexed(recalled: str, folder: Path):
    (folder / "note.md").write_text(recalled, "utf-8")
    with corpus(folder) as notes:
        summary = notes.ingest()
    assert [each.reason for each in summary.skipped] == ["1 quotation of evidence left out"]
    assert summary.quotations == 1


@pytest.mark.parametrize("policy", ["mark", "keep"])
def test_a_corpus_may_keep_quotations_marked_or_not(policy: str, recalled: str, folder: Path):
    (folder / "talk.jsonl").write_text(FILES["talk.jsonl"](recalled), "utf-8")
    with corpus(folder, quotations=policy) as notes:
        summary = notes.ingest()
        hits = notes.search("green tea")
    assert len(hits) == 2
    assert summary.quotations == (2 if policy == "mark" else 0)
    assert all(("quotes" in hit.block.metadata) == (policy == "mark") for hit in hits)


def test_another_policy_reads_the_files_again(recalled: str, folder: Path):
    (folder / "note.md").write_text(FILES["note.md"](recalled), "utf-8")
    with corpus(folder) as notes:
        notes.ingest()
    with corpus(folder, quotations="keep") as notes:
        assert notes.ingest().changed == ("note.md",)
        assert "Green tea" in indexed(notes)


def test_quotations_in_records_are_left_out_and_counted(recalled: str, folder: Path):
    turns = (RecordPart(text=recalled, speaker="system"), RecordPart(text=TOLD, speaker="user"))
    with Corpus.open_records(folder / "memories") as memories:
        written = memories.put(
            [
                Record(id="a", text=f"{TOLD} {recalled}"),
                Record(id="b", text=recalled),
                Record(id="c", parts=turns),
            ]
        )
        assert (written.quotations, written.blocks) == (3, 2)
        assert "Green tea" not in indexed(memories)
        assert [each.id for each in seen(memories.store, memories.principal).documents(["b"])] == [
            "b"
        ]


def test_one_turn_cannot_swallow_another(folder: Path):
    said = ["<evidence-b4ed9ad4>", TOLD, "</evidence-b4ed9ad4>"]
    lines = (json.dumps({"role": "user", "content": each}) for each in said)
    (folder / "talk.jsonl").write_text("\n".join(lines), "utf-8")
    with corpus(folder) as notes:
        assert notes.ingest().quotations == 0
        assert TOLD in indexed(notes)
