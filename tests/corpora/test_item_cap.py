"""`item_cap` shortens long blocks in a context as its author says, and names where the rest is."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.text.compactors import CompactionRequest
from biblicus_context.text.counters import default_counter
from tests.corpora.searching import PACKS, ask, assembler

POLICY = {"input_budget": {"max_tokens": 200}, **PACKS}
FILES = {
    "long.md": f"---\nauthor: Ada\n---\nTea is warm. {'It stands. ' * 80}Tea cools in the end.\n",
    "short.md": "Green tea.\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("capped") / "notes"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
    return root


def texts(root: Path, cap: Any, **more: Any) -> dict[str | None, str]:
    """The text of each placed block, by file."""
    config = {"retriever_id": "keyword", "item_cap": cap, "limit": 9}
    result = ask(root, "warm green tea", config, policy=POLICY, **more)
    assert result.token_count <= 200
    return {each.path: each.excerpt for each in result.citations}


def test_a_note_names_facts_of_the_block(root: Path):
    cap = {"share": 0.25, "cut_note": "\n(see {path}:{lines} by {metadata.author}, {start_line})"}
    placed = texts(root, cap)
    assert placed["long.md"].endswith("\n(see long.md:4-4 by Ada, 4)")
    assert default_counter().count(placed["long.md"]) <= 50
    assert placed["short.md"] == "Green tea."


def test_the_compactor_is_a_name_or_settings_or_a_declared_one(root: Path):
    declared = {"ending": {"type": "tail", "mark": "[…] "}}
    for compactor in ("ending", {"type": "tail", "mark": "[…] "}):
        cap = {"share": 0.25, "compactor": compactor, "cut_note": ""}
        placed = texts(root, cap, compactor_registry=declared)["long.md"]
        assert placed.startswith("[…] ")
        assert placed.endswith("Tea cools in the end.")
    placed = texts(root, {"share": 0.25, "compactor": "extractive", "cut_note": ""})["long.md"]
    assert placed.startswith("Tea is warm.")
    assert placed.endswith("Tea cools in the end.")


def test_the_engine_has_summaries_made_in_the_event_loop_of_the_caller(root: Path):
    """The retriever may run in another thread; a client of a model belongs to one event loop."""
    seen = []

    async def summarizer(request: CompactionRequest) -> str:
        seen.append((threading.current_thread(), asyncio.get_running_loop(), request.query))
        return "Tea, in short."

    async def assembled() -> dict[str | None, str]:
        config = {
            "retriever_id": "keyword",
            "item_cap": {"share": 0.25, "compactor": "summarize", "cut_note": " ({where})"},
        }
        asked = assembler(root, config, policy=POLICY, summarizer=summarizer)
        result = await asked.aassemble("ask", inputs={"question": "warm green tea"})
        assert seen == [(threading.current_thread(), asyncio.get_running_loop(), "warm green tea")]
        return {each.path: each.excerpt for each in result.citations}

    placed = asyncio.run(assembled())
    assert placed == {"long.md": "Tea, in short. (long.md:4-4)", "short.md": "Green tea."}


def test_a_retriever_that_is_called_directly_waits_for_the_summaries(root: Path):
    settings = {
        "retriever_id": "keyword",
        "item_cap": {"share": 0.25, "compactor": "shout", "cut_note": ""},
    }
    with Corpus.open(root) as corpus:
        retriever = corpus.retriever(settings, compactors={"shout": lambda _: "TEA!"})
        pack = retriever(ContextRetrieverRequest(query="warm green tea", limit=9, max_tokens=200))
        assert sorted(each.text for each in pack.blocks) == ["Green tea.", "TEA!"]
        assert sorted(pack.text.split("\n\n")) == ["Green tea.", "TEA!"]
        whole = retriever(ContextRetrieverRequest(query="warm green tea", limit=9))
        assert max(len(each.text) for each in whole.blocks) > 400


def test_a_summary_is_made_of_an_answer_from_the_cache_as_well(root: Path):
    settings = {
        "retriever_id": "keyword",
        "cache": {},
        "item_cap": {"share": 0.25, "compactor": "shout", "cut_note": ""},
    }
    request = ContextRetrieverRequest(query="warm green tea", limit=9, max_tokens=200)
    with Corpus.open(root) as corpus:
        retriever = corpus.retriever(settings, compactors={"shout": lambda _: "TEA!"})
        assert retriever(request) == retriever(request)
        assert retriever.answers is not None
        assert retriever.answers.counts.hits == 1


def test_a_summarizer_that_fails_is_reported_and_the_block_is_cut(root: Path):
    config = {"retriever_id": "keyword", "item_cap": {"share": 0.25, "compactor": "ask_a_model"}}

    def fails(_: CompactionRequest) -> str:
        raise ConnectionError("no model")

    result = ask(
        root, "warm green tea", config, policy=POLICY, compactor_registry={"ask_a_model": fails}
    )
    assert any("raised ConnectionError" in each for each in result.receipt.warnings)
    assert any("more tokens: long.md" in each.excerpt for each in result.citations)


@pytest.mark.parametrize(
    ("cap", "problem"),
    [
        (2, r"item_cap: Input should be less than or equal to 1"),
        ({"share": 0}, r"item_cap.share: Input should be greater than 0"),
        ({"share": 0.5, "shaer": 0.5}, r"of item_cap: found 'shaer'.*mean 'share'"),
        ({"compactor": "tail"}, r"the setting 'item_cap.share' is missing"),
        ({"share": 0.5, "compactor": "extractiv"}, r"Compactor 'extractiv' not defined.*mean"),
        (
            {"share": 0.5, "compactor": {"type": "tail", "mrak": ""}},
            r"unknown option: found 'mrak'",
        ),
        ({"share": 0.5, "cut_note": "{paht}"}, r"unknown name in cut_note: found 'paht'.*'path'"),
    ],
)
def test_a_cap_that_cannot_be_meant_is_refused(root: Path, cap: Any, problem: str):
    with pytest.raises(ContextError, match=rf"(?s)retriever 'kb0' config.*{problem}"):
        ask(root, "tea", {"item_cap": cap})


FACTS = "The lamp is made of brass. " + "".join(
    f"Shelf number {number} holds {number} boxes of nails. " for number in range(30)
)
KEY = "The key of the cellar hangs behind the clock. "


QUESTION = "Where is the key of the cellar?"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("long") / "notes"
    root.mkdir()
    (root / "house.txt").write_text(FACTS + KEY + FACTS, "utf-8")
    (root / "b.txt").write_text("A cellar has a key.", "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
    return root


def filled(
    root: Path, budget: int, files: str = "house.txt", cap: Any = None, **policy: Any
) -> str:
    """The text of a pack that has all of a budget."""
    config = {"retriever_id": "keyword", "filters": {"path": files}}
    config |= {"item_cap": cap} if cap else {}
    policy = {"input_budget": {"max_tokens": budget}, **PACKS, **policy}
    return ask(root, QUESTION, config, policy=policy).system_prompt


def test_a_block_longer_than_the_whole_share_is_shortened_to_its_best_sentences(house: Path):
    text = filled(house, 120)
    assert KEY.strip() in text
    assert "more tokens: house.txt" in text


def test_below_64_tokens_whole_blocks_come_first(house: Path):
    assert filled(house, 30, "*") == "A cellar has a key."


def test_a_compactor_that_the_plan_names_shortens_instead(house: Path):
    compactor = {"type": "truncate"}
    text = filled(house, 120, compactor=compactor)
    assert text.startswith("The lamp is made of brass. Shelf number 0 holds")
    assert "more tokens" not in text
    assert KEY.strip() in filled(house, 120, cap={"share": 1}, compactor=compactor)
