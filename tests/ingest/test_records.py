"""Records and turns are searched as well as the same texts as files."""

from __future__ import annotations

import json
from pathlib import Path

from biblicus_context.corpora import LOCAL, Corpus
from biblicus_context.testing.store_samples import seen
from tests.ingest.build import written

TURNS = ["Shall we begin?", "The budget is nine thousand.", "So be it.", "Then lunch."]
FUNCTIONS = {
    "read_rows": 'def read_rows(file):\n    """Yields what a table holds."""\n    return file',
    "add_all": 'def add_all(numbers):\n    """The total."""\n    return sum(numbers)',
    "greet": 'def greet(name):\n    """Says hello."""\n    return name',
}


def lines(*records: object) -> str:
    return "\n".join(map(json.dumps, records))


def scores(corpus: Corpus, query: str) -> dict[str, dict[str, float]]:
    return {each.block.text: {**each.parts} for each in corpus.search(query, limit=20)}


def test_a_transcript_without_session_names_is_one_session(tmp_path: Path):
    turns = [{"speaker": "Ada", "text": text} for text in TURNS]
    named = [{**turn, "session": "talk.jsonl"} for turn in turns]
    found = []
    for folder, records in (("without", turns), ("with", named)):
        root = written(tmp_path / folder, {"talk.jsonl": lines(*records)})
        with Corpus.open(root) as corpus:
            corpus.ingest()
            blocks = seen(corpus.store, LOCAL).blocks_of(["talk.jsonl"])
            assert {block.session for block in blocks} == {"talk.jsonl"}
            found.append(scores(corpus, "budget"))
    assert found[0] == found[1]
    assert "neighbours" in found[0]["Then lunch."]


def test_records_next_to_each_other_lend_each_other_nothing(tmp_path: Path):
    rows = [{"text": f"{word} is a word of its own."} for word in ("Tea", "Rain", "Brass", "Salt")]
    with Corpus.open(written(tmp_path / "files", {"a.jsonl": lines(*rows)})) as corpus:
        corpus.ingest()
        assert all("neighbours" not in parts for parts in scores(corpus, "brass").values())
        (hit,) = corpus.search("brass", limit=1, neighbours=2)
        assert hit.block.text == "Brass is a word of its own."


def test_the_blocks_of_one_long_record_stay_neighbours(tmp_path: Path):
    text = "\n\n".join(f"Part {n} of it. " + f"Word{n} more. " * 80 for n in range(4))
    root = written(tmp_path / "files", {"a.jsonl": lines({"text": text}, {"text": "Else."})})
    with Corpus.open(root) as corpus:
        corpus.ingest()
        positions = [each.position for each in seen(corpus.store, LOCAL).blocks_of(["a.jsonl"])]
        *of_one, other = positions
        assert of_one == [*range(len(of_one))]
        assert other - of_one[-1] > 50


def test_code_in_records_is_indexed_as_the_same_code_in_files(tmp_path: Path):
    files = {f"{name}.py": text for name, text in FUNCTIONS.items()}
    records = lines(*({"id": name, "text": text} for name, text in FUNCTIONS.items()))
    found = []
    for folder, content in (("files", files), ("records", {"a.jsonl": records})):
        with Corpus.open(written(tmp_path / folder, content)) as corpus:
            corpus.ingest()
            names = files if folder == "files" else ["a.jsonl"]
            blocks = [b for name in names for b in seen(corpus.store, LOCAL).blocks_of([name])]
            found.append({block.text: (block.indexed_text, block.heading) for block in blocks})
            ranked = [hit.block.text for hit in corpus.search("read rows of a table", limit=3)]
            assert ranked[0] == FUNCTIONS["read_rows"]
    assert found[0] == found[1]
