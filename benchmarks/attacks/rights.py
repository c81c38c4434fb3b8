"""Rights in a workspace: two processes change and ask, and a dictionary knows what may be seen."""

from __future__ import annotations

import multiprocessing
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from random import Random
from typing import Any, Final, NamedTuple

from benchmarks.attacks import Extent, fast_folder
from benchmarks.attacks.rights_worker import WORDS, serve
from benchmarks.attacks.worlds.page_tree import PageTree
from benchmarks.targets import Target
from biblicus_context.systems.workspace import Block, User

SEQUENCES: Final = 20_000
_STEPS: Final = 14
_AT_ONCE: Final = 500
_IDS: Final = tuple(f"b{number}" for number in range(5))
_USERS: Final = (("ann", ("hr",)), ("bob", ()), ("hr", ()))
"""A user has the name of a group, and is not in it."""
_CHANGES: Final = (
    *("put",) * 4,
    *("move",) * 2,
    *("grant",) * 7,
    *("revoke",) * 3,
    *("revoke_inside",) * 2,
    *("make_private", "make_public", "inherit_readers", "delete", "delete", "link", "view"),
)
_ASKED: Final = ("readable", "readable", "own", "build", "page", "page", "listed", "exported")
_MARKS: Final = re.compile(r"[mt]\d+q")


def rights(extent: Extent) -> Iterator[Target]:
    """Sequences of changes by two processes, each in a workspace of its own."""
    wanted, different, asked, races = extent.of(SEQUENCES), 0, 0, 0
    for seeds in batched(range(wanted)):
        with workers() as pair:  # in a new folder, so that files do not fill the memory
            for seed in seeds:
                sequence = Sequence(pair, Random(seed), f"w{seed}")
                sequence.run()
                asked, races = asked + sequence.asked, races + sequence.races
                different += len(sequence.different)
                for each in sequence.different[:2]:
                    print(f"  rights: seed {seed}: {each}", flush=True)
    yield Target("attack: sequences of rights by two processes", wanted, "sequences")
    yield Target("attack: answers compared with own readers and ancestors", asked, "answers")
    yield Target("attack: changes made by both at the same moment", races, "pairs")
    yield Target("attack: answers that differ", different, "answers", at_most=0)


def batched(seeds: range) -> Iterator[range]:
    """Some hundred at a time."""
    for start in range(seeds.start, seeds.stop, _AT_ONCE):
        yield seeds[start - seeds.start : start - seeds.start + _AT_ONCE]


class Worker(NamedTuple):
    """The other end of a process."""

    pipe: Connection

    def send(self, method: str, *args: Any) -> None:
        """Begin a call."""
        self.pipe.send((method, args))

    def receive(self) -> Any:
        """Its result."""
        is_sound, found = self.pipe.recv()
        if not is_sound:
            raise RuntimeError(found)
        return found

    def call(self, method: str, *args: Any) -> Any:
        """Begin a call, and wait for its result."""
        self.send(method, *args)
        return self.receive()


