"""`eval` compares retrievers on collections with gold evidence."""

from __future__ import annotations

import io
import json
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


def test_collections_are_measured_alone_and_in_a_pool(run, tmp_path: Path):
    write(tmp_path / "other", RECORDS, QUERIES)
    given = ("eval", "sample", "other", "--budget", 512, "--pool", "--foreign")
    found = run(*given, "--format", "json").json
    assert [(each["collection"], each["pooled_with"]) for each in found] == [
        ("sample", []),
        ("other", []),
        ("sample", ["other"]),
        ("other", ["sample"]),
    ]
    assert [each["silent"] for each in found] == [0.0, 0.0, None, None]
    rows = run(*given).text.splitlines()[1:]
    assert [row.partition("hybrid")[0].strip() for row in rows] == [
        "sample",
        "other",
        "sample in a pool",
        "other in a pool",
    ]


@pytest.mark.parametrize("option", ["--pool", "--foreign"])
def test_one_collection_is_not_compared_with_others(run, option: str):
    refused = run("eval", "sample", option).refusal
    assert refused.startswith(f"{option} needs two collections")


def test_a_few_queries_can_be_enough(run):
    found = run("eval", "sample", "--queries", 1, "--budget", 512, "--format", "json").json
    assert found[0]["queries"] == 1


