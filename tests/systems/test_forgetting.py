"""What a system deletes or replaces is in no file of it once the call has returned."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

from biblicus_context import Corpus, Record
from biblicus_context.corpora import StoredAnswerCache
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.ingest import RelationTo
from biblicus_context.stores import Relation, StillReadError
from biblicus_context.systems import learning, memory, workspace
from biblicus_context.systems.prime import ContextAssemblyService, File, Message

WORD: Final = "xylophonist"
"""In the text, and nowhere else."""
NEEDLES: Final = (
    WORD,
    "xylophon",
    "Grüße-77",
    "grusse",
    "zz-tag",
    "zz-path",
    "zz-title",
    "zz-value",
)
TEXT: Final = f"The {WORD} sends Grüße-77 to everybody."


def row(text: str) -> list[float]:
    """An embedding that nobody else has where the text has the word."""
    marked = 0.1234567 if WORD in text else 1.0
    return [marked, -0.7654321 * marked, len(text) % 7 + 1.0, 0.5]


EMBEDDER: Final = FunctionEmbedder(
    lambda texts: [row(text) for text in texts], model="rows", dimensions=4
)
ROW: Final = np.array([0.1234567, -0.7654321 * 0.1234567], dtype="<f4").tobytes()


def traces(folder: Path) -> list[str]:
    """Where a file has one of the needles, in UTF-8 or as JSON, or the embedding of the text."""
    # In base64, as values of caches are written, a text looks different at each of three places.
    coded = [b64encode(b" " * shift + TEXT.encode())[4:-4] for shift in range(3)]
    wanted = (
        [each.encode() for each in NEEDLES] + coded + [json.dumps("Grüße-77")[1:-1].encode(), ROW]
    )
    return sorted(
        f"{file.relative_to(folder)}: {each!r}"
        for file in folder.rglob("*")
        if file.is_file()
        for each in wanted
        if each in file.read_bytes()
    )


class Deletion(NamedTuple):
    """What is written, and what removes or replaces it."""

    write: Callable[[], Awaitable[Any]]
    delete: Callable[[], Awaitable[Any]]


def of_memory(folder: Path) -> dict[str, Deletion]:
    store = memory.MemoryStore.open(folder, embedder=EMBEDDER)
    old = memory.Memory(
        id="m", content=TEXT, tags=("zz-tag",), source="zz-path", metadata={"zz-value": "Grüße-77"}
    )
    bare = memory.Memory(id="m", content="Another text.")

    async def write() -> None:
        await store.remember_many(
            [memory.Memory(id=f"k{n}", content=f"Kept text {n}.") for n in range(30)], "acme"
        )
        await store.remember(old, "acme")
        await store.relate(Relation("m", "k1", "zz-value"), "acme")
        await store.search("xylophonist", "acme")

    async def update() -> None:
        own: dict[str, Any] = {"tags": (), "source": None, "metadata": {}}
        assert await store.update("m", "acme", content="Another text.", **own)
        await asyncio.to_thread(store.of("acme").unrelate, [Relation("m", "k1", "zz-value")])

    async def remember() -> None:
        await store.forget("m", "acme")
        await store.remember(bare, "acme")

    async def forget() -> None:
        assert await store.forget("m", "acme") == (4, 1, None, ())

    return {
        "forget": Deletion(write, forget),
        "remember again": Deletion(write, remember),
        "update": Deletion(write, update),
        "forget_workspace": Deletion(write, lambda: store.forget_workspace("acme")),
        "remove with put": Deletion(write, lambda: store.put([], "acme", remove=["m"])),
    }


def of_prime(folder: Path) -> dict[str, Deletion]:
    kept = StoredAnswerCache(Corpus.open_records(folder / "contexts", embedder=None))
    service = ContextAssemblyService.open(folder, cache=kept)
    file = File(
        id="f",
        path="zz-path.md",
        content=TEXT,
        owner_user_id="ann",
        metadata={"zz-value": "zz-tag"},
    )

    async def write() -> None:
        kept = [
            File(id=f"k{n}", path=f"k{n}.md", content=f"Kept {n}.", owner_user_id="ann")
            for n in range(20)
        ]
        await service.files.put(*kept, file)
        await service.build_prime_context("t", "xylophonist?", "ann")  # which is remembered

    async def refer() -> None:
        await write()
        await service.references.add("zz-title", "f", user_id="ann")
        await service.files.update_access_time("f", "ann")
        await service.messages.add("zz-title", Message(role="user", content=TEXT), user_id="ann")
        await service.messages.add("other", Message(role="user", content="Kept."), user_id="ann")
        await service.build_prime_context("zz-title", "xylophonist?", "ann")

    async def say() -> None:
        said = [Message(id="m", role="user", content=TEXT), Message(role="user", content="Kept.")]
        await service.messages.add("t", *said, user_id="ann")
        await service.build_prime_context("t", "What?", "ann")

    async def replace() -> None:
        new = File(id="f", path="new.md", content="Another text.", owner_user_id="ann")
        await service.files.put(new)

    async def remove_thread() -> None:
        await service.files.remove("f", user_id="ann")
        await service.remove_thread("zz-title", "ann")
        assert len(await service.messages.get_recent("other", "ann")) == 1

    async def drop_reference() -> None:
        await service.files.remove("f", user_id="ann")
        await service.references.remove_thread("zz-title", user_id="ann")
        await service.messages.remove_thread("zz-title", user_id="ann")

    return {
        "files.remove": Deletion(write, lambda: service.files.remove("f", user_id="ann")),
        "files.put": Deletion(write, replace),
        "messages.remove": Deletion(say, lambda: service.messages.remove("t", "m", user_id="ann")),
        "messages.remove_thread": Deletion(
            say, lambda: service.messages.remove_thread("t", user_id="ann")
        ),
        "references.remove_thread": Deletion(refer, drop_reference),
        "remove_thread": Deletion(refer, remove_thread),
        "forget_user": Deletion(refer, lambda: service.forget_user("ann")),
    }


def of_workspace(folder: Path) -> dict[str, Deletion]:
    store = workspace.BlockStore.open(folder, embedder=EMBEDDER)
    ann = workspace.User("ann", "acme")

    def block(id_: str, content: str, **more: Any) -> workspace.Block:
        return workspace.Block(id=id_, type="text", content=content, **more)

    async def write() -> None:
        await store.put_block(
            *(block(f"k{n}", f"Kept block {n}.", parent_id="page") for n in range(30)),
            workspace.Block(id="page", type="page", title="Plans"),
            block("b", TEXT, title="zz-title", parent_id="page", properties={"zz-value": "zz-tag"}),
            block("inside", f"More of the {WORD}.", parent_id="b"),
            workspace="acme",
        )
        await store.grant(
            "b", "acme", users=["reader"]
        )  # whom the audit knows until it is forgotten
        await store.record_edit("b", ann)
        await store.link("b", "k1", "acme")

    async def replace() -> None:
        await store.delete_block("inside", "acme")
        await store.put_block(block("b", "Another text.", parent_id="page"), workspace="acme")
        await store.inherit_readers("b", "acme")

    async def delete() -> None:
        assert await store.delete_block("b", "acme") == 2

    return {
        "delete_block": Deletion(write, delete),
        "put_block": Deletion(write, replace),
        "delete the page": Deletion(write, lambda: store.delete_block("page", "acme")),
    }


def of_learning(folder: Path) -> dict[str, Deletion]:
    store = learning.LearningStore.open(folder, embedder=EMBEDDER)

    def experience(id_: str, goal: str) -> learning.Experience:
        names = [
            "domain",
            "strategy",
            "hypothesis",
            "action",
            "prediction",
            "outcome_result",
            "root_cause",
        ]
        said = {name: f"{goal} {name}" for name in names}
        return learning.Experience(id=id_, goal=goal, outcome_status="confirmed", **said)

    async def remember() -> None:
        await store.record_memory(learning.Memory(id="k", content="Kept."))
        await store.record_memory(learning.Memory(id="m", content=TEXT, category="zz-value"))

    async def value() -> None:
        await store.record_value(learning.Value(id="k", text="Kept."))
        await store.record_value(learning.Value(id="v", text=TEXT, cluster_id="zz-value"))

    async def experienced() -> None:
        for name, goal in {"k": "Kept.", "k2": "Kept.", "e": TEXT, "e2": f"Again: {TEXT}"}.items():
            await store.record_experience(experience(name, goal))
        assert WORD in "".join(each.text for each in await store.derive_values(most=2))

    return {
        "forget_memory": Deletion(remember, lambda: store.forget_memory("m")),
        "record_memory": Deletion(
            remember, lambda: store.record_memory(learning.Memory(id="m", content="Other."))
        ),
        "forget_value": Deletion(value, lambda: store.forget_value("v")),
        "forget_experience": Deletion(experienced, lambda: store.forget_experience("e", "e2")),
    }


def of_records(folder: Path) -> dict[str, Deletion]:
    corpus = Corpus.open_records(folder, embedder=EMBEDDER)
    record = Record(
        id="r", text=TEXT, title="zz-title", path="zz-path", tags=("zz-tag",),
        metadata={"zz-value": "Grüße-77"}, relations=(RelationTo("k1", "zz-value"),),
    )  # fmt: skip

    def put() -> None:
        corpus.put([*(Record(id=f"k{n}", text=f"Kept {n}.") for n in range(30)), record])

    def again(*, many: bool = False) -> None:
        new = Record(id="r", text="Another text.")
        corpus.unrelate([Relation("r", "k1", "zz-value")])
        if many:
            corpus.put_many([new])
        else:
            corpus.put([new])

    def change() -> None:
        corpus.unrelate([Relation("r", "k1", "zz-value")])
        own: dict[str, Any] = {"title": "", "path": None, "tags": (), "metadata": {}}
        corpus.update("r", text="Another text.", **own)

    def called(method: Callable[[], object]) -> Callable[[], Awaitable[object]]:
        return lambda: asyncio.to_thread(method)

    ways: dict[str, Callable[[], object]] = {
        "remove": lambda: corpus.remove(["r"]),
        "put": again,
        "put_many": lambda: again(many=True),
        "update": change,
        "clear": corpus.clear,
    }
    return {name: Deletion(called(put), called(way)) for name, way in ways.items()}


SYSTEMS: Final = {
    "memory": of_memory,
    "prime": of_prime,
    "workspace": of_workspace,
    "learning": of_learning,
    "records": of_records,
}
CASES: Final = {
    "memory": "forget|remember again|update|forget_workspace|remove with put",
    "prime": "files.remove|files.put|messages.remove|messages.remove_thread|references.remove_thread"
    "|remove_thread|forget_user",
    "workspace": "delete_block|put_block|delete the page",
    "learning": "forget_memory|record_memory|forget_value|forget_experience",
    "records": "remove|put|put_many|update|clear",
}


@pytest.mark.parametrize(
    ("system", "case"), [(name, case) for name, cases in CASES.items() for case in cases.split("|")]
)
def test_no_byte_is_left(tmp_path: Path, system: str, case: str):
    deletion = SYSTEMS[system](tmp_path)[case]
    asyncio.run(deletion.write())  # type: ignore[arg-type]
    assert traces(tmp_path)
    asyncio.run(deletion.delete())  # type: ignore[arg-type]
    assert traces(tmp_path) == []


class Remains(NamedTuple):
    """What says until when bytes remain, and what waits for that."""

    case: str
    until: Callable[[], Awaitable[datetime | None]]
    purge: Callable[[], Awaitable[None]]


def remains(system: str, folder: Path) -> Remains:
    match system:
        case "memory":
            memories = memory.MemoryStore.open(folder)
            return Remains(
                "forget_workspace",
                lambda: memories.remains_until("acme"),
                lambda: memories.purge("acme", 0.2),
            )
        case "prime":
            service = ContextAssemblyService.open(folder)
            return Remains(
                "forget_user",
                lambda: service.remains_until("ann"),
                lambda: service.purge("ann", 0.2),
            )
        case "workspace":
            blocks = workspace.BlockStore.open(folder)
            return Remains(
                "delete the page",
                lambda: blocks.remains_until("acme"),
                lambda: blocks.purge("acme", 0.2),
            )
    learned = learning.LearningStore.open(folder)
    return Remains("forget_memory", learned.remains_until, lambda: learned.purge(0.2))


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Reads of every file that have begun, and have not ended."""
    with ExitStack() as opened:
        for file in folder.rglob("*.db"):
            read = opened.enter_context(closing(sqlite3.connect(file, isolation_level=None)))
            read.execute("BEGIN")
            read.execute("SELECT count(*) FROM documents").fetchone()
        yield


