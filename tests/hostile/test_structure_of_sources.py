"""What a repository, an export or a folder says changes no structure of the context that it is placed in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.attacks.hostile_texts import HOSTILE
from benchmarks.attacks.structured.said import HEADINGS
from biblicus_context.systems.learning import ContextAssembler, LearningStore
from biblicus_context.systems.workspace import (
    BlockStore,
    ContextBuilder,
    ContextRequest,
    Focus,
    TokenBudget,
    User,
)
from biblicus_context.testing.memory_store import InMemoryStore
from tests.ingest.git.build import Made, repository
from tests.ingest.notion import HALL, HOME, LAUNCH, archive_of, export
from tests.nightly import sample

ENDS = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Whatever may be taken for the end of a line."""
COLLECTED = {"focus", "semantic", "relations", "activity"}
TEXTS = [text.encode(errors="replace").decode() for text in HOSTILE if "\0" not in text]


def lines(text: str, pattern: str) -> list[str]:
    """What the pattern finds at the start of lines."""
    return [found[0] for line in ENDS.split(text) if (found := re.match(pattern, line))]


def name_of(text: str) -> str:
    """The text in a name of a file; a slash would begin a folder."""
    return text.replace("/", "∕")[:60]


COMMITS: Mapping[str, Callable[[int, bytes], Made]] = {
    "message": lambda at, text: Made(b"%d %s" % (at, text), {b"a%d.py" % at: b"a"}),
    "first line": lambda at, text: Made(text + b"\n\n%d" % at, {b"a%d.py" % at: b"a"}),
    "author": lambda at, text: Made(
        b"Change %d" % at,
        {b"a%d.py" % at: b"a"},
        author=b"A %s <a@example.org>" % re.sub(rb"[<>\n]", b" ", text),
    ),
    "path": lambda at, text: Made(
        b"Change %d" % at, {b"%d %s.py" % (at, name_of(text.decode()).encode()): b"a"}
    ),
}


@pytest.mark.parametrize("field", COMMITS)
def test_no_commit_changes_the_structure_of_what_was_learned(field: str, tmp_path: Path):
    make = COMMITS[field]
    for number in range(0, len(TEXTS), 15):
        texts = TEXTS[number : number + 15]
        made = [make(at, text.encode()) for at, text in enumerate(texts)]
        place = tmp_path / str(number)
        markdown, items = asyncio.run(_learned(place, repository(place / "code", made)))
        assert items >= 8, "duplicates are left out"
        assert lines(markdown, HEADINGS) == ["# ", "## ", "---"], texts
        assert len(lines(markdown, r"\*\*")) == items, texts
        assert len(lines(markdown, r"\*Files: ")) == items, texts


async def _learned(place: Path, code: Path) -> tuple[str, int]:
    store = LearningStore.open(place / "learning", workspace="acme", floor=None)
    await store.index_commits(code)
    context = await ContextAssembler(store).assemble_context("change", ["commits"], 20, 50_000)
    store.close()
    return context.markdown, len(context.items)


def _notion(text: str) -> dict[str, Mapping[str, str]]:
    """An export with a text in each place."""
    files, cell = export(), text.replace('"', '""')
    page, table = f"Home {HOME}/Launch {LAUNCH}.md", next(each for each in files if "_all" in each)
    row = next(each for each in files if HALL in each)
    return {
        "content": {**files, page: f"# Launch\n\n{text}\n"},
        "title": {**files, page: f"# {text}\n\nWe ship.\n"},
        "cell": {**files, table: files[table].replace("Order tea", f'"{cell}"')},
        "property": {**files, row: files[row].replace("Open", text)},
        "name": {**files, page.replace("Launch", name_of(text)): files[page]},
    }


@pytest.mark.parametrize("field", _notion(""))
def test_no_export_of_notion_changes_the_structure_of_a_workspace(field: str, tmp_path: Path):
    def importing(text: str) -> Callable[[BlockStore], Awaitable[object]]:
        archive = archive_of(tmp_path / "export.zip", _notion(text)[field])
        return lambda store: store.import_notion(archive, "acme", on_skipped=lambda _: None)

    _all_keep_the_structure(importing, focus=HOME)


@pytest.mark.parametrize("field", ["content", "heading", "name", "folder"])
def test_no_folder_of_markdown_changes_the_structure_of_a_workspace(field: str, tmp_path: Path):
    def importing(text: str) -> Callable[[BlockStore], Awaitable[object]]:
        said = {"content": f"Tea.\n\n{text}", "heading": f"# {text}\n\nTea."}
        folder = tmp_path / str(len([*tmp_path.iterdir()]))
        below = folder / (name_of(text) if field == "folder" else "drinks")
        below.mkdir(parents=True)
        (folder / "index.md").write_text("# Home\n\nWelcome.", "utf-8")
        name = name_of(text) if field == "name" else "tea"
        (below / f"{name}.md").write_text(said.get(field, "Tea."), "utf-8")
        return lambda store: store.import_markdown(folder, "acme")

    _all_keep_the_structure(importing, focus="index.md")


def _all_keep_the_structure(
    importing: Callable[[str], Callable[[BlockStore], Awaitable[object]]], focus: str
) -> None:
    usual = _structure(importing("words"), focus)
    for text in sample(TEXTS, of=4):
        found = _structure(importing(text), focus)
        assert found[0] == usual[0], text
        assert found[1] == found[2] > 0, text


def _structure(
    fill: Callable[[BlockStore], Awaitable[object]], focus: str
) -> tuple[Sequence[str], int, int]:
    """The headings and rules, the lines that begin items, and how many items there are."""
    return asyncio.run(_written(fill, focus))


async def _written(
    fill: Callable[[BlockStore], Awaitable[object]], focus: str
) -> tuple[Sequence[str], int, int]:
    store = BlockStore.open(InMemoryStore(), embedder=None)
    await fill(store)
    budget = TokenBudget(
        total=60_000, focus=30_000, relations=10_000, activity=10_000, semantic=10_000
    )
    request = ContextRequest(
        query="words",
        user=User("ann", "acme"),
        focus=Focus(page_id=focus),
        token_budget=budget,
    )
    payload = await ContextBuilder(store).build(request)
    items = sum(len(each.items) for each in payload.sections if each.type in COLLECTED)
    return (
        lines(payload.serialized, HEADINGS),
        len(lines(payload.serialized, r"\[.*\]$")),
        items,
    )
