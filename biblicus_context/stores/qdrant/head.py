"""The head of a collection: one point that names all that is true of it. To replace the head is to commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, NamedTuple, Self
from uuid import uuid4

from biblicus_context.stores.qdrant.points import Point, point_id
from biblicus_context.stores.qdrant.texts import packed, unpacked

MOST_COMMITS: Final = 64
"""By which a writer learns that its commit was done, also after others committed."""

Facts = dict[str, Any]
"""What a commit changes besides documents, as JSON; see `Catalogue.learn`."""


class PackSegment(NamedTuple):
    """Packs that one write made, for a range of rows: of documents, of words, or of embeddings."""

    write: str
    first: int
    last: int
    size: int
    """Documents, words or embeddings."""
    parts: int
    """Points."""
    model: str = ""
    """Of embeddings: the digest of its name."""
    starts: tuple[int, ...] = ()
    """Of embeddings: the first row of each part, from 0."""

    def ids(self, kind: str) -> list[str]:
        """The ids of its points."""
        return [self.part(kind, n) for n in range(self.parts)]

    def part(self, kind: str, number: int) -> str:
        """The id of one of its points."""
        return point_id(self.write, kind, self.model, number)

    @property
    def rows(self) -> int:
        """How many rows it is for."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Head:
    """What all reads of one moment begin with."""

    workspace: str
    collection: str
    identity: str = ""
    seq: int = 0
    """Each commit is one more; those that make no version too."""
    version: int = 0
    oldest: int = 0
    """Who saw what was removed up to this version cannot read older ones."""
    cleaned: int = 0
    """What was removed up to this version is in no point, and nothing says that it was removed."""
    repacked: int = 0
    """The version that forgot everything before it."""
    documents: int = 0
    """The last row of a document."""
    blocks: int = 0
    """The last row of a block."""
    swept: int = 0
    """The commit with which something was cleaned: who knows an older one begins again."""
    source: str | None = None
    is_partial: bool = False
    remains: int | None = None
    """Until when older versions show something that was removed, in microseconds."""
    commits: tuple[str, ...] = ()
    """The last ones."""
    models: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The number and the dimensions of each."""
    packs: tuple[PackSegment, ...] = ()
    """Of documents with the names of their blocks, by row."""
    facts: tuple[PackSegment, ...] = ()
    """Of facts, by commit."""
    words: tuple[PackSegment, ...] = ()
    """By row of blocks."""
    vectors: tuple[PackSegment, ...] = ()
    """By row of blocks."""
    garbage: tuple[str, ...] = ()
    """Points that nothing names any more, by write and kind."""
    tail: Facts = field(default_factory=dict)
    """The newest facts and documents, which are in no pack yet."""

    def point(self, space: str, namespace: str) -> Point:
        """As it is kept."""
        return Point(
            head_id(space),
            {
                "space": space,
                "kind": "head",
                "namespace": namespace,
                "seq": self.seq,
                "data": packed(asdict(self)),
            },
        )

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> Self:
        """From its point."""
        own: dict[str, Any] = unpacked(payload["data"])
        for each in ("packs", "facts", "words", "vectors"):
            own[each] = tuple(_segment(*segment) for segment in own[each])
        own["models"] = {name: (number, size) for name, (number, size) in own["models"].items()}
        own["commits"], own["garbage"] = tuple(own["commits"]), tuple(own["garbage"])
        return cls(**{each.name: own[each.name] for each in fields(cls)})

    @classmethod
    def new(cls, workspace: str, collection: str) -> Self:
        """Of a collection that nobody wrote to."""
        return cls(workspace, collection, identity=uuid4().hex)


def _segment(
    write: str, first: int, last: int, size: int, parts: int, model: str, starts: Iterable[int]
) -> PackSegment:
    return PackSegment(write, first, last, size, parts, model, tuple(starts))


def vectors_kind(model: str) -> str:
    """The kind of the points with embeddings of a model."""
    return f"vectors {model}"


def new_write(now: int) -> str:
    """The name of a write, which begins with its time in microseconds: what nothing names in the end is found by it."""
    return f"{now:014x}{uuid4().hex[:18]}"


def time_of(write: str) -> int:
    """When a write began."""
    return int(write[:14], 16)


def head_id(space: str) -> str:
    """The id of the head's point."""
    return point_id(space, "head")


def merged_facts(older: Facts, newer: Facts) -> Facts:
    """Both; of what is in both, the newer counts."""
    found = {**older}
    for name, own in newer.items():
        if name not in found:
            found[name] = own
        elif isinstance(own, Mapping):
            found[name] = {**found[name], **own}
        else:
            found[name] = [*found[name], *own]
    return found


def run_to_merge(segments: Sequence[PackSegment], fan: int, largest: int) -> slice | None:
    """Neighbours that are worth one segment: `fan` of about one size or smaller, the smallest first.

    So whatever was written is packed again as often as `fan` goes into all of it as a power.

    >>> few = [PackSegment("w", n, n, 1, 1) for n in range(1, 9)]
    >>> run_to_merge(few, 8, 100), run_to_merge(few[1:], 8, 100)
    (slice(0, 8, None), None)
    """
    sizes = [0 if each.rows >= largest else len(_powers(each.rows, fan)) for each in segments]
    for most in sorted({*sizes} - {0}):
        start = 0
        for end in range(len(sizes) + 1):
            if end < len(sizes) and 0 < sizes[end] <= most:
                continue
            if end - start >= fan:
                return slice(start, end)
            start = end + 1
    return None


def _powers(rows: int, fan: int) -> list[int]:
    found = [fan]
    while found[-1] <= rows:
        found.append(found[-1] * fan)
    return found
