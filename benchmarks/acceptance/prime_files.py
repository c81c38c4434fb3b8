"""Prime contexts over 60 files and a thread of 30 messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.acceptance.figures import Figure, figure, loaded, sampled
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.prime import (
    ContextAssemblyService,
    File,
    Message,
    PrimeContext,
    StoredService,
)

_USER: Final = "ann"


async def measured(folder: Path, embedder: str, most: int | None) -> Sequence[Figure]:
    """What is placed, what is first, what a history costs, and where it is silent."""
    service = ContextAssemblyService.open(folder / "prime", plan=_plan(folder, embedder))
    files = loaded("prime/files.yaml")
    await _fill(service, files)
    asked = sampled(loaded("prime/questions.yaml"), most)
    built = {each["ask"]: await _built(service, each) for each in asked}
    service.close()
    whole = {each["path"]: each["text"] for each in files}
    own = [each for each in asked if each["kind"] not in ("silent", "history")]
    plain = [each for each in own if each["kind"] != "follow_up"]
    said = sum(len(each["content"]) for each in loaded("prime/messages.yaml")[-20:]) / 4
    history = [each for each in asked if each["kind"] == "history"]
    return [
        figure("gold files in the context", _gold(plain, built), 0.95),
        figure("the right file above all others", _first(plain, built), 0.9),
        figure("named files whole", _whole(asked, built, whole), 1.0),
        figure("follow-ups: gold in the context", _gold(_kind(own, "follow_up"), built), 0.8),
        figure(
            "history: what was said is there",
            [(e["ask"], " ".join(e["said"].split()) in built[e["ask"]].text) for e in history],
            1.0,
        ),
        figure(
            "history in the order it was said",
            [(e["ask"], _in_order(built[e["ask"]])) for e in history],
            1.0,
        ),
        figure(
            "history at most 3 times its text in tokens",
            [(e["ask"], _cost(built[e["ask"]]) <= 3 * said) for e in history],
            1.0,
        ),
        figure(
            "foreign messages: nothing placed",
            [(e["ask"], not built[e["ask"]].text.strip()) for e in _kind(asked, "silent")],
            0.9,
        ),
        figure(
            "no marks in the text", [(e["ask"], "<<<" not in built[e["ask"]].text) for e in asked]
        ),
    ]


def _plan(folder: Path, embedder: str) -> Path:
    """The shipped plan with this embedder, if it has one at all."""
    text = Path(shipped_plan("prime")).read_text("utf-8")
    plan = folder / "prime.yaml"
    plan.write_text(text.replace("embedder: granite", f"embedder: {embedder}"), "utf-8")
    return plan


async def _fill(service: StoredService, files: Sequence[Mapping[str, Any]]) -> None:
    now = datetime.now(UTC)
    await service.files.put(
        *(
            File(
                id=each["path"],
                path=each["path"],
                content=each["text"],
                owner_user_id=_USER,
                created_at=now - timedelta(days=each["age"]),
            )
            for each in files
        )
    )
    threads = {"spring": [(e["role"], e["content"]) for e in loaded("prime/messages.yaml")]}
    for each in loaded("prime/questions.yaml"):
        if "before" in each:
            threads[each["thread"]] = [*zip(("user", "assistant"), each["before"], strict=True)]
    for thread, messages in threads.items():
        said = [
            Message(role=role, content=content, created_at=now - timedelta(minutes=60 - number))
            for number, (role, content) in enumerate(messages)
        ]
        await service.messages.add(thread, *said, user_id=_USER)


async def _built(service: StoredService, question: Mapping[str, Any]) -> PrimeContext:
    usual = "fresh" if question["kind"] == "silent" else "spring"
    return await service.build_prime_context(question.get("thread", usual), question["ask"], _USER)


def _kind(asked: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [each for each in asked if each["kind"] == kind]


def _paths(built: PrimeContext) -> list[str]:
    return [*dict.fromkeys(each.path for each in built.items if each.path is not None)]


def _gold(
    asked: Sequence[Mapping[str, Any]], built: Mapping[str, PrimeContext]
) -> list[tuple[str, bool]]:
    return [
        (f"{each['ask']} -> {gold}", gold in _paths(built[each["ask"]]))
        for each in asked
        for gold in each["gold"]
    ]


def _first(
    asked: Sequence[Mapping[str, Any]], built: Mapping[str, PrimeContext]
) -> list[tuple[str, bool]]:
    wanted = [each for each in asked if each.get("first")]
    return [(e["ask"], _paths(built[e["ask"]])[:1] == e["gold"][:1]) for e in wanted]


def _whole(
    asked: Sequence[Mapping[str, Any]],
    built: Mapping[str, PrimeContext],
    texts: Mapping[str, str],
) -> list[tuple[str, bool]]:
    wanted = [each for each in asked if each.get("whole")]
    return [
        (f"{e['ask']} -> {gold}", _has(built[e["ask"]].text, texts[gold]))
        for e in wanted
        for gold in e["gold"]
    ]


def _has(text: str, wanted: str) -> bool:
    lines = [" ".join(each.split()) for each in wanted.splitlines() if each.strip()]
    written = "\n".join(" ".join(each.split()) for each in text.splitlines())
    return all(each in written for each in lines)


def _messages(built: PrimeContext) -> list[Any]:
    return [each for each in built.items if each.type == "message"]


def _in_order(built: PrimeContext) -> bool:
    places = [built.text.find(f": {each.content[:60]}") for each in _messages(built)]
    times = [each.metadata.created_at for each in _messages(built)]
    order = sorted(range(len(places)), key=lambda number: places[number])
    return [times[number] for number in order] == sorted(times)


def _cost(built: PrimeContext) -> float:
    return sum(each.tokens for each in _messages(built))
