"""Qdrant as a source: the log of the writes of each collection, which each process follows in files of its own.

The log is what is true. An entry is one write, a point whose id is its number, and a point is only made where
none is: so of two writers one wins, and the other comes after it. To write is to append, and then to follow the
log up to there. To read is to ask whether there are newer entries, in one round trip, and to read the own files,
which the embedded store has made from the same writes in the same order: so order and scores are its own.

A checkpoint takes the place of the entries up to a number: what was removed is in none of its points.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
import weakref
import zlib
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from threading import RLock
from typing import Any, Final, cast
from uuid import uuid4

from biblicus_context.errors import ContextError
from biblicus_context.stores import checks, refusals
from biblicus_context.stores.arguments import RecordedUsage
from biblicus_context.stores.errors import AnswerLostError, StillReadError, StoreError
from biblicus_context.stores.model import Batch
from biblicus_context.stores.qdrant.entries import (
    batch_as_json,
    batch_of,
    packed,
    principal_as_json,
    principal_of,
    unpacked,
    usage_as_json,
    usage_of,
)
from biblicus_context.stores.qdrant.points import Points, point_id
from biblicus_context.stores.results import Action
from biblicus_context.stores.source import Applied, Reading, Scope
from biblicus_context.stores.sqlite.files.folder import folder
from biblicus_context.stores.sqlite.source import SqliteSource

_AHEAD: Final = 8
"""Entries that are looked for at once."""
_MOST_IN_A_POINT: Final = 1024 * 1024
"""Characters of a payload; a longer write is in several points."""
_LONG_LOG: Final = 512
"""Entries after a checkpoint: with more, the next writer makes another."""
_REPEATS: Final = 50
"""How often a writer is overtaken before it gives up."""
_RECENT: Final = 64

Change = Mapping[str, Any]


class _Clock(threading.local):
    """Writes that are followed are dated as they were made, in every process alike."""

    at: int | None = None

    def now(self) -> int:
        return time.time_ns() if self.at is None else self.at


class _Space:
    """One collection of a workspace as this process has followed it."""

    def __init__(self, scope: Scope, key: str, make: Callable[[], _Files]) -> None:
        self.name = scope.name
        self.key = key
        self.lock = RLock()
        self.made_files = make
        self.files = make()
        self.number = 0
        """The last entry that was followed."""
        self.base = 0
        """The last entry that is in the checkpoint."""
        self.outcomes: dict[str, object] = {}
        """What own writes made, or the errors that they are refused with."""
        self.recent = deque[str](maxlen=_RECENT)

    def begin_again(self) -> None:
        """With empty files; who reads the old ones goes on."""
        self.files.close()
        self.files = self.made_files()
        self.number = self.base = 0

    def entry(self, number: int) -> str:
        return point_id(self.key, "entry", number)

    @property
    def checkpoint(self) -> str:
        return point_id(self.key, "checkpoint")


class _Files:
    """The files of one collection, made from its log; they go with the process."""

    def __init__(self, clock: Callable[[], int], keep_seconds: float) -> None:
        place = mkdtemp(prefix="biblicus-context-")
        self._removing = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self.source = SqliteSource(folder(Path(place) / "store"), keep_seconds, clock=clock)

    def close(self) -> None:
        """Close and remove them; who reads them goes on."""
        self.source.close()
        self._removing()

    def path(self, name: str) -> Path:
        return self.source.folder.database(name)


class QdrantSource:
    """What is promised of each method is in the Protocol `Source`."""

    def __init__(self, points: Points, namespace: str, keep_seconds: float) -> None:
        self._points = points
        self._namespace = namespace
        self._clock = _Clock()
        self._keep = checks.positive(keep_seconds, "keep_seconds")
        self._spaces: dict[str, _Space] = {}
        self._lock = RLock()
        self._is_closed = False

    @contextmanager
    def reading(self, scope: Scope, at: int | None) -> Iterator[Reading]:
        """A transaction on the own files, after what is new in the log."""
        space = self._followed(scope)
        with space.files.source.reading(scope, at) as reading:
            yield reading

    def is_made(self, scope: Scope) -> bool:
        """Whether there is anything in the log."""
        return self._followed(scope).files.source.is_made(scope)

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Append a batch to the log."""
        change = {
            "batch": batch_as_json(batch),
            "expected": expected,
            "token": token,
            "erase": erase,
        }
        applied = cast("Applied", self._append(scope, "apply", change))
        if erase and applied.removes:
            self._checkpointed(scope)
        return applied

    def purge(self, scope: Scope, seconds: float, *, all_versions: bool) -> bool:
        """End versions everywhere; this process waits for its own reads."""
        space = self._followed(scope)
        if not space.files.source.is_made(scope):
            return False
        is_erased = bool(self._append(scope, "purge", {"all": all_versions}, seconds=seconds))
        if is_erased:
            self._checkpointed(scope)
        return is_erased

    def forget(self, scope: Scope) -> int:
        """Forget everything, in the log too."""
        if not self.is_made(scope):
            return 0
        version = cast("int", self._append(scope, "forget", {}))
        self._checkpointed(scope)
        return version

    def count(self, scope: Scope, usage_: RecordedUsage) -> None:
        """Append counts to the log."""
        if self.is_made(scope):
            self._append(scope, "count", {"usage": usage_as_json(usage_)})

    def note_activity(self, scope: Scope, document: str, action: Action, when: datetime) -> None:
        """Append what a user did to the log."""
        if self.is_made(scope):
            done = {"document": document, "action": action, "when": when.isoformat()}
            self._append(scope, "activity", done)

    def note_source(self, scope: Scope, source: str) -> None:
        """Append it to the log."""
        self._append(scope, "source", {"source": source})

    def note_filling(self, scope: Scope, *, finished: bool) -> None:
        """Append it to the log."""
        self._append(scope, "filling", {"finished": finished})

    def prepare(self, scope: Scope) -> None:
        """Make a checkpoint, which is read faster than a long log."""
        space = self._followed(scope)
        space.files.source.prepare(scope)
        if space.number - space.base > _AHEAD:
            self._checkpointed(scope)

    def check(self) -> tuple[str, ...]:
        """What is wrong with the own files; a log that cannot be read is a StoreError before."""
        return tuple(
            problem
            for each in self._known()
            for problem in (*self._unreadable(each), *each.files.source.check())
        )

    def tidy(self) -> None:
        """End all versions but the newest ones, and make checkpoints."""
        for each in [*self._points.all_of("space")]:
            if each.get("namespace") == self._namespace:
                scope = Scope(principal_of(each["principal"]), each["collection"])
                self.purge(scope, 0.0, all_versions=True)
                self._checkpointed(scope)

    def close(self) -> None:
        """Close the files and the connection."""
        with self._lock:
            self._is_closed = True
            for each in self._known():
                each.files.close()
            self._points.close()

    def _unreadable(self, space: _Space) -> tuple[str, ...]:
        found = self._points.read([space.checkpoint])
        base = found.get(space.checkpoint)
        if base is None or len(self._points.read(_parts(space, base))) == base["parts"]:
            return ()
        return (f"{self._points.place}: parts of a checkpoint are missing",)

    # The log

    def _known(self) -> list[_Space]:
        with self._lock:
            return [*self._spaces.values()]

    def _space(self, scope: Scope) -> _Space:
        with self._lock:
            if self._is_closed:
                raise StoreError("the store is closed", place=self._points.place)
            if scope.name not in self._spaces:
                name = f"{self._namespace}\0\0{scope.name}"
                key = blake2b(name.encode(errors="surrogatepass"), digest_size=16).hexdigest()
                self._spaces[scope.name] = _Space(
                    scope, key, lambda: _Files(self._clock.now, self._keep)
                )
            return self._spaces[scope.name]

    def _followed(self, scope: Scope) -> _Space:
        space = self._space(scope)
        with space.lock:
            self._follow(space)
        return space

    def _follow(self, space: _Space, *, own: str = "", seconds: float = 0.0) -> None:
        """Do what is new in the log; one round trip where that is little."""
        while True:
            wanted = [space.checkpoint, *map(space.entry, _next(space.number))]
            found = self._points.read(wanted)
            base = found.get(space.checkpoint)
            if base is not None and base["number"] > space.number:
                self._load(space, base)
                continue
            if base is not None:
                space.base = base["number"]
            for number in _next(space.number):
                entry = found.get(space.entry(number))
                if entry is None:
                    return
                self._do(space, number, entry, own=own, seconds=seconds)

    def _do(
        self, space: _Space, number: int, entry: Mapping[str, Any], *, own: str, seconds: float
    ) -> None:
        """Follow one entry; a write that is refused is refused in every process alike."""
        name = entry["name"]
        change = unpacked(self._whole(space, entry))
        outcome: object
        self._clock.at = entry["at"]
        try:
            outcome = _done(space.files.source, change, seconds if name == own else 0.0)
        except StillReadError as error:
            outcome = error
        except ContextError as error:
            if isinstance(error.__cause__, sqlite3.Error | OSError):
                # Of this machine alone, such as a full disk: the files are not what the log says.
                space.begin_again()
                raise
            outcome = error
        finally:
            self._clock.at = None
        space.number = number
        space.recent.append(name)
        if name == own:
            space.outcomes[name] = outcome

    def _whole(self, space: _Space, entry: Mapping[str, Any]) -> str:
        if not entry["parts"]:
            return str(entry["data"])
        ids = _parts(space, entry)
        found = self._points.read(ids)
        if len(found) < len(ids):
            raise StoreError("an entry of the log is not whole", place=self._points.place)
        return "".join(found[each]["data"] for each in ids)

    def _append(self, scope: Scope, kind: str, change: Change, *, seconds: float = 0.0) -> object:
        """Append a change to the log; what it made, or the error that it is refused with."""
        space, name = self._space(scope), uuid4().hex
        whole = packed(
            {
                **change,
                "kind": kind,
                "principal": principal_as_json(scope.principal),
                "collection": scope.collection,
            }
        )
        pieces = _pieces(whole)
        entry = {
            "space": space.key,
            "kind": "entry",
            "name": name,
            "at": self._clock.now(),
            "parts": len(pieces) if len(pieces) > 1 else 0,
            "data": whole if len(pieces) == 1 else "",
        }
        with space.lock:
            self._follow(space)
            _require_expected(space, scope, change)
            if space.number == 0:
                self._note_space(space, scope)
            self._put_parts(space, entry, pieces)
            for _ in range(_REPEATS):
                number = space.number + 1
                self._add(space, number, entry, seconds)
                if name in space.outcomes:
                    return self._outcome(space, number, entry)
                if name in space.recent:
                    return self._in_checkpoint(space, scope, kind)
                if space.base >= number:  # nobody reads it any more
                    self._points.remove([space.entry(number)])
        raise StoreError(
            "other writers were faster, again and again",
            place=self._points.place,
            fix="Try again.",
        )

    def _in_checkpoint(self, space: _Space, scope: Scope, kind: str) -> object:
        """What a change made that another process has put into a checkpoint already."""
        if kind == "apply":  # which is made again, and found by its token
            problem = "the write is in a checkpoint already"
            raise AnswerLostError(problem, place=self._points.place)
        with space.files.source.reading(scope, None) as reading:
            return reading.pin.version

    def _add(self, space: _Space, number: int, entry: Mapping[str, Any], seconds: float) -> None:
        try:
            self._points.put_new(space.entry(number), {**entry, "number": number})
            self._follow(space, own=entry["name"], seconds=seconds)
        except StoreError as error:
            if isinstance(error.__cause__, sqlite3.Error | OSError):
                raise
            raise AnswerLostError(str(error), place=self._points.place) from error

    def _outcome(self, space: _Space, number: int, entry: Mapping[str, Any]) -> object:
        outcome = space.outcomes.pop(entry["name"])
        if isinstance(outcome, ContextError):
            if not isinstance(outcome, StillReadError):
                # What was refused is not kept: an entry without a change does as little.
                nothing = {"data": packed({"kind": "nothing"}), "parts": 0, "number": number}
                self._points.put([(space.entry(number), {**entry, **nothing})])
                self._points.remove(_parts(space, entry))
            raise outcome
        if space.number - space.base > _LONG_LOG:
            self._make_checkpoint(space)
        return outcome

    def _put_parts(self, space: _Space, entry: Mapping[str, Any], pieces: list[str]) -> None:
        if entry["parts"]:
            ids = _parts(space, entry)
            about = {"space": space.key, "kind": "part"}
            self._points.put(
                (id_, {**about, "data": piece}) for id_, piece in zip(ids, pieces, strict=True)
            )

    def _note_space(self, space: _Space, scope: Scope) -> None:
        """So that all of them are found again."""
        who = {**principal_as_json(scope.principal), "sees_all": True}
        about = {
            "space": space.key,
            "kind": "space",
            "namespace": self._namespace,
            "principal": who,
            "collection": scope.collection,
        }
        self._points.put([(point_id(space.key, "space"), about)])

    # Checkpoints

    def _checkpointed(self, scope: Scope) -> None:
        space = self._space(scope)
        try:
            with space.lock:
                self._follow(space)
                self._make_checkpoint(space)
        except StoreError as error:
            if isinstance(error, AnswerLostError):
                raise
            # The write is done, and what it removed is still there: the call is made again.
            raise AnswerLostError(str(error), place=self._points.place) from error

    def _make_checkpoint(self, space: _Space) -> None:
        """The files as points, and the log without the entries that are in them."""
        path = space.files.path(space.name)
        if not path.exists():
            return
        content = zlib.compress(_snapshot(path), 1)
        pieces = _pieces(b64encode(content).decode())
        about = {
            "space": space.key,
            "kind": "checkpoint",
            "name": uuid4().hex,
            "number": space.number,
            "parts": len(pieces),
            "digest": blake2b(content, digest_size=16).hexdigest(),
            "recent": [*space.recent],
        }
        before = self._points.read([space.checkpoint]).get(space.checkpoint)
        if before is not None and before["number"] >= space.number:
            return
        part = {"space": space.key, "kind": "part"}
        ids = _parts(space, about)
        self._points.put(
            (id_, {**part, "data": piece}) for id_, piece in zip(ids, pieces, strict=True)
        )
        self._points.put_above(space.checkpoint, about)
        now = self._points.read([space.checkpoint]).get(space.checkpoint, {})
        if now.get("name") != about["name"]:  # another one made a later one meanwhile
            self._points.remove(ids)
            return
        numbers = range(space.base + 1, space.number + 1)
        self._remove_entries(space, numbers)
        if before is not None:
            self._points.remove(_parts(space, before))
        space.base = space.number

    def _remove_entries(self, space: _Space, numbers: range) -> None:
        """The entries that are in the checkpoint, with their parts."""
        for at in range(numbers.start, numbers.stop, 2 * _AHEAD):
            ids = [space.entry(n) for n in range(at, min(at + 2 * _AHEAD, numbers.stop))]
            found = self._points.read(ids)
            self._points.remove([id_ for each in found.values() for id_ in _parts(space, each)])
        self._points.remove_up_to(space.key, "entry", numbers.stop - 1)

    def _load(self, space: _Space, base: Mapping[str, Any]) -> None:
        """Begin again with the files of a checkpoint."""
        ids = _parts(space, base)
        found = self._points.read(ids)
        if len(found) < len(ids):
            now = self._points.read([space.checkpoint]).get(space.checkpoint, {})
            if now.get("name") != base["name"]:
                return  # a later one took its place: it is read next
            raise StoreError("parts of a checkpoint are missing", place=self._points.place)
        content = b64decode("".join(found[each]["data"] for each in ids))
        if blake2b(content, digest_size=16).hexdigest() != base["digest"]:
            raise StoreError("a checkpoint is damaged", place=self._points.place)
        space.begin_again()
        space.files.path(space.name).write_bytes(zlib.decompress(content))
        space.number = space.base = base["number"]
        space.recent = deque(base["recent"], maxlen=_RECENT)


