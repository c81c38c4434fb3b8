"""Records in a tree: what is inside a record takes its readers, and its title, from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from biblicus_context.base import child_lock, door, require
from biblicus_context.errors import InputError
from biblicus_context.ingest import PreparedRecords, Record
from biblicus_context.stores import (
    EVERYBODY,
    LARGEST,
    MOST_LEVELS,
    Batch,
    Document,
    Principal,
    Readers,
    Relation,
    checked_name,
    checked_principal,
    checked_sequence,
    retried,
)
from biblicus_context.systems.workspace.reader_log import (
    LoggedReaders,
    ReaderChange,
    ReaderLog,
    RecordReaders,
    require_moment,
)
from biblicus_context.systems.workspace.tree_inheritance import (
    AI,
    Inherited,
    Settled,
    as_given,
    inheritance,
    is_withheld,
    own_readers,
    readers_of,
    with_inherited,
)

if TYPE_CHECKING:
    from biblicus_context.corpora import Corpus

_AT_ONCE: Final = 1_000
"""Ids of one look-up, and records of one batch."""
_LOCKS: Final = WeakValueDictionary[tuple[object, str], Lock]()
_FINDING: Final = child_lock()


@door
class RecordTree:
    """The tree of the records of a workspace, written as one that sees all of it.

    A record without a title has that of its parent. It is read by the readers of its parent, and
    where these change its own change with them, unless it was given readers of its own: then it is
    read by exactly these. Up to a thousand records are written at once, or not at all. What several
    programs change at once is changed one after the other.

    >>> from tempfile import mkdtemp
    >>> from biblicus_context import Corpus
    >>> with Corpus.open_records(mkdtemp()) as pages:
    ...     tree = RecordTree(pages)
    ...     _ = tree.put([Record(id="p", title="Plans"), Record(id="b", text="Ship.", parent="p")])
    ...     _ = tree.grant("p", users=["ann"])
    ...     [(each.id, each.title, *each.readers.users) for each in tree.corpus.documents()]
    [('b', 'Plans', 'ann'), ('p', 'Plans', 'ann')]
    """

    def __init__(
        self,
        corpus: Corpus,
        workspace: str | None = None,
        *,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        """By default the workspace is that of the principal of the corpus; `now` is the clock of the log."""
        own = corpus.principal.workspace
        who = Principal(own if workspace is None else workspace, sees_all=True)
        self.corpus = corpus.for_principal(checked_principal(who))
        # What is written depends on what was read before: a block that is put while its page is
        # granted to somebody would stay readable by everybody. Versions tell of other processes; the
        # threads of this one queue, which is faster than to try again.
        self._writing = _lock_of(self.corpus)
        self.log = ReaderLog(self.corpus, now)

    def put(self, records: Iterable[Record]) -> int:
        """Write records, in any order; returns how many are written, with those that follow them.

        A record that is put again keeps its readers unless it names some.
        """
        given: dict[str, Record] = {}
        for number, each in enumerate(records):
            require(Record, "Pass Record(...).", **{f"records[{number}]": each})
            if each.id in given:
                place = f"records[{number}].id"
                raise InputError("the id appears twice", place=place, found=each.id)
            given[each.id] = as_given(each)
        change = _Change(self, given, "put")
        with self._writing:
            return retried(change.write)

    def move(self, record_id: str, parent: str | None, position: int | None = None) -> int:
        """Move a record with all that is inside it; it takes the readers of its new parent, or keeps
        its own."""

        def moved(record: Record) -> Record:
            self._require_there(parent)
            return replace(record, parent=parent, position=position)

        return self._changed("move", record_id, moved)

    def grant(
        self, record_id: str, *, users: Iterable[str] = (), groups: Iterable[str] = ()
    ) -> int:
        """Let users and groups read a record, and what takes its readers from it, besides those who may.

        Where everybody of the workspace may, only these may from now on. The record has readers of its
        own then: it no longer takes those of its parent.
        """
        more = _named(users, groups)

        def granted(record: Record) -> Record:
            now = record.readers
            return _with_own(record, Readers(now.users | more.users, now.groups | more.groups))

        return self._changed("grant", record_id, granted)

    def revoke(
        self,
        record_id: str,
        *,
        users: Iterable[str] = (),
        groups: Iterable[str] = (),
        inside: bool = False,
    ) -> int:
        """Take a record, and what takes its readers from it, from users and groups.

        If nobody is left, nobody may read it. Who is named by a group stays; so does who is named in
        something inside that has readers of its own, unless that is taken from them too: `inside`.
        The record has readers of its own then.
        """
        less = _named(users, groups)

        def revoked(record: Record) -> Record:
            now = record.readers
            if now.are_everybody:
                problem = "everybody of the workspace may read this, so nobody can be taken out"
                fix = "Name those who may with make_private."
                raise InputError(problem, found=record_id, fix=fix)
            left = Readers(now.users - less.users, now.groups - less.groups, closed=True)
            return record if left == now else _with_own(record, left)

        def also(document: Document) -> bool:
            own = own_readers(document)
            return own is not None and bool(own.users & less.users or own.groups & less.groups)

        return self._changed("revoke", record_id, revoked, also if inside else None)

    def make_private(
        self, record_id: str, *, users: Iterable[str] = (), groups: Iterable[str] = ()
    ) -> int:
        """Let only these users and groups read a record, and what takes its readers from it.

        Without any, nobody may but a principal that sees all.
        """
        only = replace(named_readers(users, groups), closed=True)
        return self._changed("make_private", record_id, lambda record: _with_own(record, only))

    def make_public(self, record_id: str) -> int:
        """Let everybody of the workspace read a record, and what takes its readers from it, whoever may
        read what it is inside."""
        return self._changed("make_public", record_id, lambda record: _with_own(record, EVERYBODY))

    def inherit_readers(self, record_id: str) -> int:
        """Let a record take the readers of its parent again; without a parent, everybody may read it."""

        def inheriting(record: Record) -> Record:
            self._require_there(record.parent)
            return replace(record, readers=EVERYBODY, own_readers=False)

        return self._changed("inherit_readers", record_id, inheriting)

    def readers_of(self, record_id: str) -> RecordReaders:
        """Who may read a record now, and which record says so."""
        known = self.lineage([record_id])
        if record_id not in known:
            raise _no_such_record(record_id)
        record = known[record_id]
        readers, said_by = readers_of(record), known.get(record_id)
        while said_by is not None and own_readers(said_by) is None:
            said_by = known.get(said_by.parent or "")
        return _read_by(readers, said_by.id if said_by else None, ai=not is_withheld(record))

    def readers_at(self, record_id: str, moment: datetime) -> RecordReaders:
        """Who could read a record at a moment; `said_by` is None."""
        require_moment(at=moment)
        found = self._logged([record_id])[record_id].at(moment)
        if found is None:
            problem = "there was no such record then"
            raise InputError(problem, place="at", found=f"{record_id} at {moment.isoformat()}")
        return found

    def audit(
        self,
        record_id: str | None = None,
        *,
        user: str | None = None,
        groups: Iterable[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[ReaderChange]:
        """The changes of who may read a record, or any record, oldest first.

        With a `user` and groups only those that gave or took something from this user. Of a record that is
        gone, and that is not asked for, the id is not known.
        """
        require_moment(since=since, until=until)
        names = [record_id] if record_id is not None else self._ids()
        found = [each for known in self._logged(names).values() for each in known.changes]
        if record_id is None:
            found += self.log.gone(names)
        member = frozenset(groups)

        def is_meant(change: ReaderChange) -> bool:
            in_time = (since is None or change.at >= since) and (until is None or change.at < until)
            if user is None:
                return in_time
            before, after = (
                each is not None and each.include(user, member)
                for each in (change.before, change.after)
            )
            return in_time and before != after

        return sorted(filter(is_meant, found), key=lambda each: each.at)

    def _ids(self) -> list[str]:
        return [each.id for each in self.corpus.documents()]

    def _logged(self, names: Sequence[str]) -> dict[str, LoggedReaders]:
        known = self.documents(names)
        now = {name: _read_by_now(known[name]) if name in known else None for name in names}
        return self.log.of(now)

    def keep_from_models(self, record_id: str) -> int:
        """Let no system place a record, or what is inside it, whoever asks; readers stay as they are."""
        return self._changed(
            "keep_from_models", record_id, lambda record: _with_ai(record, ai=False)
        )

    def allow_models(self, record_id: str) -> int:
        """Let systems place a record again, unless something that it is inside is kept from models."""
        return self._changed("allow_models", record_id, lambda record: _with_ai(record, ai=True))

    def kept_from_models(self, ids: Iterable[str]) -> set[str]:
        """Those of these records that no system may place."""
        return {name for name, each in self.documents(ids).items() if is_withheld(each)}

    def remove(self, record_id: str) -> int:
        """Remove a record with all that is inside it; returns how many records these were."""
        return self.remove_many([record_id])

    def remove_many(self, record_ids: Iterable[str]) -> int:
        """Remove records with all that is inside them, all or nothing; returns how many these were."""
        return len(self.remove_named(record_ids))

    def remove_named(self, record_ids: Iterable[str]) -> tuple[str, ...]:
        """The same; returns the ids of all that was removed, those inside after what they were in."""
        ids = [*record_ids]
        with self._writing:
            return retried(lambda: self._remove(ids))

    def _remove(self, record_ids: Sequence[str]) -> tuple[str, ...]:
        version = self._version()
        found = [*self.documents(record_ids)]
        if found:
            inside = [each.id for name in found for each in self._inside(name)]
            found = [*dict.fromkeys([*found, *inside])]
            gone = self.documents(found)
            self.log.add(
                "remove", {name: (_read_by_now(each), None) for name, each in gone.items()}
            )
            store, who = self.corpus.store, self.corpus.principal
            store.write(who, Batch(remove=tuple(found)), expected_version=version)
        return tuple(found)

    def _inside(self, record_id: str) -> list[Document]:
        """All that is inside a record, at whatever depth."""
        found: dict[str, Document] = {}
        level = [record_id]
        while level:
            below = [each for each in self.children(level) if each.id not in found]
            found |= {each.id: each for each in below}
            level = [each.id for each in below]
        return [each for name, each in found.items() if name != record_id]

    def _changed(
        self,
        name: str,
        record_id: str,
        change: Callable[[Record], Record],
        also: Callable[[Document], bool] | None = None,
    ) -> int:
        """Change a record, and what follows it; and those inside of which `also` is true."""

        def write() -> int:
            version = self._version()
            found = self.corpus.get([record_id])
            if not found:
                raise _no_such_record(record_id)
            inside = [each.id for each in self._inside(record_id) if also(each)] if also else []
            records = [*map(as_given, (*found, *self.corpus.get(inside)))]
            changed = {each.id: made for each in records if (made := change(each)) is not each}
            return _Change(self, changed, name, version).write() if changed else 0

        checked_name(record_id, "record_id")
        with self._writing:
            return retried(write)

    def _require_there(self, parent: str | None) -> None:
        """To take the readers of nothing would show a record to everybody."""
        if parent is not None and not self.documents([parent]):
            raise InputError("there is no such record", place="parent", found=parent)

    def _version(self) -> int:
        """The version that what is read next is of, or a later one; a write on top of it says which."""
        if self.corpus.index.is_awaited:
            return 0
        return self.corpus.index.state.version

    def relate(self, source: str, target: str, kind: str) -> None:
        """Relate two records by id, whether or not one is inside the other."""
        self.corpus.relate([Relation(source, target, kind)])

    def documents(self, ids: Iterable[str]) -> Mapping[str, Document]:
        """The documents with these ids."""
        if self.corpus.index.is_awaited:
            return {}
        with self.corpus.index.shared_view() as view:
            return {each.id: each for some in _some(ids) for each in view.documents(some)}

    def children(self, ids: Sequence[str]) -> list[Document]:
        """The documents inside these."""
        if self.corpus.index.is_awaited:
            return []
        with self.corpus.index.shared_view() as view:
            levels = (view.tree(some, down=LARGEST).below for some in _some(ids))
            return [each for level in levels for each in level]

    def lineage(self, ids: Iterable[str]) -> Mapping[str, Document]:
        """The documents with these ids, and what they are inside."""
        if self.corpus.index.is_awaited:
            return {}
        with self.corpus.index.shared_view() as view:
            levels = (view.tree(some, up=MOST_LEVELS).above for some in _some(ids))
            return {each.id: each for level in levels for each in level}


class _Change:
    """Records that are being written, with what follows them; a part of them may be written already."""

    def __init__(
        self, tree: RecordTree, given: Mapping[str, Record], name: str, version: int | None = None
    ) -> None:
        self._tree, self._name = tree, name
        self._given = dict(given)
        self._version = version
        self._written: set[str] = set()
        self._prepared: tuple[list[Record], PreparedRecords] | None = None

    def write(self) -> int:
        """Write what is left of them; where somebody else writes meanwhile, this can be called again."""
        tree = self._tree
        version = tree._version() if self._version is None else self._version
        found = inheritance(self._given, tree)
        following = tree.corpus.get([name for name in found if name not in self._given])
        # What follows is written before what it follows, the innermost first: if this is
        # interrupted, what was given has not changed yet, so that the same call begins again.
        waiting = iter([*reversed(following), *self._given.values()])
        while some := [*islice(waiting, _AT_ONCE)]:
            records = [with_inherited(each, found[each.id].after) for each in some]
            names = [each.id for each in some]
            changed = {name: found[name] for name in names}
            version = self._write(records, version, changed)
            self._written.update(names)
            for name in names:
                self._given.pop(name, None)
        return len(self._written)

    def _write(self, records: list[Record], version: int, changed: Mapping[str, Settled]) -> int:
        # Texts are embedded once, however often others write first.
        if self._prepared is None or self._prepared[0] != records:
            self._prepared = records, self._tree.corpus.writer.prepared(records)
        states = {
            name: (each.before and _passed_on(each.before), _passed_on(each.after))
            for name, each in changed.items()
        }
        self._tree.log.add(self._name, states)
        return self._tree.corpus.writer.write(self._prepared[1], version).version


def _named(users: Iterable[str], groups: Iterable[str]) -> Readers:
    """Somebody: to grant or revoke nothing would silently do nothing."""
    named = named_readers(users, groups)
    if named.are_everybody:
        raise InputError("nobody is named", place="users", fix="Pass users or groups.")
    return named


def named_readers(users: Iterable[str], groups: Iterable[str]) -> Readers:
    """These users and groups; everybody, where none is named."""
    given = {"users": users, "groups": groups}
    named = {
        kind: frozenset(checked_name(each, kind) for each in checked_sequence(names, kind))
        for kind, names in given.items()
    }
    return Readers(named["users"], named["groups"])


def _read_by_now(known: Document) -> RecordReaders:
    return _read_by(readers_of(known), ai=not is_withheld(known))


def _passed_on(known: Inherited) -> RecordReaders:
    return _read_by(known.readers, ai=known.for_models)


def _read_by(readers: Readers, said_by: str | None = None, *, ai: bool = True) -> RecordReaders:
    return RecordReaders(readers.users, readers.groups, readers.are_everybody, said_by, ai)


def _with_own(record: Record, readers: Readers) -> Record:
    return replace(record, readers=readers, own_readers=True)


def _with_ai(record: Record, *, ai: bool) -> Record:
    return replace(record, metadata={**record.metadata, AI: ai})


def _no_such_record(record_id: str) -> InputError:
    return InputError("there is no such record", found=record_id)


def _lock_of(corpus: Corpus) -> Lock:
    """The same lock for all trees of a workspace, also of a store that is opened twice."""
    key = (corpus.index.identity, corpus.principal.workspace)
    with _FINDING:
        return _LOCKS.setdefault(key, child_lock())


def _some(ids: Iterable[str]) -> Iterator[list[str]]:
    listed = [*ids]
    for start in range(0, len(listed), _AT_ONCE):
        yield listed[start : start + _AT_ONCE]
