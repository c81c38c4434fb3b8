"""A small folder of notes, indexed once for tests that only read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context.corpora import Corpus

NOTES = {
    "tea.md": "---\ntags: [drinks]\nauthor: Ada\n---\n# Tea\n\n## Green tea\n\n"
    "Green tea wants water of 80 degrees.\n\n## Black tea\n\nBlack tea wants boiling water.\n",
    "bread.md": "# Bread\n\nRye bread keeps for a week in a linen bag.\n",
    "bikes/repair.md": "# Repair\n\nA flat tyre is patched with glue and a rubber patch.\n",
    "talk.jsonl": '{"role": "user", "content": "Shall we talk about the garden?"}\n'
    '{"role": "assistant", "content": "Yes. The roses need pruning in March."}\n'
    '{"role": "user", "content": "And what about before?"}\n',
}


def write_notes(root: Path) -> Path:
    for name, text in NOTES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "notes")


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    with Corpus.open(write_notes(tmp_path_factory.mktemp("shared") / "notes")) as corpus:
        corpus.ingest()
        yield corpus


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """Thirty files that all answer the same question, with three blocks each."""
    root = tmp_path_factory.mktemp("shared") / "many"
    root.mkdir()
    for number in range(30):
        sections = (
            f"## Part {part}\n\nLamp {number} has a bulb of {number + part} watts. " + "More. " * 60
            for part in range(3)
        )
        (root / f"{number:02}.md").write_text("\n\n".join(sections), encoding="utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        yield corpus