@pytest.mark.parametrize("system", ["memory", "prime", "workspace", "learning"])
def test_what_a_read_still_needs_is_gone_when_a_purge_returns(tmp_path: Path, system: str):
    """Until then the system says so, and so does a purge that does not wait long enough."""
    case, until, purge = remains(system, tmp_path)
    deletion = SYSTEMS[system](tmp_path)[case]
    asyncio.run(deletion.write())  # type: ignore[arg-type]
    assert asyncio.run(until()) is None  # type: ignore[arg-type]
    with reading(tmp_path):
        asyncio.run(deletion.delete())  # type: ignore[arg-type]
        assert traces(tmp_path)
        assert asyncio.run(until()) is not None  # type: ignore[arg-type]
        with pytest.raises(StillReadError):
            asyncio.run(purge())  # type: ignore[arg-type]
    asyncio.run(purge())  # type: ignore[arg-type]
    assert asyncio.run(until()) is None  # type: ignore[arg-type]
    assert traces(tmp_path) == []


@pytest.mark.parametrize("system", CASES)
def test_every_deletion_of_a_system_is_tried(tmp_path: Path, system: str):
    assert "|".join(SYSTEMS[system](tmp_path)) == CASES[system]


def test_a_user_removes_nothing_of_another_one(tmp_path: Path):
    service = ContextAssemblyService.open(tmp_path)

    async def run() -> None:
        for user in ("ann", "bob"):
            await service.messages.add(
                "t", Message(id="m", role="user", content="Hi."), user_id=user
            )
            file = File(id="f", path="a.md", content="Text.", owner_user_id=user)
            await service.files.put(file)
        assert (await service.messages.remove("t", "m", user_id="eve")).documents == 0
        assert (await service.messages.remove("other", "m", user_id="ann")).documents == 0
        (said,) = await service.messages.get_recent("t", "ann")
        assert said.id is not None
        assert (await service.messages.remove("t", said.id, user_id="ann")).documents == 1
        assert not await service.messages.get_recent("t", "ann")
        await service.remove_thread("t", "ann")
        await service.forget_user("ann")
        assert len(await service.messages.get_recent("t", "bob")) == 1
        assert len(await service.files.search_content("text", "bob")) == 1
        assert not await service.files.search_content("text", "ann")
        await service.purge("ann")

    asyncio.run(run())


def test_an_experience_takes_along_the_values_that_were_made_of_it_alone(tmp_path: Path):
    store = learning.LearningStore.open(tmp_path, embedder=EMBEDDER)

    async def run() -> list[str]:
        await store.record_value(learning.Value(id="own", text="Be kind.", experience_ids=("e",)))
        for id_, axis in (("value-full-0", "full"), ("value-full-1", "full")):
            ids = ("e",) if id_ == "value-full-0" else ("other",)
            await store.record_value(
                learning.Value(id=id_, text=f"{id_}.", axis=axis, experience_ids=ids)
            )
        await store.forget_experience("e")
        return await store.values.ids("local")

    assert asyncio.run(run()) == ["own", "value-full-1"]
