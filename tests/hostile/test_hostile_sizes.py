"""Trees, relations, formats and selections of hostile sizes are answered in bounded time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, ContextError, Corpus, Principal, Record
from biblicus_context.retrieval import Candidate
from biblicus_context.stores import Batch, Block, Document, Entry, Relation, Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.systems.prime import select_candidates
from biblicus_context.systems.workspace import RecordTree
from tests.pace import within

WHO = Principal("local")
MANY = 3_000


def entry(name: str, parent: str | None) -> Entry:
    block = Block(id=f"{name}#0", document_id=name, position=0, text=f"words of {name}", tokens=3)
    return Entry(Document(id=name, parent=parent), (block,))


def stored(
    place: Path, parents: dict[str, str | None], relations: tuple[Relation, ...] = ()
) -> Store:
    store = open_store(place)
    entries = tuple(entry(name, parent) for name, parent in parents.items())
    store.write(WHO, Batch(put=entries, relate=relations))
    return store


CHAIN = {f"d{n}": f"d{n - 1}" if n else None for n in range(MANY)}
CYCLE = {f"d{n}": f"d{(n + 1) % MANY}" for n in range(MANY)}
SIBLINGS = {"d0": None, **{f"d{n}": "d0" for n in range(1, 4 * MANY)}}
ITSELF = {"d0": "d0", "d1": "d0"}
TREES = {"a chain": CHAIN, "a cycle": CYCLE, "siblings": SIBLINGS, "itself": ITSELF}
WIDEST: tuple[dict[str, Any], ...] = (
    {"retriever_id": "tree", "ancestors": 50, "siblings": 50, "children": 50, "depth": 10},
    {"retriever_id": "outline", "children": 50},
    {"retriever_id": "keyword", "rank": {"structure": {"weight": 1, "near": ["d1"]}}},
    {"retriever_id": "keyword", "filters": {"parent": ["d0", "d1"]}},
)


@pytest.mark.parametrize("tree", TREES)
def test_a_tree_of_any_shape_takes_bounded_time(tmp_path: Path, tree: str):
    store = stored(tmp_path / "store", TREES[tree])
    with closing(store), Corpus.open_records(store, embedder=None) as corpus, within(seconds=10):
        for settings in WIDEST:
            named = {"tree": {"from": ["d1"]}, "outline": {"documents": ["d0", "d1"]}}
            asked = {**settings, **named.get(settings["retriever_id"], {})}
            assert len(corpus.search("words", **asked, limit=100)) <= 100
        assert "d1" in corpus.ancestors(["d1"])


def test_a_wide_relation_takes_bounded_time(tmp_path: Path):
    wide = tuple(Relation("d0", f"d{n}", "cites") for n in range(1, MANY))
    back = tuple(Relation(f"d{n}", "d0", "cites") for n in range(1, MANY))
    store = stored(tmp_path / "store", dict.fromkeys(CHAIN), wide + back)
    with closing(store), Corpus.open_records(store, embedder=None) as corpus, within(seconds=15):
        for direction in ("out", "in", "both"):
            settings = {"retriever_id": "related", "from": ["d0"], "direction": direction}
            assert corpus.search("", **settings, depth=5, limit=10)


@pytest.mark.parametrize("shape", ["chain", "siblings"])
def test_a_tree_is_written_granted_and_removed_in_bounded_time(tmp_path: Path, shape: str):
    def above(number: int) -> str | None:
        return None if not number else f"p{number - 1}" if shape == "chain" else "p0"

    records = [Record(id=f"p{n}", text="words", parent=above(n)) for n in range(600)]
    with Corpus.open_records(tmp_path / "pages", embedder=None) as corpus, within(seconds=20):
        tree = RecordTree(corpus)
        assert tree.put(records) == 600
        assert tree.grant("p0", users=["ann"]) == 600
        assert tree.remove("p0") == 600


def formats() -> Iterator[dict[str, Any]]:
    yield {"item": "".join(f"{{metadata.n{n}}}" for n in range(MANY)) + "{content}"}
    yield {"items": {f"k{n}": f"{n} {{content}}" for n in range(MANY)}}
    yield {"item": "{content}" * 1_000}
    yield {"item": "{content} {index} {count} {total}", "footer": "{count}" * MANY}


@pytest.mark.parametrize("form", [*formats()])
def test_a_format_of_thousands_of_names_takes_bounded_time(form: dict[str, Any]):
    plan = {
        "policy": {"input_budget": {"max_tokens": 4_000}, "pack_budget": {"default_ratio": 1}},
        "messages": [{"type": "context", "name": "kb", "format": form}],
    }
    found = [{"id": f"b{n}", "text": "some words", "metadata": {"n1": "x"}} for n in range(300)]
    with within(seconds=20):
        try:
            result = ContextAssembler({"p": plan}, {"kb": lambda _: found}).assemble("p")
        except ContextError:
            return
        assert result.token_count <= 4_000


@pytest.mark.parametrize("how", ["knapsack", "value_per_token", "diverse_kinds"])
@pytest.mark.parametrize("tokens", [1, 7, 1_000_003])
def test_a_selection_of_thousands_takes_bounded_time(how: str, tokens: int):
    offered = [
        Candidate(id=f"c{n}", text="a", tokens=tokens + n % 5, score=1 + n % 7, kind=f"k{n % 3}")
        for n in range(MANY)
    ]
    with within(seconds=10):
        chosen = select_candidates(offered, 100_000, how)
        assert sum(each.tokens for each in chosen) <= 100_000 or len(chosen) == 1


@pytest.mark.parametrize(
    "query", ["abcdefgh" * 5_000, "a " * 20_000, "zz" * 10_000, "word1 " * 5_000, "\u0301" * 9_000]
)
def test_a_query_of_any_size_is_compared_by_trigrams_in_bounded_time(tmp_path: Path, query: str):
    texts = [f"word{n} abcdefgh {'abc' * 50}" for n in range(500)]
    with Corpus.open_records(tmp_path / "store", embedder=None) as corpus:
        corpus.put([Record(id=f"d{n}", text=text) for n, text in enumerate(texts)])
        with within(seconds=15):
            for name in ("trigram", "fuzzy", "keyword"):
                assert len(corpus.search(query, retriever_id=name, limit=5)) <= 5