def test_a_file_without_retrievers_is_refused(run, tmp_path: Path):
    (tmp_path / "none.yaml").write_text("kind: corpus\nname: x\n", "utf-8")
    refused = run("eval", "sample", "--retriever", "none.yaml").refusal
    assert refused == "none.yaml: no retriever is declared in this file"
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
    monkeypatch.setenv("COLUMNS", "200")
    heads, wide = run("eval", long.name).text.splitlines()
    for columns in ("40", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        name, *lines = run("eval", long.name).text.splitlines()
        assert name == long.name
        assert [line.split()[0] for line in lines] == heads.replace(" ms", "").split()[1:]
        assert [line.split()[-1] for line in lines][:8] == wide.split()[1:9]
        assert max(map(len, lines)) <= 40


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


PAGES = {
    "gifts.md": "# Gifts\n\nGift wrapping costs two euros.\n",
    "lost.md": "# Lost parcels\n\nA parcel is lost after ten days. Then we send another one.\n",
    "returns.md": "# Returns\n\nGoods can be sent back within thirty days.\n",
}
QUESTIONS = """\
question,file
How much is gift wrapping?,gifts.md
My parcel is lost. What now?,lost.md
"Can I send back a gift, wrapped?",returns.md; gifts.md
"""
PLAN = """\
kind: corpus
name: handbook
config: {root: ../pages}
---
kind: retriever
name: words
corpus: handbook
config: {retriever_id: keyword, query: "{input.question}"}
"""


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A project with an indexed corpus, and a file of questions about it."""
    for folder in ("pages", "contexts"):
        (tmp_path / folder).mkdir()
    for name, text in PAGES.items():
        (tmp_path / "pages" / name).write_text(text, "utf-8")
    (tmp_path / "contexts" / "handbook.yaml").write_text(PLAN, "utf-8")
    (tmp_path / "questions.csv").write_text(QUESTIONS, "utf-8")
    return tmp_path


def test_questions_measure_a_corpus_as_it_is_indexed(run, handbook: Path):
    run("index", "-q")
    (figures,) = run("eval", "questions.csv", "--budget", "10,500", "--format", "json").json
    assert (figures["collection"], figures["retriever"]) == ("handbook by questions.csv", "words")
    assert figures["recall"]["500"] == 1
    assert figures["recall"]["10"] < 1
    assert figures["missed"] == []


def test_a_corpus_that_was_never_indexed_is_indexed_first(run, handbook: Path):
    status, out, err = run("eval", "questions.csv", "--budget", "500")
    assert (status, err) == (0, "indexed handbook: 3 files, 3 blocks\n")
    assert "100.0" in out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.tsv", "Query\tFiles\nHow much is gift wrapping?\tgifts.md\n"),
        ("q.csv", "question;file\nHow much is gift wrapping?;gifts.md\n"),
        ("q.jsonl", '{"question": "How much is gift wrapping?", "files": ["gifts.md"]}\n'),
        ("q.ndjson", '\ufeff{"text": "How much is gift wrapping?", "gold": "gifts.md"}\n\n'),
    ],
)
def test_questions_may_be_a_table_or_json_lines(run, handbook: Path, name: str, text: str):
    run("index", "-q")
    (handbook / name).write_text(text, "utf-8")
    (figures,) = run("eval", name, "--budget", 500, "--format", "json").json
    assert (figures["queries"], figures["mean_recall"]) == (1, 1)


def test_verbose_names_the_questions_whose_files_are_missing(run, handbook: Path):
    run("index", "-q")
    status, _, err = run("eval", "questions.csv", "--budget", "10", "--verbose")
    assert status == 0
    assert "words: not all files are found: Can I send back a gift, wrapped?\n" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "question,file\nWhere?,giftz.md\n",
            "question in line 2, corpus 'handbook': no file with this name is in the index: found 'giftz.md'. Valid: gifts.md, lost.md, returns.md. Did you mean 'gifts.md'?",
        ),
        (
            "qestion,file\nWhere?,gifts.md\n",
            "q.csv:2: a row needs a question: found 'qestion'. Valid: question, query, text. Did you mean 'question'?",
        ),
        (
            "question,file\nWhere?,\n",
            "q.csv:2: the file is empty",
        ),
        ("question,file\n", "q.csv: there are no questions"),
        ('question,file\n"Where?,gifts.md\n', "q.csv:2: invalid CSV: unexpected end of data"),
    ],
)
def test_a_mistake_in_questions_is_one_message_with_its_line(run, handbook: Path, text, said):
    run("index", "-q")
    (handbook / "q.csv").write_text(text, "utf-8")
    assert run("eval", "q.csv").refusal == said


def test_an_object_that_is_none_is_refused_with_its_line(run, handbook: Path):
    run("index", "-q")
    for text, said in (
        ("[1]\n", "q.jsonl:1: not an object: found [1]"),
        ("\n{\n", "q.jsonl:2: invalid JSON"),
    ):
        (handbook / "q.jsonl").write_text(text, "utf-8")
        assert run("eval", "q.jsonl").refusal == said


def test_declared_retrievers_are_measured_by_name(run, handbook: Path):
    run("index", "-q")
    found = run(
        "eval", "questions.csv", "--retriever", "words", "--budget", 500, "--format", "json"
    )
    assert [each["retriever"] for each in found.json] == ["words"]
    refusal = run("eval", "questions.csv", "--retriever", "wrods").refusal
    assert refusal == "Retriever 'wrods' not defined. Known: words. Did you mean 'words'?"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", "question,file\nHow much is gift wrapping?,lost.md | gifts.md\n"),
        (
            "q.jsonl",
            '{"question": "How much is gift wrapping?", "files": [["lost.md", "gifts.md"]]}',
        ),
    ],
)
def test_either_of_two_files_may_answer_a_question(run, handbook: Path, name: str, text: str):
    (handbook / name).write_text(text, "utf-8")
    (either,) = run("eval", name, "-q", "--budget", 25, "--format", "json").json
    (handbook / "both.csv").write_text(text.replace("|", ";"), "utf-8")
    assert (either["recall"]["25"], either["ndcg_at_10"]) == (1, 1)
    (handbook / "both.csv").write_text(
        "question,file\nHow much is gift wrapping?,lost.md; gifts.md\n"
    )
    (both,) = run("eval", "both.csv", "--budget", 25, "--format", "json").json
    assert both["recall"]["25"] == 0.5


def test_recall_below_the_threshold_fails_a_build(run, handbook: Path):
    asked = ("eval", "questions.csv", "-q", "--budget", "10,500", "--at-least")
    assert run(*asked, 0.9).status == 0
    failed = run(
        "eval", "questions.csv", "-q", "--budget", 10, "--at-least", 0.9, "--format", "json"
    )
    assert failed.status == 1
    recall = json.loads(failed.out)[0]["recall"]["10"]
    assert failed.err == (
        f"words: recall {recall:.3f} in 10 tokens, less than 0.9 (handbook by questions.csv)\n"
    )


def test_a_broken_index_fails_a_build(run, handbook: Path):
    asked = ("eval", "questions.csv", "-q", "--budget", 500, "--at-least", 0.9)
    assert run(*asked).status == 0
    plan = handbook / "contexts" / "handbook.yaml"
    plan.write_text(
        plan.read_text("utf-8").replace('query: "{', 'filters: {path: none/**}, query: "{'), "utf-8"
    )
    assert run(*asked).status == 1


def test_another_embedder_is_measured_over_the_same_files(run, handbook: Path):
    plan = handbook / "contexts" / "handbook.yaml"
    plan.write_text(plan.read_text("utf-8").replace("keyword", "vector"), "utf-8")
    run("index", "-q")
    said = ("eval", "questions.csv", "--budget", "20,30,40", "--format", "json", "--embedder")
    index = handbook / ".biblicus-context"
    before = {file: file.stat().st_mtime_ns for file in index.rglob("*.db")}
    found = run(*said, "granite")
    assert "indexed handbook: 3 files" in found.err
    assert json.loads(found.out)[0]["recall"]["40"] == 1
    assert {file: file.stat().st_mtime_ns for file in index.rglob("*.db")} == before
    assert "Embedder 'granit' not defined" in run(*said, "granit").err


def test_records_of_programs_cannot_be_embedded_again(run, handbook: Path):
    (handbook / "contexts" / "notes.yaml").write_text(
        "kind: corpus\nname: notes\nconfig: {store: ../notes}\n", "utf-8"
    )
    refusal = run("eval", "questions.csv", "--corpus", "notes", "--embedder", "granite").refusal
    assert "corpus 'notes'" in refusal
