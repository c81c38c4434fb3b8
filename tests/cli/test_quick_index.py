"""`index` embeds what is new; `--quick` ends once it can be searched, and the next one goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """More texts than a slow embedder embeds at once, in a folder below the one that commands run in."""
    monkeypatch.delenv("BIBLICUS_CONTEXT_EMBEDDER")
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(120):
        (root / f"{number:03}.txt").write_text(f"Note {number} is about tea.", "utf-8")
    return root


def test_what_waits_is_said_until_the_next_index_has_embedded_it(notes: Path, run):
    first = run("index", "notes", "--quick").text
    assert "120 blocks" in first
    assert "120 blocks can be searched by quick vectors; run index again" in first
    told = run("corpus", "info", "notes").text
    assert "waiting" in told
    assert "120 blocks have quick vectors only; run index to embed them" in told
    assert json.loads(run("corpus", "info", "notes", "--format", "json").text)["waiting"] == 120
    found = run("search", "tea", "--corpus", "notes", "--limit", "1")
    assert found.status == 0
    second = run("index", "notes").text
    assert "embedded that waited" in second
    assert "can be searched by quick vectors" not in second
    assert "waiting" not in run("corpus", "info", "notes").text


def test_without_the_option_nothing_waits(notes: Path, run):
    done = json.loads(run("index", "notes", "--format", "json").text)
    assert (done["embedded"], done["waiting"]) == (120, 0)
