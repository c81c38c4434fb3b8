"""Searches of a program answer the retrievers of a plan, each once; a failing one stops no other."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from biblicus_context import ContextAssembler, ContextAssemblyResult, ContextPackBlock
from biblicus_context.systems.learning import SourceSearch, SourceSearches

PLAN = """
kind: context
name: all
inputs: {query: {type: string}}
policy: {input_budget: {max_tokens: 500}, pack_budget: {default_ratio: 1}}
messages:
  - {type: context, name: notes, title: "## Notes", format: {item: "- {content}"}}
  - {type: context, name: files, title: "## Files"}
---
{kind: corpus, name: nothing, config: {store: nothing}}
---
{kind: retriever, name: notes, config: {retriever_id: hybrid, corpus: nothing, query: "{input.query}"}}
---
{kind: retriever, name: files, config: {retriever_id: hybrid, corpus: nothing, query: "{input.query}"}}
"""


def block_of(text: str) -> ContextPackBlock:
    return ContextPackBlock(evidence_item_id=f"id:{text}", text=text)


class Program:
    def __init__(self, files: object = ()) -> None:
        self.asked: list[tuple[str, int]] = []
        self._files = files

    async def notes(self, query: str, limit: int) -> list[str]:
        self.asked.append((query, limit))
        return [f"{query} {number}" for number in range(limit + 5)]

    async def files(self, query: str, limit: int) -> list[str]:
        match self._files:
            case BaseException() as error:
                raise error
            case float() as seconds:
                await asyncio.sleep(seconds)
        return [f"file of {query}"]

    def searches(self, seconds: float = 5.0) -> SourceSearches[str]:
        own = {"notes": self.notes, "files": self.files}
        sources = {name: SourceSearch(search, 3, block_of) for name, search in own.items()}
        return SourceSearches(sources, timeout_seconds=seconds)


def assembled(folder: Path, searches: SourceSearches[str]) -> ContextAssemblyResult:
    plan = folder / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    engine = ContextAssembler.from_path(plan)
    call = engine.aassemble("all", inputs={"query": "tea"}, retriever_override=searches.answer)
    return asyncio.run(call)


def test_each_source_is_asked_once_and_its_limit_is_kept(tmp_path: Path):
    """A second answer of the same call is the same."""
    program = Program()
    searches = program.searches()
    result = assembled(tmp_path, searches)
    assert program.asked == [("tea", 3)]
    assert [placed.hit for placed in searches.placed_in(result)] == [
        "tea 0",
        "tea 1",
        "tea 2",
        "file of tea",
    ]
    first, *_ = searches.placed_in(result)
    assert (first.text, first.citation.pack, first.citation.excerpt) == (
        "- tea 0",
        "notes",
        "tea 0",
    )
    assert searches.hits["id:tea 0"] == "tea 0"


@pytest.mark.parametrize("trouble", [RuntimeError("down"), asyncio.CancelledError(), 60.0])
def test_a_failing_or_slow_source_is_skipped_and_logged(
    trouble: object, caplog: pytest.LogCaptureFixture, tmp_path: Path
):
    """The other sources still answer."""
    searches = Program(trouble).searches(seconds=0.2)
    placed = searches.placed_in(assembled(tmp_path, searches))
    assert {each.citation.pack for each in placed} == {"notes"}
    (said,) = [each for each in caplog.records if each.name == "biblicus_context.sources"]
    assert said.levelno == logging.WARNING
    assert "source skipped: source='files'" in said.getMessage()


def test_a_retriever_without_a_search_has_nothing(tmp_path: Path):
    """A plan may ask for more than a program knows."""
    searches = SourceSearches[str]({}, timeout_seconds=1)
    assert searches.placed_in(assembled(tmp_path, searches)) == []


def test_a_call_that_is_cancelled_ends_its_searches(tmp_path: Path):
    """A source that cancels itself is skipped; this is the caller's wish."""
    searches = Program(60.0).searches(seconds=60.0)
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    engine = ContextAssembler.from_path(plan)

    async def cancelled() -> int:
        inputs, ask = {"query": "tea"}, searches.answer
        call = engine.aassemble("all", inputs=inputs, retriever_override=ask)
        task = asyncio.create_task(call)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert asyncio.run(cancelled()) == 1
