"""Commands over corpora on a server: what they do in a folder, at an address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.stores.postgres import drop, new_schema, url


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    schema = new_schema()
    monkeypatch.setenv("BIBLICUS_CONTEXT_CONNECTION_TEAM", url(schema))
    yield "connection:team"
    drop(schema)


def test_a_folder_is_indexed_exported_imported_and_removed_on_a_server(
    run: Run, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """And checked, shrunk and described."""
    monkeypatch.chdir(tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("# Tea\n\nGreen tea wants water of 80 degrees.\n", "utf-8")
    plans = tmp_path / "contexts"
    plans.mkdir()
    declared = "kind: corpus\nname: {}\nconfig: {{root: ../notes, store: '{}', embedder: null}}\n"
    (plans / "near.yaml").write_text(declared.format("near", "../near"), "utf-8")
    (plans / "far.yaml").write_text(declared.format("far", address), "utf-8")
    done = run("index", "--corpus", "near", "--store", f"{address}#far", "--format", "json").json
    assert done["store"] == f"{address}#far"
    assert run("corpus", "check", "far").text == "far: sound\n"
    assert run("corpus", "vacuum", "far", "--format", "json").json["corpus"] == "far"
    assert run("corpus", "info", "far", "--format", "json").json["blocks"] == 1
    assert "80 degrees" in run("search", "tea", "--corpus", "far").out
    Path("far.jsonl").write_text(run("corpus", "export", "far").out, "utf-8")
    assert "Documents: 1" in run("corpus", "import", "far.jsonl", "other", "--corpus", "o").text
    written = run("corpus", "import", "far.jsonl", f"{address}#third", "--format", "json").json
    assert (written["name"], written["documents"]) == ("far", 1)
    assert "--yes" in run("corpus", "remove", "far").refusal
    assert "1 documents of workspace 'local'" in run("corpus", "remove", "far", "--yes").text
    assert run("corpus", "info", "far", "--format", "json").json["blocks"] == 0
