"""The four systems killed while they forget: what a call forgot is in no file, and the rest is there.

After each kill every byte of the folder is searched for the words of what calls had removed that
returned. Then the system is opened again, which finishes the call that did not return: what that
removed is searched for as well.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator, Mapping
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from benchmarks.attacks import Extent, fast_folder
from benchmarks.targets import Target
from biblicus_context import Corpus
from biblicus_context.corpora import StoredAnswerCache
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.stores import Store, StoreError
from biblicus_context.systems import learning, memory, prime, workspace

KILLS: Final = 200
_NAMES: Final = tuple(f"n{number}" for number in range(10))
_MOST_CALLS: Final = 400
_LONGEST: Final = 1.0
"""Seconds until a process is killed."""
_EMBEDDER: Final = FunctionEmbedder(
    lambda texts: [[1.0, float(len(text) % 97)] for text in texts], model="tiny", dimensions=2
)

Items: TypeAlias = dict[str, str]
"""The word that an item has in its text, by the name of the item."""
Call: TypeAlias = Callable[[], Awaitable[object]]


class Forgetful(Protocol):
    """A system, as the campaign uses it."""

    def write(self, name: str, text: str) -> Awaitable[object]:
        """Write an item, or replace the one of this name."""
        ...

    def removals(self, name: str) -> Mapping[str, tuple[Call, Callable[[str], bool]]]:
        """Each method that removes: the call, and which items go."""
        ...

    async def texts(self) -> str:
        """Everything that can be read."""
        ...

    def stores(self) -> list[Store]: ...
    def close(self) -> None: ...


class _Memory:
    def __init__(self, folder: Path) -> None:
        self._store = memory.MemoryStore.open(folder, embedder=_EMBEDDER)

    async def write(self, name: str, text: str) -> None:
        if text.count("again") % 2 and await self._store.update(name, "acme", content=text):
            return
        await self._store.remember(memory.Memory(id=name, content=text), "acme")

    def removals(self, name: str) -> Mapping[str, tuple[Call, Callable[[str], bool]]]:
        return {
            "forget": (lambda: self._store.forget(name, "acme"), name.__eq__),
            "workspace": (lambda: self._store.forget_workspace("acme"), bool),
        }

    async def texts(self) -> str:
        return "".join([*self._store.export_lines("acme")])

    def stores(self) -> list[Store]:
        return [self._store.corpus.store]

    def close(self) -> None:
        self._store.close()


class _Prime:
    """Even items are files, odd ones are messages of two threads; contexts are remembered in a store."""

    def __init__(self, folder: Path) -> None:
        self._kept = Corpus.open_records(folder / "contexts", embedder=None)
        cache = StoredAnswerCache(self._kept)
        self._service = prime.ContextAssemblyService.open(folder / "own", cache=cache)

    async def write(self, name: str, text: str) -> None:
        if _number(name) % 2:
            await self._service.messages.remove(_thread(name), name, user_id="ann")
            said = prime.Message(id=name, role="user", content=text)
            await self._service.messages.add(_thread(name), said, user_id="ann")
        else:
            file = prime.File(id=name, path=f"{name}.md", content=text, owner_user_id="ann")
            await self._service.files.put(file)
        if text.count("again") % 3 == 0:
            await self._service.build_prime_context(_thread(name), "What of the lamp?", "ann")

    def removals(self, name: str) -> Mapping[str, tuple[Call, Callable[[str], bool]]]:
        service, thread = self._service, _thread(name)

        async def one() -> None:
            await service.messages.remove(thread, name, user_id="ann")
            await service.files.remove(name, user_id="ann")

        return {
            "one": (one, name.__eq__),
            "thread": (
                lambda: service.remove_thread(thread, "ann"),
                lambda each: _number(each) % 2 == 1 and _thread(each) == thread,
            ),
            "user": (lambda: service.forget_user("ann"), bool),
        }

    async def texts(self) -> str:
        stores = (self._service.files, self._service.messages)
        return "".join(line for each in stores for line in each.corpus.of("ann").export_lines())

    def stores(self) -> list[Store]:
        kept = [self._kept.index.open_store(create=True)]
        own = (self._service.files, self._service.messages)
        return [*(each.corpus.of("ann").store for each in own), *kept]

    def close(self) -> None:
        self._service.close()
        self._kept.close()


class _Workspace:
    """Items are inside two pages."""

    def __init__(self, folder: Path) -> None:
        self._store = workspace.BlockStore.open(folder, embedder=_EMBEDDER)

    async def write(self, name: str, text: str) -> None:
        page = workspace.Block(id=_thread(name), type="page", title="Lamps")
        block = workspace.Block(id=name, type="text", content=text, parent_id=page.id)
        await self._store.put_block(page, block, workspace="acme")
        await self._store.grant(name, "acme", users=["ann"])

    def removals(self, name: str) -> Mapping[str, tuple[Call, Callable[[str], bool]]]:
        page = _thread(name)
        return {
            "block": (lambda: self._store.delete_block(name, "acme"), name.__eq__),
            "page": (
                lambda: self._store.delete_block(page, "acme"),
                lambda each: _thread(each) == page,
            ),
        }

    async def texts(self) -> str:
        return "".join([*workspace.RecordTree(self._store.corpus, "acme").corpus.export_lines()])

    def stores(self) -> list[Store]:
        return [self._store.corpus.store]

    def close(self) -> None:
        self._store.close()


class _Learning:
    """Items are memories, values and experiences."""

    def __init__(self, folder: Path) -> None:
        self._store = learning.LearningStore.open(folder, embedder=_EMBEDDER)

    async def write(self, name: str, text: str) -> None:
        match _number(name) % 3:
            case 0:
                await self._store.record_memory(learning.Memory(id=name, content=text))
            case 1:
                await self._store.record_value(learning.Value(id=name, text=text))
            case _:
                said: dict[str, Any] = dict.fromkeys(
                    (
                        *("domain", "strategy", "hypothesis", "action", "prediction"),
                        *("outcome_result", "root_cause"),
                    ),
                    "lamp",
                )
                await self._store.record_experience(
                    learning.Experience(id=name, goal=text, outcome_status="confirmed", **said)
                )

    def removals(self, name: str) -> Mapping[str, tuple[Call, Callable[[str], bool]]]:
        store = self._store
        forget = (store.forget_memory, store.forget_value, store.forget_experience)
        one = forget[_number(name) % 3]
        return {"forget": (lambda: one(name), name.__eq__)}

    async def texts(self) -> str:
        kinds = (self._store.memories, self._store.values, self._store.experiences)
        return "".join(line for each in kinds for line in each.export_lines("local"))

    def stores(self) -> list[Store]:
        kinds = (self._store.memories, self._store.values, self._store.experiences)
        return [each.corpus.index.open_store(create=True) for each in kinds]

    def close(self) -> None:
        self._store.close()


SYSTEMS: Final[Mapping[str, Callable[[Path], Forgetful]]] = {
    "memory": _Memory,
    "prime": _Prime,
    "workspace": _Workspace,
    "learning": _Learning,
}


class Outcome(NamedTuple):
    """What kills did to a system."""

    kills: int = 0
    calls: int = 0
    """Calls that returned before a kill."""
    forgotten: int = 0
    """Items that were removed or replaced by them."""
    found: int = 0
    """Items that are gone, of which a file still has the word."""
    lost: int = 0
    """Items whose writing had returned, and that are not there."""
    damaged: int = 0

    def plus(self, other: Outcome) -> Outcome:
        """Both together."""
        return Outcome(*(one + more for one, more in zip(self, other, strict=True)))


def forgetting_kills(extent: Extent) -> Iterator[Target]:
    """Two hundred kills in full, fifty of each system."""
    total = Outcome()
    for name in SYSTEMS:
        total = total.plus(killed(name, max(1, extent.of(KILLS) // len(SYSTEMS))))
    yield Target("attack: systems killed while they forget", total.kills, "kills")
    yield Target("attack: calls that had returned", total.calls, "calls")
    yield Target("attack: items that were removed or replaced", total.forgotten, "items")
    yield Target("attack: of these, still in a file", total.found, "items", at_most=0)
    yield Target("attack: items that were lost", total.lost, "items", at_most=0)
    yield Target("attack: systems damaged by kills", total.damaged, "systems", at_most=0)


def killed(name: str, times: int, seed: int = 11) -> Outcome:
    """Kill a system again and again; each process goes on with what the last one left."""
    chance, total, items, done = Random(f"{name} {seed}"), Outcome(), Items(), 0
    with tempfile.TemporaryDirectory(dir=fast_folder()) as place:
        folder = Path(place)
        SYSTEMS[name](folder).close()
        for _ in range(times):
            lines = _killed_after(chance.uniform(0.02, _LONGEST), name, folder, done, items)
            found, items = _examined(name, folder, items, lines)
            total = total.plus(found)
            done += len(lines)
    return total


def _killed_after(
    seconds: float, name: str, folder: Path, start: int, items: Items
) -> list[dict[str, Any]]:
    """What a process said before it was killed."""
    reading, writing = os.pipe()
    arguments = name, folder, start, items, writing
    process = get_context("fork").Process(target=_work, args=arguments)
    process.start()
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        first = said.readline()  # it has opened the system: the time begins
        process.join(seconds)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        lines = (first + said.read()).splitlines()
    return [json.loads(line) for line in lines[1:]]


def _work(name: str, folder: Path, start: int, items: Items, said: int) -> None:
    system = SYSTEMS[name](folder)
    os.write(said, b"open\n")

    async def run() -> None:
        for number in range(start, start + _MOST_CALLS):
            chance = Random(f"{name} {number}")
            item = chance.choice(_NAMES)
            ways = system.removals(item)
            goes: Callable[[str], bool] = item.__eq__
            if chance.random() < 0.6:
                words, call = {item: _word(name, number)}, system.write(item, _text(name, number))
            else:
                weights = [8, *([1] * (len(ways) - 1))]
                begin, goes = ways[chance.choices([*ways], weights)[0]]
                words, call = {}, begin()
            gone = {each: word for each, word in items.items() if goes(each)}
            _say(said, {"begun": words, "gone": gone})
            await call
            _say(said, {"ended": True})
            for each in gone:
                del items[each]
            items.update(words)

    asyncio.run(run())


def _say(said: int, line: Mapping[str, object]) -> None:
    os.write(said, f"{json.dumps(line)}\n".encode())


def _examined(
    name: str, folder: Path, items: Items, lines: list[dict[str, Any]]
) -> tuple[Outcome, Items]:
    """What is there after a kill, and what is right and wrong with it."""
    known, gone, calls = dict(items), set[str](), 0
    pending: dict[str, Any] | None = None
    for line in lines:
        if "begun" in line:
            pending = line
            continue
        assert pending is not None
        gone |= {*pending["gone"].values()}
        known = {each: word for each, word in known.items() if each not in pending["gone"]}
        known |= pending["begun"]
        calls, pending = calls + 1, None
    # Of a call that had not returned, each item is as before, or as after.
    open_ = {} if pending is None else {**pending["gone"]}
    new: Items = {} if pending is None else dict(pending["begun"])
    found = _in_files(folder, gone)
    system = SYSTEMS[name](folder)
    try:
        texts = asyncio.run(system.texts())
        gone |= {word for word in (*open_.values(), *new.values()) if word not in texts}
        found |= _in_files(folder, gone)
        problems = [each for store in system.stores() for each in store.check()]
    except StoreError as error:
        texts, problems = "", [str(error)]
    finally:
        system.close()
    for problem in problems:
        print(f"  {name}: {problem}", flush=True)
    if problems:
        return Outcome(1, calls, len(gone), len(found), 0, 1), known
    lost = [word for each, word in known.items() if word not in texts and each not in open_]
    there = {each: word for each, word in known.items() if word in texts}
    there |= {each: word for each, word in new.items() if word in texts}
    for word in sorted(found):
        print(f"  {name}: {word} is still in a file", flush=True)
    for word in lost:
        print(f"  {name}: {word} is lost", flush=True)
    return Outcome(1, calls, len(gone), len(found), len(lost), 0), there


def _in_files(folder: Path, words: set[str]) -> set[str]:
    """The words that a file has; the index of words may leave out how one begins."""
    data = b"\n".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())
    return {word for word in words if any(each in data for each in _needles(word))}


def _needles(word: str) -> Iterator[bytes]:
    yield word[4:].encode()
    for shift in range(3):  # values of caches are in base64
        yield b64encode(b" " * shift + word.encode())[4:-4]


def _word(name: str, number: int) -> str:
    return f"{Random(f'word {name} {number}').getrandbits(64):016x}9"


def _text(name: str, number: int) -> str:
    return f"The lamp {_word(name, number)} of the hall, {'again ' * (number % 40)}."


def _number(name: str) -> int:
    return int(name[1:])


def _thread(name: str) -> str:
    return f"thread-{_number(name) // 2 % 2}"