def _done(source: SqliteSource, change: Change, seconds: float) -> object:
    """Do a change in the own files."""
    if change["kind"] == "nothing":
        return None
    scope = Scope(principal_of(change["principal"]), change["collection"])
    return _CHANGES[change["kind"]](source, scope, change, seconds)


_Do = Callable[[SqliteSource, Scope, Change, float], object]
_CHANGES: Final[Mapping[str, _Do]] = {
    "apply": lambda source, scope, change, _: source.apply(
        scope,
        batch_of(change["batch"]),
        change["expected"],
        token=change["token"],
        erase=change["erase"],
    ),
    "purge": lambda source, scope, change, seconds: source.purge(
        scope, seconds, all_versions=change["all"]
    ),
    "forget": lambda source, scope, change, _: source.forget(scope),
    "count": lambda source, scope, change, _: source.count(scope, usage_of(change["usage"])),
    "activity": lambda source, scope, change, _: source.note_activity(
        scope, change["document"], change["action"], datetime.fromisoformat(change["when"])
    ),
    "source": lambda source, scope, change, _: source.note_source(scope, change["source"]),
    "filling": lambda source, scope, change, _: source.note_filling(
        scope, finished=change["finished"]
    ),
}


def _require_expected(space: _Space, scope: Scope, change: Change) -> None:
    """Refuse what the log would refuse, before it is there; a write that is made again is not refused."""
    expected = change.get("expected")
    if expected is None:
        return
    with space.files.source.reading(scope, None) as reading:
        newest = reading.pin.version
    if newest < expected:
        raise refusals.version_conflict(expected, newest)


def _next(number: int) -> range:
    return range(number + 1, number + 1 + _AHEAD)


def _pieces(text: str) -> list[str]:
    return [text[at : at + _MOST_IN_A_POINT] for at in range(0, len(text), _MOST_IN_A_POINT)] or [
        ""
    ]


def _parts(space: _Space, about: Mapping[str, Any]) -> list[str]:
    """The ids of the points that hold the rest of an entry, or a checkpoint."""
    return [point_id(space.key, "part", about["name"], n) for n in range(about["parts"])]


def _snapshot(path: Path) -> bytes:
    """A database as a file, while it is open."""
    with TemporaryDirectory() as place:
        copy = Path(place) / "copy"
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            with suppress(sqlite3.Error):
                target.execute("PRAGMA journal_mode = DELETE")
        return copy.read_bytes()
