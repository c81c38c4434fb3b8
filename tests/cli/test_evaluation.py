"""`eval` compares retrievers on collections with gold evidence."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.evaluation.conftest import QUERIES, RECORDS, write


@pytest.fixture(autouse=True)
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(
        "kind: retriever\nname: words\ncorpus: any\nconfig: {retriever_id: keyword, limit: 9}\n"
        "---\nkind: retriever\nname: meaning\nconfig: {retriever_id: vector, limit: 9}\n",
        encoding="utf-8",
    )
    return write(tmp_path / "sample", RECORDS, QUERIES)


def test_the_hybrid_is_measured_by_default(run):
    head, row = run("eval", "sample").text.splitlines()
    assert head.split()[:8] == [
        "collection",
        "retriever",
        "256",
        "512",
        "1024",
        "2048",
        "4096",
        "mean",
    ]
    assert row.split()[:8] == ["sample", "hybrid", *["100.0"] * 6]


def test_retrievers_of_files_stand_side_by_side(run):
    files = ("--retriever", "two.yaml", "--retriever", "two.yaml")
    found = run("eval", "sample", "--budget", 512, *files, "--format", "json").json
    assert [each["retriever"] for each in found] == [
        "words", "meaning", "words (two.yaml:1)", "meaning (two.yaml:6)",
    ]  # fmt: skip
    assert found[0]["recall"] == {"512": found[0]["mean_recall"]}
    assert found[0]["all_evidence"] == {"512": found[0]["mean_all_evidence"]}
    assert found[0]["queries"] == 3


def test_collections_of_the_same_name_are_told_apart_by_their_paths(run, tmp_path: Path):
    for version in ("old", "new"):
        (tmp_path / version).mkdir()
        write(tmp_path / version / "sample", RECORDS, QUERIES)
    write(tmp_path / "other", RECORDS, QUERIES)
    given = ("eval", "old/sample", "new/sample", "other", "--budget", 512, "--format", "json")
    names = [each["collection"] for each in run(*given).json]
    assert names == ["old/sample", "new/sample", "other"]


def test_a_few_queries_can_be_enough(run):
    found = run("eval", "sample", "--queries", 1, "--budget", 512, "--format", "json").json
    assert found[0]["queries"] == 1


def test_a_file_without_retrievers_is_refused(run, tmp_path: Path):
    (tmp_path / "none.yaml").write_text("kind: corpus\nname: x\n", "utf-8")
    refused = run("eval", "sample", "--retriever", "none.yaml").refusal
    assert refused == "no retriever is declared in these files: found 'none.yaml'"
    (tmp_path / "none.yaml").write_text("kind: retriver\nname: x\n", "utf-8")
    assert "none.yaml:1" in run("eval", "sample", "--retriever", "none.yaml").refusal
    assert "cannot be read" in run("eval", "nowhere").refusal


def test_a_mistake_in_the_settings_of_a_retriever_is_told_with_its_file(run, tmp_path: Path):
    text = (
        "kind: retriever\nname: fine\nconfig: {retriever_id: keyword}\n---\n"
        "kind: retriever\nname: mine\nconfig: {retriever_id: keyword, limt: 3}\n"
    )
    (tmp_path / "slip.yaml").write_text(text, "utf-8")
    refused = run("eval", "sample", "--retriever", "slip.yaml").refusal
    assert refused.startswith("slip.yaml:5: retriever 'mine' config: unknown setting: found 'limt'")


def test_a_retriever_that_python_hands_in_is_not_measured_as_another_one(run, tmp_path: Path):
    (tmp_path / "handed.yaml").write_text("kind: retriever\nname: mine\n", "utf-8")
    refused = run("eval", "sample", "--retriever", "handed.yaml").refusal
    assert refused.startswith("handed.yaml:1: retriever 'mine' has no retriever_id. It is passed")


def test_every_retriever_gets_a_row_whatever_it_is_called(run, tmp_path: Path):
    kinds = ("keyword", "vector", "recent")
    declared = [f"kind: retriever\nname: kb\nconfig: {{retriever_id: {kind}}}\n" for kind in kinds]
    (tmp_path / "kb.yaml").write_text("---\n".join(declared), "utf-8")
    found = run("eval", "sample", "--retriever", "kb.yaml", "--format", "json").json
    assert [each["retriever"] for each in found] == ["kb", "kb (kb.yaml:5)", "kb (kb.yaml:9)"]


def test_no_figure_is_cut_however_narrow_the_terminal_is(
    run, sample: Path, monkeypatch: pytest.MonkeyPatch
):
    long = sample.rename(sample.with_name("a-rather-long-name-for-a-collection"))
    wide = run("eval", long.name).text.splitlines()[1]
    for columns in ("40", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        head, row, *more = run("eval", long.name).text.splitlines()
        assert head.split() == [
            *("collection", "retriever", "256", "512", "1024", "2048", "4096"),
            *("mean", "all", "filled", "nDCG@10", "p50", "ms", "p95", "ms"),
        ]
        assert row.split()[2:9] == wide.split()[2:9]
        assert row.split()[0] + "".join(more) == long.name


def test_a_table_that_is_no_terminal_s_is_as_wide_as_it_needs(
    run, sample: Path, monkeypatch: pytest.MonkeyPatch
):
    long = sample.rename(sample.with_name("a-rather-long-name-for-a-collection" * 4))
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("sys.__stdout__", io.StringIO())
    _, row = run("eval", long.name).text.splitlines()
    assert row.split()[0] == long.name


def test_a_bar_is_drawn_where_somebody_looks_at_one(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert run("eval", "sample", "--budget", 512).out.startswith("collection")


def test_the_embedder_can_be_another(run):
    found = run("eval", "sample", "--budget", 512, "--embedder", "minilm", "--format", "json").json
    assert found[0]["recall"] == {"512": 1.0}
    assert "Embedder 'minlm' not defined" in run("eval", "sample", "--embedder", "minlm").refusal
