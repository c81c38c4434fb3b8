"""A golden test measures a retriever over the real index, so that a broken one fails a build."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.golden import GoldenReport, run_tests

PAGES = {
    "gifts.md": "# Gifts\n\nGift wrapping costs two euros.\n",
    "lost.md": "# Lost parcels\n\nA parcel is lost after ten days. Then we send another one.\n",
    "returns.md": "# Returns\n\nGoods can be sent back within thirty days.\n",
}
QUESTIONS = """\
question,file
How much is gift wrapping?,gifts.md
My parcel is lost. What now?,lost.md
Can goods be sent back?,returns.md
"""
PLAN = """\
kind: context
name: support
messages:
  - {type: context, name: pages}
---
kind: retriever
name: pages
corpus: pages
config: {retriever_id: keyword, query: "{input.question}"}
---
kind: corpus
name: pages
config: {root: ../pages, embedder: null}
"""
CASE = """\
kind: contexts-test
cases:
  - name: customers find what they ask for
    context: support
    questions: ../questions.csv
    expect: {recall_at: {tokens: 60, at_least: 0.9}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        **{f"pages/{page}": text for page, text in PAGES.items()},
        "questions.csv": QUESTIONS,
        "contexts/support.yaml": PLAN,
        "contexts/support.test.yaml": CASE,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def played(project: Path) -> GoldenReport:
    return run_tests([project / "contexts"])


def rewrite(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_the_files_are_indexed_and_the_evidence_is_found(project: Path) -> None:
    report = played(project)
    assert report.counts["passed"] == 1
    assert not report.could_not_run


def test_a_retriever_that_finds_less_fails(project: Path) -> None:
    plan = project / "contexts" / "support.yaml"
    rewrite(plan, "retriever_id: keyword", "retriever_id: keyword, limit: 1, offset: 3")
    (verdict,) = played(project).files[0].verdicts
    assert verdict.status == "failed"
    (failure,) = verdict.failures
    assert failure.expected == "0.9"
    assert str(failure.found).startswith("0.000; not all files for: How much is gift wrapping?")
    assert (failure.line, failure.column) == (6, 38)


def test_a_file_that_is_no_longer_indexed_is_named(project: Path) -> None:
    plan = project / "contexts" / "support.yaml"
    rewrite(plan, "root: ../pages", "root: ../pages, exclude: [gifts.md]")
    (verdict,) = played(project).files[0].verdicts
    assert verdict.status == "error"
    assert "no file with this name is in the index: found 'gifts.md'" in str(verdict.troubles[0])


def test_files_that_changed_since_the_last_run_are_read_again(project: Path) -> None:
    assert played(project).counts["passed"] == 1
    (project / "pages" / "gifts.md").write_text("# Presents\n\nNothing is known.\n", "utf-8")
    (verdict,) = played(project).files[0].verdicts
    assert verdict.status == "failed"
    assert str(verdict.failures[0].found).startswith("0.667")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("../questions.csv", "../question.csv", "the file of questions does not exist"),
        ("    questions: ../questions.csv\n", "", "a case about recall needs questions"),
        ("{recall_at: {tokens: 60, at_least: 0.9}}", "{}", "a case about recall needs recall_at"),
        (
            "{recall_at:",
            "{contains: Gift, recall_at:",
            "a case with questions has no expect.contains",
        ),
        ("    expect", "    turns: [{}, {}]\n    expect", "a case with questions has no turns"),
        ("    expect", "    retriever: pags\n    expect", "unknown retriever: found 'pags'"),
    ],
)
def test_a_mistake_in_such_a_case_is_one_message(
    project: Path, old: str, new: str, said: str
) -> None:
    rewrite(project / "contexts" / "support.test.yaml", old, new)
    (verdict,) = played(project).files[0].verdicts
    assert verdict.status == "error"
    assert said in str(verdict.troubles[0])


def test_a_context_with_two_retrievers_needs_the_name_of_one(project: Path) -> None:
    plan = project / "contexts" / "support.yaml"
    rewrite(plan, "name: pages}\n", "name: pages}\n  - {type: context, name: words}\n")
    second = "---\nkind: retriever\nname: words\ncorpus: pages\nconfig: {retriever_id: fuzzy}\n"
    plan.write_text(plan.read_text("utf-8") + second, "utf-8")
    (verdict,) = played(project).files[0].verdicts
    assert "2 retrievers may be meant. Write 'retriever: NAME', one of: pages, words." in str(
        verdict.troubles[0]
    )
    case = project / "contexts" / "support.test.yaml"
    rewrite(case, "    questions", "    retriever: words\n    questions")
    assert played(project).files[0].verdicts[0].status in ("passed", "failed")