@contextmanager
def workers() -> Iterator[tuple[Worker, Worker]]:
    """Two processes over one folder."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(dir=fast_folder(), ignore_cleanup_errors=True) as folder:
        pairs = [context.Pipe() for _ in range(2)]
        processes = [
            context.Process(target=serve, args=(child, folder), daemon=True) for _, child in pairs
        ]
        for process in processes:
            process.start()
        for ours, child in pairs:
            child.close()  # so that the end of a process ends what waits for it
            assert ours.recv() == "ready"
        try:
            yield Worker(pairs[0][0]), Worker(pairs[1][0])
        finally:
            for process in processes:
                process.terminate()
                process.join()


class Change(NamedTuple):
    """A call that writes: by whom it is made does not matter."""

    method: str
    args: tuple[Any, ...]
    who: str = ""

    def begin(self, worker: Worker, workspace: str) -> None:
        """Let a process make it."""
        kind, _, name = self.who.rpartition(" ")
        named: dict[str, Any] = {"groups" if kind else "users": [name]} if name else {}
        args = [*self.args]
        if self.method == "move_block":
            named["parent_id"] = args.pop()
        if self.method == "link":
            named["target"] = args.pop()
        method = self.method
        if method == "revoke_inside":
            method, named["inside"] = "revoke", True
        worker.send("change", method, workspace, args, named)

    def on(self, tree: PageTree) -> bool:
        """Make it in a tree; False if it is to be refused."""
        match self.method, self.args:
            case "put_block", (Block() as block,):
                if tree.would_be_inside_itself(block.id, block.parent_id):
                    return False
                tree.put(block)
            case "move_block", (str(name), str() | None as parent):
                there = {name, parent or name} <= tree.blocks.keys()
                if not there or tree.would_be_inside_itself(name, parent):
                    return False
                tree.put(replace(tree.blocks[name], parent_id=parent))
            case "delete_block", (str(name),):
                tree.remove(name)
            case ("grant" | "make_private" | "revoke" | "revoke_inside") as method, (str(name),):
                if name not in tree.blocks:
                    return False
                return getattr(tree, method)(name, self.who) is not False
            case ("make_public" | "inherit_readers") as method, (str(name),):
                if name not in tree.blocks:
                    return False
                return getattr(tree, method)(name) is not False
        return True


@dataclass
class Sequence:
    """Random changes and questions in a workspace, and what may be seen after each."""

    pair: tuple[Worker, Worker]
    chance: Random
    workspace: str
    tree: PageTree = field(default_factory=PageTree)
    different: list[str] = field(default_factory=list)
    asked: int = 0
    races: int = 0
    _marks: dict[str, str] = field(default_factory=dict)
    """The block that each unique word was written to, as its text or its title."""
    _burned: set[tuple[str, str]] = field(default_factory=set)
    """Words, each with a user who was not allowed to read its block at some time since."""

    def run(self) -> None:
        """All steps; the last question is about everything."""
        for worker in self.pair:
            worker.call("begin")
        for _ in range(_STEPS):
            one, other = self._change(), self._change()
            if self.chance.random() < 0.25:
                self._race(one, other)
            else:
                self._write(one)
            for question in self.chance.sample(_ASKED, 2):
                self._ask(question)
        for question in ("readable", "own", "build", "complaints"):
            self._ask(question)

    @property
    def _users(self) -> list[User]:
        return [User(name, self.workspace, frozenset(groups)) for name, groups in _USERS]

    def _write(self, change: Change) -> None:
        worker = self.chance.choice(self.pair)
        change.begin(worker, self.workspace)
        was_made = worker.receive()
        self._expect(f"{change} is allowed", was_made, change.on(self.tree))
        self._burn()

    def _race(self, one: Change, other: Change) -> None:
        """Both at once: what is there then is what one order or the other leads to."""
        for worker, change in zip(self.pair, (one, other), strict=True):
            change.begin(worker, self.workspace)
        made = tuple(worker.receive() for worker in self.pair)
        stored = self.pair[0].call("own", self.workspace)
        possible = []
        for first in (0, 1):
            tree, done = self.tree.copy(), [False, False]
            for each in (first, 1 - first):
                done[each] = (one, other)[each].on(tree)
            possible.append((tuple(done), _own(tree)))
            if possible[-1] == (made, stored):
                self.tree = tree
                break
        else:
            self.different.append(f"{one} beside {other}: {made} {stored}, not {possible}")
            self.tree = tree
        self.races += 1
        self._burn()

    def _change(self) -> Change:
        chance, name = self.chance, self.chance.choice(_IDS)
        other = chance.choice((None, *(each for each in _IDS if each != name)))
        who = chance.choice(("ann", "bob", "group hr"))
        match chance.choice(_CHANGES):
            case "put":
                title = self._mark("t", name) if chance.random() < 0.5 else ""
                text = f"{WORDS} {self._mark('m', name)}"
                block = Block(id=name, type="todo", content=text, title=title, parent_id=other)
                return Change("put_block", (block,))
            case "move":
                return Change("move_block", (name, other))
            case "delete":
                return Change("delete_block", (name,))
            case "link":
                return Change("link", (name, other or name))
            case "view":
                return Change("grant", (name,), who)
            case method:
                named = method in ("grant", "revoke", "revoke_inside", "make_private")
                return Change(method, (name,), who if named else "")

    def _mark(self, kind: str, name: str) -> str:
        mark = f"{kind}{len(self._marks)}q"
        self._marks[mark] = name
        return mark

    def _ask(self, question: str) -> None:
        worker, user = self.chance.choice(self.pair), self.chance.choice(self._users)
        seen = self.tree.readable(user.id, *user.groups)
        titles = {name: self.tree.title(name) for name in seen}
        match question:
            case "readable":
                self._expect(f"readable by {user}", worker.call("readable", user), titles)
            case "own":
                self._expect("readers", worker.call("own", self.workspace), _own(self.tree))
            case "exported":
                self._now(f"export of {user}", worker.call("exported", user), titles)
            case "build":
                focus = self.chance.choice((None, *_IDS))
                named = self.chance.sample(_IDS, 1) if self.chance.random() < 0.2 else []
                built = worker.call("build", user, focus, named)
                self._now(f"context of {user} about {focus}", built["text"], titles)
                self._expect(f"blocks of {user}", [*{*built["documents"]} - {*seen}], [])
            case "complaints":
                found = worker.call("complaints", user)
                if found is not None:
                    self._expect(f"complaints of {user}", found[1], sorted({*found[0]} - {*seen}))
            case "page":
                self._then(f"page of {user}", worker.call("page", user), user)
            case "listed":
                each = worker.call("listed", user)
                if each is not None:  # what was removed since may be listed; what is hidden, not
                    hidden = self.tree.blocks.keys() - {*seen}
                    self._expect(f"listed for {user}: {each[0]}", each[0] in hidden, False)
                    self._then(f"listed for {user}", each[1], user)

    def _now(self, what: str, text: str, titles: dict[str, str]) -> None:
        """Nothing but what is readable now, as it is now."""
        allowed = {mark for name in titles for mark in self._shown(name)}
        self._expect(what, sorted({*_MARKS.findall(text)} - allowed), [])

    def _then(self, what: str, text: str, user: User) -> None:
        """It may be of an older version, but nothing that was hidden since."""
        found = {*_MARKS.findall(text)}
        self._expect(what, sorted(each for each in found if (each, user.id) in self._burned), [])

    def _burn(self) -> None:
        for user in self._users:
            seen = self.tree.readable(user.id, *user.groups)
            hidden = self.tree.blocks.keys() - {*seen}
            burned = {mark for mark, name in self._marks.items() if name in hidden}
            shown = {mark for name in seen for mark in self._shown(name)}
            self._burned |= {(mark, user.id) for mark in burned}
            self._burned -= {(mark, user.id) for mark in shown}

    def _shown(self, name: str) -> set[str]:
        return {*_MARKS.findall(self.tree.blocks[name].content), self.tree.title(name)}

    def _expect(self, what: str, found: object, expected: object) -> None:
        self.asked += 1
        if found != expected:
            self.different.append(f"{what}: {found}, not {expected}")


def _own(tree: PageTree) -> dict[str, tuple[object, ...]]:
    """Who may read each block, which block says so, and what it is."""
    found: dict[str, tuple[object, ...]] = {}
    for name in sorted(tree.blocks):
        said_by: str | None = name
        while said_by in tree.blocks and said_by not in tree.own:
            said_by = tree.blocks[said_by].parent_id
        readers = tree.readers(name)
        who = None if readers is None else sorted(readers)
        block = tree.blocks[name]
        known = block.parent_id, tree.title(name), block.content
        found[name] = (who, said_by if said_by in tree.own else None, *known)
    return found
