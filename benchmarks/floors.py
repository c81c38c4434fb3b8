"""`python -m benchmarks.floors DIR...`: how alike questions are to what answers them, and to what does not.

Each folder is a collection of records, as `biblicus-context eval` takes them; the everyday sets are added, and
questions that nothing answers. A question is foreign to all collections but its own; the everyday sets are of one
kind, as both companies have customers who want their money back. Printed is the share of both kinds below each floor.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import numpy as np

from benchmarks.everyday.__main__ import EMBEDDERS, HERE, SETS, questions
from biblicus_context.base.arrays import Numbers, Rows
from biblicus_context.embedders import Embedder, build_embedder, likeness_of

FLOORS: Final = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
_MOST_TEXTS: Final = 1_400
_MOST_QUESTIONS: Final = 120


class Asked(NamedTuple):
    """The texts of a collection, and questions that some of them answer."""

    name: str
    texts: Sequence[str]
    questions: Sequence[str]
    kind: str
    """What is asked of one collection of a kind is not foreign to the others."""


class Below(NamedTuple):
    """The shares of questions that are below each floor with their best text, in hundredths."""

    own: list[float]
    foreign: list[float]


def everyday() -> list[Asked]:
    """The sets of `benchmarks.everyday`; each page is a text."""
    return [
        Asked(
            name,
            [file.read_text("utf-8") for file in sorted((HERE / name / "pages").rglob("*.md"))],
            [each.text for each in questions(name)],
            "everyday",
        )
        for name in SETS
    ]


def foreign() -> Asked:
    """What people say and ask that none of the collections answers."""
    return Asked("foreign", [], (HERE / "foreign.txt").read_text("utf-8").splitlines(), "foreign")


def collection(folder: Path) -> Asked:
    """A sample of a collection, with all that answers the questions of the sample."""
    texts = {each["id"]: each["text"] for each in _lines(folder / "docs.jsonl")}
    shuffled = Random(5)
    asked = shuffled.sample(
        queries := _lines(folder / "queries.jsonl"), min(_MOST_QUESTIONS, len(queries))
    )
    gold = dict.fromkeys(each for query in asked for each in query["gold"])
    others = [each for each in texts if each not in gold]
    shuffled.shuffle(others)
    chosen = [*gold, *others[: max(0, _MOST_TEXTS - len(gold))]]
    return Asked(
        folder.name,
        [texts[each] for each in chosen],
        [each["text"] for each in asked],
        folder.name,
    )


def below(sets: Sequence[Asked], embedder: Embedder) -> dict[str, Below]:
    """For each set."""
    asked = {each.name: embedder.embed(each.questions) for each in sets}
    found = {}
    for each in sets:
        if not each.texts:
            continue
        texts = embedder.embed(each.texts)
        own = _best(asked[each.name], texts, embedder.model)
        others = [
            _best(asked[other.name], texts, embedder.model)
            for other in sets
            if other.kind != each.kind
        ]
        found[each.name] = Below(_shares(own), _shares(np.concatenate(others)))
    return found


def _best(asked: Rows, texts: Rows, model: str) -> Numbers:
    return likeness_of((asked @ texts.T).max(axis=1).astype(np.float64), model)


def _shares(alike: Numbers) -> list[float]:
    return [100 * float((alike < floor).mean()) for floor in FLOORS]


def _lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def main() -> None:
    """Print two lines for each collection and embedder."""
    sets = [foreign(), *everyday(), *(collection(Path(each)) for each in sys.argv[1:])]
    print(f"{'% below a floor of':32}" + "".join(f"{each:7.2f}" for each in FLOORS))
    for name in EMBEDDERS:
        for of, shares in below(sets, build_embedder(name)).items():
            for kind, own in shares._asdict().items():
                print(f"{f'{name}, {of}, {kind}':32}" + "".join(f"{each:7.1f}" for each in own))


if __name__ == "__main__":
    main()
