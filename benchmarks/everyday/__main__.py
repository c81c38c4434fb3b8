"""`python -m benchmarks.everyday`: whether the page that answers comes first, with each embedder.

nDCG@10 is 100 if it always does, and 63 if it is always the second one.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from biblicus_context import Corpus
from biblicus_context.embedders import build_embedder

HERE: Final = Path(__file__).parent
SETS: Final = ("invoicing", "mealbox")
EMBEDDERS: Final = ("granite", "wordllama")
RETRIEVERS: Final = ("hybrid", "vector", "keyword")
_FIRST: Final = 10


class Question(NamedTuple):
    """A question with the file that answers it."""

    text: str
    file: str


def questions(name: str) -> list[Question]:
    """Those of a set."""
    with (HERE / name / "questions.csv").open(encoding="utf-8", newline="") as lines:
        return [Question(row["question"], row["file"]) for row in csv.DictReader(lines)]


def ndcg(name: str, embedder: str, retrievers: Sequence[str] = RETRIEVERS) -> list[float]:
    """The mean of 1 / log2(1 + place of the file) over the questions, in hundredths."""
    with TemporaryDirectory() as folder:
        corpus = Corpus.open(HERE / name / "pages", store=folder, embedder=build_embedder(embedder))
        with corpus:
            corpus.ingest()
            return [_ndcg(corpus, questions(name), each) for each in retrievers]


def _ndcg(corpus: Corpus, asked: Sequence[Question], retriever: str) -> float:
    gains = []
    for question in asked:
        hits = corpus.search(question.text, limit=50, retriever_id=retriever)
        files = [*dict.fromkeys(hit.source for hit in hits)][:_FIRST]
        gains.append(1 / log2(2 + files.index(question.file)) if question.file in files else 0.0)
    return 100 * sum(gains) / len(gains)


def main() -> None:
    """Print a line for each set and embedder."""
    print(f"{'nDCG@10':24}" + "".join(f"{each:>9}" for each in RETRIEVERS))
    for name in SETS:
        for embedder in EMBEDDERS:
            figures = "".join(f"{each:9.1f}" for each in ndcg(name, embedder))
            print(f"{f'{name}, {embedder}':24}{figures}")


if __name__ == "__main__":
    main()
