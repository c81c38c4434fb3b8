"""Records in a tree: what is inside a record takes its readers, and its title, from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from biblicus_context.base.forks import child_lock
from biblicus_context.base.options import require
from biblicus_context.corpora.tree_inheritance import inheritance, with_inherited
from biblicus_context.errors import InputError
from biblicus_context.ingest.records.record import Record
from biblicus_context.stores import EVERYBODY, Document, Principal, Readers, Relation, checks
from biblicus_context.stores.view import MOST_LEVELS

if TYPE_CHECKING:
    from biblicus_context.corpora.corpus import Corpus

_AT_ONCE: Final = 1_000
"""Ids of one look-up, and records of one batch."""
_LOCKS: Final = WeakValueDictionary[tuple[object, str], Lock]()
_FINDING: Final = child_lock()


class RecordTree:
    """The tree of the records of a workspace, written as one that sees all of it.

    A record without a title has that of its parent. It is read by the readers of its parent, unless
    it names others; where its parent's change, its own change with them. Up to a thousand records
    are written at once, or not at all. The changes of a workspace by one process follow each other.

    >>> from tempfile import mkdtemp
    >>> from biblicus_context import Corpus
    >>> with Corpus.open_records(mkdtemp()) as pages:
    ...     tree = RecordTree(pages)
    ...     _ = tree.put([Record(id="p", title="Plans"), Record(id="b", text="Ship.", parent="p")])
    ...     _ = tree.grant("p", users=["ann"])
    ...     [(each.id, each.title, *each.readers.users) for each in tree.corpus.documents()]
    [('b', 'Plans', 'ann'), ('p', 'Plans', 'ann')]
    """

    def __init__(self, corpus: Corpus, workspace: str | None = None) -> None:
        """By default the workspace is that of the principal of the corpus."""
        own = corpus.principal.workspace
        who = Principal(own if workspace is None else workspace, sees_all=True)
        self.corpus = corpus.for_principal(checks.known(who))
        # What is written depends on what was read before: a block that is put while its page is
        # granted to somebody would stay readable by everybody.
        self._writing = _lock_of(self.corpus)

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
            given[each.id] = each
        with self._writing:
            return self._put(given)

    def _put(self, given: Mapping[str, Record]) -> int:
        found = inheritance(given, self)
        following = self.corpus.get([name for name in found if name not in given])
        # What follows is written before what it follows, the innermost first: if this is
        # interrupted, what was given has not changed yet, so that the same call begins again.
        written = [*reversed(following), *given.values()]
        self.corpus.put_many(with_inherited(each, found[each.id]) for each in written)
        return len(written)

    def move(self, record_id: str, parent: str | None, position: int | None = None) -> int:
        """Move a record with all that is inside it."""
        with self._writing:
            moved = replace(self._record(record_id), parent=parent, position=position)
            return self._put({record_id: replace(moved, readers=EVERYBODY)})

    def grant(
        self, record_id: str, *, users: Iterable[str] = (), groups: Iterable[str] = ()
    ) -> int:
        """Let users and groups read a record and what is inside it, besides those who may.

        Before the first grant everybody of the workspace may.
        """
        more = {*checks.sequence(users, "users")}, {*checks.sequence(groups, "groups")}
        with self._writing:
            record = self._record(record_id)
            readers = Readers(record.readers.users | more[0], record.readers.groups | more[1])
            return self._put({record_id: replace(record, readers=readers)})

    def remove(self, record_id: str) -> int:
        """Remove a record with all that is inside it; returns how many records these were."""
        with self._writing:
            found = dict.fromkeys(self.documents([record_id]))
            level = [*found]
            while level:
                level = [each.id for each in self.children(level) if each.id not in found]
                found |= dict.fromkeys(level)
            if found:
                self.corpus.remove([*found])
            return len(found)

    def relate(self, source: str, target: str, kind: str) -> None:
        """Relate two records by id, whether or not one is inside the other."""
        self.corpus.relate([Relation(source, target, kind)])

    def documents(self, ids: Iterable[str]) -> Mapping[str, Document]:
        """The documents with these ids."""
        if self.corpus.index.is_awaited:
            return {}
        with self.corpus.index.view() as view:
            return {each.id: each for some in _some(ids) for each in view.documents(some)}

    def children(self, ids: Sequence[str]) -> list[Document]:
        """The documents inside these."""
        if self.corpus.index.is_awaited:
            return []
        with self.corpus.index.view() as view:
            levels = (view.tree(some, down=checks.LARGEST).below for some in _some(ids))
            return [each for level in levels for each in level]

    def lineage(self, ids: Iterable[str]) -> Mapping[str, Document]:
        """The documents with these ids, and what they are inside."""
        if self.corpus.index.is_awaited:
            return {}
        with self.corpus.index.view() as view:
            levels = (view.tree(some, up=MOST_LEVELS).above for some in _some(ids))
            return {each.id: each for level in levels for each in level}

    def _record(self, record_id: str) -> Record:
        found = self.corpus.get([record_id])
        if not found:
            raise InputError("there is no such record", found=record_id)
        return found[0]


def _lock_of(corpus: Corpus) -> Lock:
    """The same lock for all trees of a workspace, also of a store that is opened twice."""
    index = corpus.index
    place = index.folder.resolve() if index.is_in_folder else id(index.store)
    with _FINDING:
        key = (place, corpus.principal.workspace)
        return _LOCKS.setdefault(key, child_lock())


def _some(ids: Iterable[str]) -> Iterator[list[str]]:
    listed = [*ids]
    for start in range(0, len(listed), _AT_ONCE):
        yield listed[start : start + _AT_ONCE]
