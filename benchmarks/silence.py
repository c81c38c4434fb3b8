"""`python -m benchmarks.silence DIR...`: whether a search is silent where nothing is relevant, and only there.

Each folder is a collection of records, as `biblicus-context eval` takes them; the everyday sets and the memories of
`benchmarks.acceptance` are added. A question of one collection is foreign to all others, except among the sets of one
kind. Printed for each collection: questions whose gold a search without a floor has among its first ten, and the share
of these that `min_score: auto` silences (lost); and the share of foreign questions that it silences (silent).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import yaml

from benchmarks.everyday.__main__ import EMBEDDERS, HERE, SETS, questions
from biblicus_context import Corpus, Record
from biblicus_context.embedders import build_embedder

_FIRST: Final = 10
_ACCEPTANCE: Final = Path(__file__).parent / "acceptance" / "memory"


class Question(NamedTuple):
    """A question, and the records of which one answers it."""

    text: str
    gold: frozenset[str]


class Collection(NamedTuple):
    """Records, questions about them, and what kind of collection it is."""

    name: str
    records: Sequence[Record]
    questions: Sequence[Question]
    kind: str


class Figures(NamedTuple):
    """Of one collection: questions found without a floor, of these lost, foreign ones, of these silent."""

    found: int
    lost: int
    foreign: int
    silent: int


def collections(folders: Iterable[Path], most: int, texts: int) -> list[Collection]:
    """Those of folders, of which `most` questions are asked, the everyday sets, and memories."""
    known = [each for folder in folders for each in _of_folder(folder, most, texts)]
    return [*known, *map(_everyday, SETS), _memories()]


def foreign() -> list[str]:
    """What people say and ask that no collection answers."""
    asked = yaml.safe_load((_ACCEPTANCE / "questions.yaml").read_text("utf-8"))
    silent = [each["ask"] for each in asked if each["kind"] == "silent"]
    return [*(HERE / "foreign.txt").read_text("utf-8").splitlines(), *silent]


def measured(
    one: Collection, others: Sequence[str], embedder: str | None, *, verbose: bool = False
) -> Figures:
    """The figures of one collection."""
    with TemporaryDirectory() as folder:
        made = None if embedder is None else build_embedder(embedder)
        settings: dict[str, Any] = {} if made else {"retriever_id": "keyword"}
        corpus = Corpus.open_records(folder, embedder=made) if made else _words_only(folder)
        with corpus:
            corpus.put_many(one.records)
            if made:
                corpus.embed_waiting()
            found = [
                each
                for each in one.questions
                if each.gold & {hit.document.id for hit in _hits(corpus, each.text, **settings)}
            ]
            settings |= {"min_score": "auto"}
            lost = [each for each in found if not _hits(corpus, each.text, **settings)]
            loud = [each for each in others if _hits(corpus, each, **settings)]
    if verbose:
        print(
            *(f"    lost: {each.text}" for each in lost),
            *(f"    loud: {each}" for each in loud),
            sep="\n",
        )
    return Figures(len(found), len(lost), len(others), len(others) - len(loud))


def _words_only(folder: str) -> Corpus:
    return Corpus.open_records(folder)


def _hits(corpus: Corpus, query: str, **settings: Any) -> list[Any]:
    return corpus.search(query, limit=_FIRST, **settings)


def _of_folder(folder: Path, most: int, texts: int) -> Iterable[Collection]:
    """A sample; of conversations, whose questions belong to one of them each, some conversations."""
    shuffled = Random(5)
    docs, asked = _lines(folder / "docs.jsonl"), _lines(folder / "queries.jsonl")
    parts = sorted({each.get("collection") or "" for each in asked})
    shuffled.shuffle(parts)
    for part in parts[:8]:
        own = [each for each in asked if (each.get("collection") or "") == part]
        own = shuffled.sample(own, min(most, len(own)))
        gold = {name for each in own for name in each["gold"]}
        mine = [e for e in docs if (e.get("metadata") or {}).get("collection", "") == part]
        mine = mine if part else docs
        others = [each for each in mine if each["id"] not in gold]
        if not part:
            shuffled.shuffle(others)
            others = others[: max(0, texts - len(gold))]
        kept = {each["id"] for each in others} | gold
        records = [_record(each) for each in mine if each["id"] in kept]
        known = [Question(each["text"], frozenset(each["gold"])) for each in own]
        yield Collection(f"{folder.name} {part}".strip(), records, known, folder.name)


def _record(line: dict[str, Any]) -> Record:
    session = (line.get("metadata") or {}).get("session")
    return Record(id=line["id"], text=line["text"], conversation=session)


def _everyday(name: str) -> Collection:
    pages = HERE / name / "pages"
    records = [
        Record(id=file.relative_to(pages).as_posix(), text=file.read_text("utf-8"), path=file.name)
        for file in sorted(pages.rglob("*.md"))
    ]
    asked = [Question(each.text, frozenset({each.file})) for each in questions(name)]
    return Collection(name, records, asked, "everyday")


def _memories() -> Collection:
    lines = _lines(_ACCEPTANCE / "memories.jsonl")
    asked = yaml.safe_load((_ACCEPTANCE / "questions.yaml").read_text("utf-8"))
    known = [
        Question(each["ask"], frozenset(each["gold"]))
        for each in asked
        if "gold" in each and "before" not in each
    ]
    records = [Record(id=each["id"], text=each["content"], kind=each["type"]) for each in lines]
    return Collection("memories", records, known, "memories")


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def main() -> None:
    """Print a line for each collection and embedder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.silence")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--questions", type=int, default=60, help="of each collection")
    parser.add_argument(
        "--texts", type=int, default=1_000, help="of a collection without conversations"
    )
    parser.add_argument("--embedder", choices=EMBEDDERS, help="one of them alone")
    parser.add_argument("--verbose", action="store_true", help="print the questions")
    given = parser.parse_args()
    known = collections(given.folders, given.questions, given.texts)
    for embedder in [given.embedder] if given.embedder else EMBEDDERS:
        print(f"{embedder:30}{'found':>8}{'lost':>8}{'foreign':>9}{'silent':>9}")
        every = Figures(0, 0, 0, 0)
        for one in known:
            others = [
                each.text
                for other in known
                if other.kind != one.kind
                for each in other.questions[:8]
            ]
            own = measured(one, [*foreign(), *others], embedder, verbose=given.verbose)
            every = Figures(*(a + b for a, b in zip(every, own, strict=True)))
            print(_line(one.name, own))
        print(_line("all", every))


def _line(name: str, own: Figures) -> str:
    lost, silent = 100 * own.lost / max(own.found, 1), 100 * own.silent / own.foreign
    return f"{name:30}{own.found:8}{lost:7.1f}%{own.foreign:9}{silent:8.1f}%"


if __name__ == "__main__":
    main()
