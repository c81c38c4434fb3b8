"""Who could read what, and when: every change of the readers of a record is written down before it is made.

The log is a workspace of its own in the same store, which searches, lists and exports of the records do not
see. It has no text: of an id it keeps a hash, as ids may be made of words of a text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

from biblicus_context.base import door
from biblicus_context.errors import InputError
from biblicus_context.stores import Batch, Document, Entry, Principal

if TYPE_CHECKING:
    from biblicus_context.corpora import Corpus

_WORKSPACE: Final = "\x1freaders\x1f"
_AT: Final = "at"
_CHANGES: Final = "changes"
_AT_ONCE: Final = 1_000


class RecordReaders(NamedTuple):
    """Who may read a record."""

    users: frozenset[str]
    groups: frozenset[str]
    everybody: bool
    """Whether all of the workspace may."""
    said_by: str | None
    """The record whose own readers these are: itself, or one that it is inside. None where none has
    any, so that everybody may, and of a time in the past."""
    ai: bool = True
    """Whether systems may place it in a context: False if it, or something that it is inside, is kept
    from models, whoever asks."""

    def include(self, user: str, groups: Iterable[str] = ()) -> bool:
        """Whether a user with these groups is among them."""
        return self.everybody or user in self.users or not self.groups.isdisjoint(groups)


class ReaderChange(NamedTuple):
    """One change of the readers of a record."""

    at: datetime
    record_id: str | None
    """None where the record is gone, and was not asked for by its id."""
    before: RecordReaders | None
    """None: it was not there."""
    after: RecordReaders | None
    """None: it was deleted."""
    change: str
    """What was called, such as `grant` or `move`."""


class LoggedReaders(NamedTuple):
    """What the log knows of one record: its readers before the first change, and each change."""

    first: RecordReaders | None
    changes: tuple[ReaderChange, ...]

    def at(self, moment: datetime) -> RecordReaders | None:
        """Those of a moment; None: the record was not there."""
        found = self.first
        for each in self.changes:
            if each.at > moment:
                break
            found = each.after
        return found


@door
class ReaderLog:
    """The changes of readers in one workspace.

    A change is written down before it is made, so that none is missing after a crash. One that was not
    made is recognised when the log is read: what came after it does not begin where it would have ended.
    """

    def __init__(self, corpus: Corpus, now: Callable[[], datetime] | None = None) -> None:
        who = Principal(f"{_WORKSPACE}{_hashed(corpus.principal.workspace)}", sees_all=True)
        self._corpus = corpus.for_principal(who)
        self._now = now or (lambda: datetime.now(UTC))

    def add(
        self,
        change: str,
        changed: Mapping[str, tuple[RecordReaders | None, RecordReaders | None]],
    ) -> None:
        """Write down the readers of records before and after a change."""
        alike = defaultdict[Any, list[str]](list)
        for name, (before, after) in changed.items():
            if before != after:
                alike[_State(before), _State(after)].append(_hashed(name))
        if not alike:
            return
        rows = [[change, each[0].said, each[1].said, names] for each, names in alike.items()]
        now = self._now().astimezone(UTC)
        name = f"{now.timestamp():018.6f}-{uuid4().hex[:8]}"
        known = Document(id=name, metadata={_AT: now.isoformat(), _CHANGES: rows}, created=now)
        store = self._corpus.index.open_store(create=True)
        store.write(self._corpus.principal, Batch(put=(Entry(known, blocks=()),)))

    def of(self, current: Mapping[str, RecordReaders | None]) -> dict[str, LoggedReaders]:
        """What is known of records, by id, with who may read each of them now."""
        names = {_hashed(each): each for each in current}
        found = defaultdict[str, list[ReaderChange]](list)
        for each, digest in self._read():
            if digest in names:
                found[names[digest]].append(each._replace(record_id=names[digest]))
        return {name: _made(found[name], now) for name, now in current.items()}

    def gone(self, known: Iterable[str]) -> Iterator[ReaderChange]:
        """The changes of records that are no longer there: all but those that are known."""
        present = {_hashed(each) for each in known}
        found = defaultdict[str, list[ReaderChange]](list)
        for each, digest in self._read():
            if digest not in present:
                found[digest].append(each)
        for changes in found.values():
            yield from _made(changes, None).changes

    def forget(self, before: datetime | None = None) -> int:
        """Remove what was written down before a moment, or all; returns how many changes these were."""
        require_moment(before=before)
        wanted = [e for e in self._documents() if before is None or _time_of(e) < before]
        for start in range(0, len(wanted), _AT_ONCE):
            self._corpus.remove([each.id for each in wanted[start : start + _AT_ONCE]])
        return len(wanted)

    def clear(self) -> None:
        """Remove all of it, with every byte in files."""
        self._corpus.clear()

    def _documents(self) -> Sequence[Document]:
        return [*self._corpus.documents()]

    def _read(self) -> Iterator[tuple[ReaderChange, str]]:
        """Every change, oldest first, with the hash of the id of its record."""
        last = datetime.min.replace(tzinfo=UTC)
        for each in self._documents():
            last = max(last, _time_of(each))  # clocks of two machines differ
            rows: Any = each.metadata[_CHANGES]
            for change, before, after, names in rows:
                made = ReaderChange(last, None, _readers(before), _readers(after), change)
                yield from ((made, name) for name in names)


class _State:
    """Readers as they are written, which can be compared."""

    def __init__(self, readers: RecordReaders | None) -> None:
        self.said = (
            None
            if readers is None
            else [
                sorted(readers.users),
                sorted(readers.groups),
                readers.everybody,
                readers.ai,
            ]
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _State) and self.said == other.said

    def __hash__(self) -> int:
        return hash(str(self.said))


def _readers(said: Any) -> RecordReaders | None:
    if said is None:
        return None
    users, groups, everybody, ai = said
    return RecordReaders(frozenset(users), frozenset(groups), everybody, None, ai)


def _made(changes: Sequence[ReaderChange], now: RecordReaders | None) -> LoggedReaders:
    """Without changes that were written down and not made, seen from how it is now."""
    expected = None if now is None else now._replace(said_by=None)
    kept: list[ReaderChange] = []
    for each in reversed(changes):
        if each.after == expected:
            kept.append(each)
            expected = each.before
    return LoggedReaders(expected, tuple(reversed(kept)))


def require_moment(**times: datetime | None) -> None:
    """Refuse a time without a time zone."""
    for place, each in times.items():
        if each is not None and each.utcoffset() is None:
            fix = "For example datetime.now(timezone.utc)."
            raise InputError("a time must have a time zone", place=place, found=each, fix=fix)


def _hashed(name: str) -> str:
    return blake2b(name.encode(errors="replace"), digest_size=12).hexdigest()


def _time_of(known: Document) -> datetime:
    return datetime.fromisoformat(str(known.metadata[_AT]))
