"""What changes in a tree of records when some are written: those inside them follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from biblicus_context.errors import InputError
from biblicus_context.ingest import Record
from biblicus_context.stores import EVERYBODY, NOBODY, Document, Readers

UNTITLED: Final = "untitled"
"""Metadata of a document whose title is that of its parent."""
AI: Final = "ai"
"""Metadata by which an author keeps a document, and all that is inside it, from models: `ai: false`."""
WITHHELD: Final = "withheld"
"""Metadata of a document that is kept from models: who may read it otherwise."""


class Inherited(NamedTuple):
    """What a document passes on to those inside it."""

    title: str = ""
    readers: Readers = EVERYBODY
    own_readers: bool = False
    """Whether the readers are its own, or taken from its parent."""
    for_models: bool = True
    """Whether neither it nor anything that it is inside is kept from models."""
    says: bool | None = None
    """What it says of that itself."""


class Settled(NamedTuple):
    """What a document passes on, before a change and after it."""

    before: Inherited | None
    """None: it was not there."""
    after: Inherited


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
    says: bool | None
    """Whether it is for models; None: it says nothing."""

    def under(self, parent: Inherited) -> Inherited:
        for_models = parent.for_models and self.says is not False
        if self.own_readers is None:
            title = self.own_title or parent.title
            return Inherited(title, parent.readers, for_models=for_models, says=self.says)
        # Who may read this alone must not learn what the page around it is called.
        title = parent.title if self.own_readers.are_among(parent.readers) else ""
        title = self.own_title or title
        return Inherited(
            title, self.own_readers, own_readers=True, for_models=for_models, says=self.says
        )


def inheritance(given: Mapping[str, Record], stored: StoredTree) -> dict[str, Settled]:
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
    # Parents first: a record takes from its parent what that one takes in this same write. Stored
    # children are read only below what changed, so that an edit of a page reads no tree.
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
    return {
        name: Settled(old.get(name), each)
        for name, each in new.items()
        if name in given or each != old.get(name)
    }


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
    says = says_of_models(record.metadata)
    if says is None and old is not None:  # an edit that does not mention it opens nothing
        says = says_of_models(old.metadata)
    is_inside = record.parent in given or record.parent in before
    if own is None and not is_inside and (record.parent or old is None):
        # What it took them from is not there: to take those of nothing would show it to everybody.
        kept = readers_of(old) if old else record.readers
        own = None if kept == EVERYBODY else kept
    return _Node(record.parent, title, own, says)


def _own_readers(record: Record, old: Document | None) -> Readers | None:
    if record.own_readers or (record.own_readers is None and record.readers != EVERYBODY):
        return record.readers
    if record.own_readers is None:
        return own_readers(old) if old else None
    if old is not None and record.readers not in (EVERYBODY, readers_of(old)):
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
    own, readers = document.own_readers, readers_of(document)
    return readers if own or (own is None and readers != EVERYBODY) else None


def readers_of(known: Document | Record) -> Readers:
    """Who may read it, whether or not it is kept from models."""
    said = known.metadata.get(WITHHELD)
    if not isinstance(said, Mapping) or known.readers != NOBODY:
        return known.readers
    users, groups = (_names(said.get(kind)) for kind in ("users", "groups"))
    return Readers(users, groups, closed=bool(said.get("closed")))


def _names(said: object) -> frozenset[str]:
    return frozenset(map(str, said)) if isinstance(said, list | tuple) else frozenset()


def says_of_models(metadata: Mapping[str, object]) -> bool | None:
    """What `ai` in the metadata says; None if nothing, or something else."""
    said = metadata.get(AI)
    if isinstance(said, str):  # as a program exports a property
        return {"true": True, "yes": True, "false": False, "no": False}.get(said.casefold())
    return said if isinstance(said, bool) else None


def is_withheld(known: Document | Record) -> bool:
    """Whether it is kept from models, by itself or by what it is inside."""
    return WITHHELD in known.metadata


def as_given(record: Record) -> Record:
    """A record as it was before it was kept from models, if it was read from the store."""
    if not is_withheld(record):
        return record
    metadata = {name: each for name, each in record.metadata.items() if name != WITHHELD}
    return replace(record, readers=readers_of(record), metadata=metadata)


def _inherited(document: Document) -> Inherited:
    return Inherited(
        document.title,
        readers_of(document),
        own_readers(document) is not None,
        not is_withheld(document),
        says_of_models(document.metadata),
    )


def _stored(document: Document) -> _Node:
    title = "" if document.metadata.get(UNTITLED) else document.title
    return _Node(document.parent, title, own_readers(document), says_of_models(document.metadata))


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
    record = as_given(record)
    metadata = {**record.metadata, UNTITLED: True} if takes else {**record.metadata}
    if found.says is not None:
        metadata[AI] = found.says
    readers = found.readers
    if not found.for_models:
        # Systems read as a user. What nobody may read is in no search, outline, title or link, in any
        # process and version: rights are checked everywhere, and this is one.
        users, groups = sorted(readers.users), sorted(readers.groups)
        metadata[WITHHELD] = {"users": users, "groups": groups, "closed": readers.closed}
        readers = NOBODY
    return replace(
        record,
        title=found.title,
        readers=readers,
        own_readers=found.own_readers,
        metadata=metadata,
    )
