"""The learning memory on the code of two packages, commits of a repository that is made here, memories and experiences."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from benchmarks.acceptance.figures import Figure, figure, loaded, sampled
from biblicus_context.embedders import build_embedder
from biblicus_context.systems.learning import (
    CodeUnit,
    ContextAssembler,
    Experience,
    LearningStore,
    Memory,
)

_PACKAGES: Final = ("jinja2", "click")
_TYPES: Final = ("memories", "code", "experiences", "values", "commits")
_FIVE: Final = 5
_MEMORIES: Final[Mapping[str, str]] = {
    "utc": "Tests run in UTC, whatever the zone of the machine.",
    "utc-again": "Tests run in UTC, whatever the zone of a machine.",
    "release": "Releases are cut from the branch stable on Tuesdays.",
    "spaces": "Indent with four spaces, never with tabs.",
    "cache": "In March the build was slow because the cache of wheels was keyed by date.",
    "py311": "The build needs Python 3.11 on all machines.",
    "py312": "The build needs Python 3.12 on all machines.",
    "review": "Two people review a change of the schema.",
    "flags": "A feature flag is removed within a month.",
    "logs": "Log lines are JSON, one event each.",
}
_COMMITS: Final = (
    ("Add the scheduler", "scheduler.py"),
    ("Freeze the clock in tests of the scheduler", "test_scheduler.py"),
    ("Retry an upload that times out, three times at most", "upload.py"),
    ("Round amounts of an invoice half to even", "invoice.py"),
    ("Move settings into one file", "settings.py"),
    ("Describe the release in the readme", "readme.md"),
)
_CAUSES: Final = (
    "the clock of the server is in another time zone",
    "the disk of the build machine is full",
    "two threads take the same locks in another order",
)


async def measured(folder: Path, embedder: str, most: int | None) -> Sequence[Figure]:
    """What is recalled, how it is written, and where it is silent."""
    asked = sampled(loaded("learning/questions.yaml"), most)
    store = LearningStore.open(folder / "learning", embedder=build_embedder(embedder))
    others = await _filled(store, folder, asked, embedder, whole=most is None)
    own = {"click": others, "jinja2": store}
    code = {
        each["ask"]: [hit.item for hit in await own[each["kind"]].search_code(each["ask"], 20)]
        for each in asked
        if each["kind"] in _PACKAGES
    }
    memories = {
        e["ask"]: [h.item.id for h in await store.search_memories(e["ask"], 10)]
        for e in _kind(asked, "memory")
    }
    commits = {
        e["ask"]: [h.item.message for h in await store.search_commits(e["ask"], 10)]
        for e in _kind(asked, "commit")
    }
    assembler = ContextAssembler(store)
    silent = [
        (e["ask"], not (await assembler.assemble_context(e["ask"], _TYPES)).items)
        for e in _kind(asked, "silent")
    ]
    premortem = await assembler.get_premortem_context("debugging", "guessing", max_tokens=4000)
    values = await store.derive_values()
    recalled = await assembler.assemble_context("tests zone Python build", ["memories"])
    store.close()
    others.close()
    of_code = [each for each in asked if each["kind"] in _PACKAGES]
    return [
        figure("code: definition among the first five", _named(of_code, code, _FIVE), 0.8),
        figure("code: definition among twenty", _named(of_code, code, None), 0.9),
        figure(
            "code: no definition twice",
            [(name, len(units) == len({*map(_place, units)})) for name, units in code.items()],
        ),
        figure(
            "code: signature in its text",
            [
                (unit.qualified_name, unit.signature.splitlines()[0] in unit.text)
                for units in code.values()
                for unit in units
                if unit.unit_type != "code"
            ],
        ),
        figure("memories", _gold(_kind(asked, "memory"), memories), 0.95),
        figure("commits first", _first(_kind(asked, "commit"), commits), 0.95),
        figure("failures of a strategy come first", _failures_first(premortem.items)),
        figure(
            "a fact told twice is written once, numbers apart",
            _once([each.content for each in recalled.items]),
        ),
        figure("values: one for each theme", _themes([each.text for each in values])),
        figure("foreign messages: nothing placed", silent, 0.9),
    ]


async def _filled(
    store: LearningStore,
    folder: Path,
    asked: Sequence[dict[str, Any]],
    embedder: str,
    *,
    whole: bool,
) -> LearningStore:
    """The store with all but the second package, which is in another one: each is a repository."""
    others = LearningStore.open(
        folder / "learning", workspace="click", embedder=build_embedder(embedder)
    )
    for name, own in zip(_PACKAGES, (store, others), strict=True):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        files = [e["file"] for e in asked if e["kind"] == name]
        some: dict[str, Any] = {} if whole else {"include": sorted({*files})}
        await own.index_code(Path(spec.origin).parent, **some)
    await store.index_commits(_repository(folder / "project"))
    for name, text in _MEMORIES.items():
        await store.record_memory(Memory(id=name, content=text))
    for number in range(24):
        failed = number % 6 == 5
        cause = _CAUSES[number % 3]
        await store.record_experience(
            Experience(
                id=f"e{number}",
                domain="debugging",
                strategy="guessing",
                goal=f"Find out why build {number} fails",
                hypothesis=f"Guess {number * 7919}",
                action=f"Changed line {number * 104729}",
                prediction="The build is green",
                outcome_status="falsified" if failed else "confirmed",
                outcome_result=f"Run {number**5}",
                root_cause=f"{cause.capitalize()} ({number})",
            )
        )
    await store.embed_waiting()
    await others.embed_waiting()
    return others


def _repository(folder: Path) -> Path:
    """A repository with a history."""
    folder.mkdir()
    who = {f"GIT_{role}_{what}": said for role in ("AUTHOR", "COMMITTER") for what, said in (
        ("NAME", "Jule"), ("EMAIL", "jule@example.org"), ("DATE", "2026-05-01T12:00:00Z"))}  # fmt: skip

    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", *arguments],
            cwd=folder,
            check=True,
            capture_output=True,
            env={**os.environ, **who},
        )

    git("init", "-q")
    for message, file in _COMMITS:
        (folder / file).write_text(f"{message}\n", "utf-8")
        git("add", ".")
        git("commit", "-q", "-m", message)
    return folder


def _kind(asked: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each for each in asked if each["kind"] == kind]


def _named(
    asked: Sequence[dict[str, Any]], found: Mapping[str, list[CodeUnit]], most: int | None
) -> list[tuple[str, bool]]:
    return [
        (each["ask"], each["gold"] in [unit.qualified_name for unit in found[each["ask"]][:most]])
        for each in asked
    ]


def _place(unit: CodeUnit) -> tuple[str, int]:
    return unit.file_path, unit.start_line


def _gold(
    asked: Sequence[dict[str, Any]], found: Mapping[str, list[str]]
) -> list[tuple[str, bool]]:
    return [(f"{e['ask']} {name}", name in found[e["ask"]]) for e in asked for name in e["gold"]]


def _first(
    asked: Sequence[dict[str, Any]], found: Mapping[str, list[str]]
) -> list[tuple[str, bool]]:
    return [
        (each["ask"], bool(found[each["ask"]]) and found[each["ask"]][0].strip() in each["gold"])
        for each in asked
    ]


def _failures_first(items: Sequence[Any]) -> list[tuple[str, bool]]:
    """Whether the section of the strategy has its four failures before anything else."""
    said = [
        e.metadata["outcome_status"]
        for e in items
        if "- **Action**" in e.content and "Hypothesis" not in e.content
    ]
    failures = said.count("falsified")
    return [("all four", failures == 4), ("in front", said[:failures] == ["falsified"] * failures)]


def _once(texts: Sequence[str]) -> list[tuple[str, bool]]:
    joined = "\n".join(texts)
    return [
        ("zone", joined.count("Tests run in UTC") == 1),
        ("versions", "3.11" in joined and "3.12" in joined),
    ]


def _themes(texts: Sequence[str]) -> list[tuple[str, bool]]:
    words = ("clock", "disk", "locks")
    return [(each, sum(each in text for text in texts) == 1) for each in words]
