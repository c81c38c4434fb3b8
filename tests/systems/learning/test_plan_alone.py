"""The plan renders what a store has written also without the facade, as `render` does."""

from __future__ import annotations

import asyncio
from pathlib import Path

from biblicus_context import ContextAssembler as Engine
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.learning import ContextAssembler, LearningStore
from tests.ingest.build import written
from tests.ingest.git.build import Made, repository
from tests.systems.learning.build import EXPERIENCE, MEMORY, VALUE


def test_the_plan_alone_writes_what_the_facade_writes(tmp_path: Path):
    """Over the same folders, with sections for all five sources."""
    text = 'def now(zone):\n    """The time in a zone, for the flaky test."""\n    return 1\n'
    root = written(tmp_path / "project", {"src/clock.py": text})
    files = {f"tests/test_{n}.py".encode(): b"x\n" for n in range(7)}
    repository(root, [Made(b"Mark the flaky test", files)])
    store = LearningStore.open(tmp_path / "learning")

    async def learned() -> None:
        await store.record_memory(MEMORY)
        await store.record_experience(EXPERIENCE)
        await store.record_value(VALUE)
        await store.index_code(root, include=("src",))
        await store.index_commits(root)

    asyncio.run(learned())
    plan = shipped_plan("learning").read_text(encoding="utf-8").replace("../../", "../")
    path = written(tmp_path / "contexts", {"learning.yaml": plan}) / "learning.yaml"
    alone, assembler = Engine.from_path(path), ContextAssembler(store.searcher())
    found = alone.assemble("learning", inputs={"query": "flaky test clock"}).system_prompt
    for title in ("Memories", "Code", "Experiences", "Values", "Commits"):
        assert f"## {title}\n" in found
    assert "\n*Category: decision, Importance: 0.8*\n" in found
    assert "**code** `src/clock.py` in `src/clock.py:1`\n```" in found
    listed = ", ".join(f"tests/test_{n}.py" for n in range(5))
    assert f"\n*Files: {listed}, ...*\n" in found
    warned = alone.assemble("premortem", inputs={"domain": "debugging"}).system_prompt
    facade = assembler.get_premortem_context("debugging")
    assert warned == asyncio.run(facade).markdown
    store.close()
