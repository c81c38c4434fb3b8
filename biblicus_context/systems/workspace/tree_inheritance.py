"""What changes in a tree of records when some are written: those inside them follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from biblicus_context.errors import InputError
from biblicus_context.ingest import Record
from biblicus_context.stores import EVERYBODY, Document, Readers

UNTITLED: Final = "untitled"
"""Metadata of a document whose title is that of its parent."""


class Inherited(NamedTuple):
    """What a document passes on to those inside it."""

    title: str = ""
    readers: Readers = EVERYBODY
    own_readers: bool = False
    """Whether the readers are its own, or taken from its parent."""


class StoredTree(Protocol):
    """The tree before the change."""

    def documents(self, ids: Iterable[str]) -> Mapping[str, Document]:
        """The documents with these ids."""
        ...

    def lineage(self, ids: Iterable[str]) -> Mapping[str, Document]:
        """The documents with these ids, and what they are inside."""
        ...

    def children(self, ids: Sequence[str]) -> Iterable[Document]:
        """The documents inside these."""
        ...


class _Node(NamedTuple):
    """A document that is written, or follows."""

    parent: str | None
    own_title: str
    """Empty: it takes that of its parent."""
    own_readers: Readers | None
    """None: it takes those of its parent."""

    def under(self, parent: Inherited) -> Inherited:
        if self.own_readers is None:
            return Inherited(self.own_title or parent.title, parent.readers)
        # Who may read this alone must not learn what the page around it is called.
        title = parent.title if self.own_readers.are_among(parent.readers) else ""
        return Inherited(self.own_title or title, self.own_readers, own_readers=True)


def inheritance(given: Mapping[str, Record], stored: StoredTree) -> dict[str, Inherited]:
    """The title and readers of each given record, and of every stored document that changes with them."""
    before = dict(stored.documents(given))
    parents = [
        *(each.parent for each in given.values()),
        *(each.parent for each in before.values()),
    ]
    above = [name for name in parents if name]
    before |= stored.lineage([name for name in above if name not in before])
    _refuse_cycles(given, stored, before)
    nodes = {name: _given(each, given, before) for name, each in given.items()}
    old = {name: _inherited(each) for name, each in before.items()}
    new: dict[str, Inherited] = {}
    level = _parents_first(given)
    inside: defaultdict[str | None, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        inside[node.parent].append(name)
    while level:
        changed = [name for name in level if _settle(name, nodes, old, new)]
        for child in stored.children(changed):
            if child.id not in nodes:
                nodes[child.id] = _stored(child)
                old[child.id] = _inherited(child)
                inside[child.parent].append(child.id)
        level = [name for parent in changed for name in inside[parent]]
    return {name: each for name, each in new.items() if name in given or each != old.get(name)}


def _settle(
    name: str,
    nodes: Mapping[str, _Node],
    old: Mapping[str, Inherited],
    new: dict[str, Inherited],
) -> bool:
    """Give a document what it takes from its parent now; whether that changes it."""
    parent = nodes[name].parent or ""
    found = nodes[name].under(new.get(parent) or old.get(parent) or Inherited())
    known = new.get(name) or old.get(name)
    new[name] = found
    return found != known


def _given(record: Record, given: Mapping[str, Record], before: Mapping[str, Document]) -> _Node:
    title = "" if record.metadata.get(UNTITLED) else record.title
    old = before.get(record.id)
    own = _own_readers(record, old)
    is_inside = record.parent in given or record.parent in before
    if own is None and not is_inside and (record.parent or old is None):
        # What it took them from is not there: to take those of nothing would show it to everybody.
        kept = old.readers if old else record.readers
        own = None if kept == EVERYBODY else kept
    return _Node(record.parent, title, own)


def _own_readers(record: Record, old: Document | None) -> Readers | None:
    if record.own_readers or (record.own_readers is None and record.readers != EVERYBODY):
        return record.readers
    if record.own_readers is None:
        return own_readers(old) if old else None
    if old is not None and record.readers not in (EVERYBODY, old.readers):
        # Of what was read before a revocation, and of what is meant to narrow it, neither is lost.
        raise InputError(
            "this record takes its readers from its parent, and these are others",
            place="readers",
            found=record.id,
            fix="Pass own_readers=True to give it these, or readers=EVERYBODY to leave them.",
        )
    return None


def own_readers(document: Document) -> Readers | None:
    """The readers that were given to a document itself; None if it takes those of its parent."""
    own = document.own_readers
    return document.readers if own or (own is None and document.readers != EVERYBODY) else None


def _inherited(document: Document) -> Inherited:
    return Inherited(document.title, document.readers, own_readers(document) is not None)


def _stored(document: Document) -> _Node:
    title = "" if document.metadata.get(UNTITLED) else document.title
    return _Node(document.parent, title, own_readers(document))


def _parents_first(given: Mapping[str, Record]) -> list[str]:
    order: dict[str, None] = {}
    for name in given:
        chain: list[str] = []
        step: str | None = name
        while step is not None and step in given and step not in order:
            chain.append(step)
            step = given[step].parent
        order |= dict.fromkeys(reversed(chain))
    return [*order]


def _refuse_cycles(
    given: Mapping[str, Record], stored: StoredTree, known: dict[str, Document]
) -> None:
    """Refuse a record that would be inside itself."""
    sound: set[str] = set()
    for name in given:
        seen = {name}
        step: str | None = given[name].parent
        while step is not None and step not in seen and step not in sound:
            seen.add(step)
            if step in given:
                step = given[step].parent
                continue
            if step not in known:
                known |= stored.lineage([step])
            step = known[step].parent if step in known else None
        if step == name:
            raise InputError("a record cannot be inside itself", place="parent", found=name)
        sound |= seen


def with_inherited(record: Record, found: Inherited) -> Record:
    """The record as it is written."""
    takes = not record.title or bool(record.metadata.get(UNTITLED))
    metadata = {**record.metadata, UNTITLED: True} if takes else record.metadata
    return replace(
        record,
        title=found.title,
        readers=found.readers,
        own_readers=found.own_readers,
        metadata=metadata,
    )
