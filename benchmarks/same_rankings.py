"""Rankings of random corpora as one text: `python -m benchmarks.same_rankings --corpora 60 > rankings.txt`.

Run it in two revisions and compare the files: every id, score and part of a score is there, to the last
bit, for random documents, readers, filters, sessions, queries and retrievers. It uses `Corpus` alone.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from biblicus_context.corpora import Corpus
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.ingest.records import Record, RecordPart
from biblicus_context.stores import Principal, Readers

WORDS = [
    "tea",
    "green",
    "black",
    "water",
    "pot",
    "leaf",
    "cup",
    "boil",
    "steam",
    "kettle",
    "x-ray",
    "don't",
    "café",
    "running",
    "run",
    "runs",
    "ship",
    "harbour",
    "sea",
    "gull",
    "tide",
    "sail",
    "mast",
    "crew",
    "the",
    "of",
    "and",
    "retrieval",
    "retreival",
    "order",
    "4711",
    "parseBody",
]
BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
ANN = Principal("acme", user="ann", groups={"hr"})
BOB = Principal("acme", user="bob")
KINDS = ("note", "fact", "decision")
RETRIEVERS = ("hybrid", "keyword", "vector", "fuzzy", "trigram", "recent")


def embedded(texts: list[str]) -> Any:
    """Vectors that depend on the words alone."""
    import numpy as np

    rows = np.zeros((len(texts), 16))
    for row, text in zip(rows, texts, strict=True):
        for word in text.split():
            dice = Random(word)
            row += [dice.gauss(0, 1) for _ in range(16)]
    return rows


def main() -> None:
    """Print the rankings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=40)
    parser.add_argument("--searches", type=int, default=40)
    options = parser.parse_args()
    for number in range(options.corpora):
        with TemporaryDirectory() as folder:
            for line in rankings(Path(folder), Random(number), options.searches):
                print(number, line)


def rankings(folder: Path, dice: Random, searches: int) -> list[str]:
    """One corpus, written in several batches, and searched as several users."""
    embedder = FunctionEmbedder(embedded, model="words", dimensions=16)
    everything = Corpus.open_records(
        folder / "s", principal=Principal("acme", sees_all=True), embedder=embedder
    )
    lines: list[str] = []
    for _ in range(dice.randint(1, 4)):
        made = {each.id: each for each in (record(dice) for _ in range(dice.randint(1, 40)))}
        everything.put(made.values())
        if dice.random() < 0.3:
            everything.remove([f"r{dice.randrange(60)}"])
        lines += [searched(everything, dice) for _ in range(searches // 2)]
    everything.close()
    return lines


def record(dice: Random) -> Record:
    """A text, a long text, or a talk in sessions; some are of few readers."""
    name = f"r{dice.randrange(60)}"
    made = Record(
        id=name,
        title=said(dice, 3) if dice.random() < 0.5 else "",
        kind=dice.choice(KINDS),
        created=BEGAN + timedelta(hours=dice.randrange(5_000)),
        confidence=dice.choice([None, 0.5, 0.9]),
    )
    if dice.random() < 0.3:
        made = replace(made, readers=Readers(users=frozenset({dice.choice(["ann", "bob"])})))
    if dice.random() < 0.4:
        parts = [
            RecordPart(text=said(dice, 12), session=f"s{n // 6}")
            for n in range(dice.randint(1, 18))
        ]
        return replace(made, parts=tuple(parts))
    if dice.random() < 0.4:
        return replace(made, text="\n\n".join(said(dice, 60) for _ in range(dice.randint(2, 12))))
    return replace(made, text=said(dice, dice.randint(1, 20)))


def said(dice: Random, words: int) -> str:
    """So many words."""
    return " ".join(dice.choices(WORDS, k=words))


def searched(corpus: Corpus, dice: Random) -> str:
    """One search: what was asked, and every score."""
    who = dice.choice([ANN, BOB, corpus.principal])
    settings: dict[str, Any] = {
        "retriever_id": dice.choice(RETRIEVERS),
        "limit": dice.choice([3, 30]),
    }
    if dice.random() < 0.4:
        settings["filters"] = {"kind": dice.sample(KINDS, 2)}
    if dice.random() < 0.2:
        settings["rank"] = {"similarity": 0.6, "confidence": 0.2, "usage": 0.2}
    if dice.random() < 0.2:
        settings["min_score"] = 0.2
    if dice.random() < 0.2:
        settings["neighbours"] = {"blocks": 1, "turns": 2}
    query = said(dice, dice.randint(1, 6))
    found = corpus.for_principal(who).search(query, **settings)
    hits = [(each.block.id, each.score, sorted(each.parts.items()), each.passage) for each in found]
    return f"{who.user} {query!r} {settings} {hits}"


if __name__ == "__main__":
    main()
