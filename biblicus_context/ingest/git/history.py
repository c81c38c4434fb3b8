"""A store is synchronised with a history: new commits are read, those that are gone are removed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.base.durations import duration
from biblicus_context.ingest.chunks.chunk import ChunkSettings
from biblicus_context.ingest.conversion import FORMAT
from biblicus_context.ingest.embedding import BatchEmbedder
from biblicus_context.ingest.erasing import erase_removed
from biblicus_context.ingest.files.walking import ROOT, SkippedFile
from biblicus_context.ingest.filling import filling
from biblicus_context.ingest.git.commits import CommitConverter, CommitDocument
from biblicus_context.ingest.git.log import commits, listed
from biblicus_context.ingest.git.process import Git, git_for
from biblicus_context.ingest.git.repository import Repository, open_repository
from biblicus_context.ingest.stored_readers import write_with_stored_readers
from biblicus_context.ingest.summary import FileRemark, Progress, Summary
from biblicus_context.stores import Batch, Principal, Store
from biblicus_context.text.counters import Counter

if TYPE_CHECKING:
    from biblicus_context.embedders import Embedder

_MARK: Final = "commit-"
_A_BATCH: Final = 1_000
"""Commits that are written at once."""
_BYTES_A_BATCH: Final = 8 * 1024 * 1024
_NONE: Final = "the repository has no commits"


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """Which commits are indexed, and how they are cut."""

    since: str | None = None
    """A date, or a duration before now."""
    paths: tuple[str, ...] = ()
    """Only commits that changed one of these files or folders; all commits if empty."""
    chunks: ChunkSettings = field(default_factory=ChunkSettings)
    empty_is_gone: bool = False
    """Whether all commits are removed if the repository has none: a new clone looks so."""

    def listed(self, git: Git, repository: Repository) -> list[str]:
        """The ids of the commits, newest first."""
        if repository.head is None:
            return []
        since = self.oldest(datetime.now(UTC))
        return listed(git, repository.head, since=since, paths=self.paths)

    def oldest(self, now: datetime) -> datetime | None:
        """The moment since which commits are indexed."""
        if self.since is None:
            return None
        before = duration(self.since)
        if before is not None:
            return now - before
        year, month, day = map(int, self.since.split("-"))
        # Counted from the first of the month, so that 31 February is 2 or 3 March, and no error.
        return datetime(year, month, 1, tzinfo=UTC) + timedelta(days=day - 1)


class Changes(NamedTuple):
    """How many commits an ingest would add and remove."""

    new: int
    gone: int


def history_changes(
    store: Store, principal: Principal, root: Path, settings: HistorySettings
) -> Changes:
    """How the history differs from what is stored of it."""
    repository = open_repository(root)
    with git_for(repository) as git:
        there = settings.listed(git, repository)
    known = _known(store, principal)
    return Changes(sum(sha not in known for sha in there), len(known.keys() - set(there)))


def ingest_history(
    store: Store,
    principal: Principal,
    root: Path,
    *,
    counter: Counter,
    embedder: Embedder | None = None,
    quick: Embedder | None = None,
    settings: HistorySettings | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Read the commits of a repository that are new since the last ingest, in durable batches.

    The newest are read first. An interrupted run leaves whole commits, and the next one continues.
    Of many new commits the blocks wait, as those of files do.
    """
    return _Ingest(
        store=store,
        principal=principal,
        converter=CommitConverter((settings or HistorySettings()).chunks, counter),
        embedder=BatchEmbedder(store, principal, embedder, quick),
        fingerprint=_fingerprint(settings or HistorySettings(), counter, embedder),
        settings=settings or HistorySettings(),
        on_progress=on_progress or (lambda _: None),
    ).run(open_repository(root))


@dataclass
class _Ingest:
    """One run."""

    store: Store
    principal: Principal
    converter: CommitConverter
    embedder: BatchEmbedder
    fingerprint: str
    settings: HistorySettings
    on_progress: Callable[[Progress], None]
    read: list[str] = field(default_factory=list)
    remarks: list[FileRemark] = field(default_factory=list)
    blocks: int = 0
    tokens: int = 0
    bytes: int = 0
    embedded: int = 0
    reused: int = 0

    @property
    def _version(self) -> int:
        with self.store.view(self.principal) as view:
            return view.version

    def run(self, repository: Repository) -> Summary:
        began = time.perf_counter()
        known = _known(self.store, self.principal)
        with git_for(repository) as git:
            there = self.settings.listed(git, repository)
            wanted = [sha for sha in there if known.get(sha) != self.fingerprint]
            models = self.embedder.embedder, self.embedder.quick
            with filling(self.store, self.principal, *models, is_first=not known):
                for batch in _batches(self._documents(git, wanted, began)):
                    self._write(batch)
        unread = set(wanted).difference(self.read)
        skipped = [
            SkippedFile(sha, "git cannot read it", for_now=True) for sha in wanted if sha in unread
        ]
        removed: tuple[str, ...] = ()
        if repository.head is not None or self.settings.empty_is_gone:
            removed = self._remove(known, there)
        else:
            skipped.append(SkippedFile(ROOT, _NONE, for_now=True))
        remains = erase_removed(self.store, self.principal)
        self.store.prepare(self.principal)
        return Summary(
            added=tuple(sha for sha in self.read if sha not in known),
            changed=tuple(sha for sha in self.read if sha in known),
            unchanged=len(there) - len(wanted),
            removed=removed,
            skipped=tuple(skipped),
            remarks=tuple(self.remarks),
            blocks=self.blocks,
            tokens=self.tokens,
            bytes=self.bytes,
            embedded=self.embedded,
            known=self.reused,
            seconds=time.perf_counter() - began,
            version=self._version,
            remains_until=remains,
        )

    def _documents(self, git: Git, wanted: Sequence[str], began: float) -> Iterator[CommitDocument]:
        """Every commit that git can read; reports progress, by commits, before each."""
        total = len(wanted)
        for commit in commits(git, wanted):
            done, passed = len(self.read), time.perf_counter() - began
            self.on_progress(Progress(done, total, done, total, passed, commit.sha))
            self.read.append(commit.sha)
            made = self.converter.convert(commit, self.fingerprint)
            if made.note is not None:
                self.remarks.append(FileRemark(commit.sha, made.note))
            yield made
        passed = time.perf_counter() - began
        self.on_progress(Progress(total, total, total, total, passed, ""))

    def _write(self, batch: Sequence[CommitDocument]) -> None:
        made = self.embedder.embed([each.document for each in batch])
        relations = tuple(relation for each in batch for relation in each.relations)
        write_with_stored_readers(self.store, self.principal, made.entries, relations)
        blocks = [block for each in batch for block in each.document.blocks]
        self.blocks += len(blocks)
        self.tokens += sum(block.tokens for block in blocks)
        self.bytes += made.bytes
        self.embedded += made.embedded
        self.reused += made.reused

    def _remove(self, known: Mapping[str, str], there: Sequence[str]) -> tuple[str, ...]:
        kept = set(there)
        gone = tuple(sha for sha in known if sha not in kept)
        if gone:
            self.store.write(self.principal, Batch(remove=gone), erase=False)
        return gone


def _known(store: Store, principal: Principal) -> dict[str, str]:
    """The stored commits and their fingerprints."""
    with store.view(principal) as view:
        stored = view.fingerprints()
    return {name: said for name, said in stored.items() if is_of_a_commit(said)}


def is_of_a_commit(said: str) -> bool:
    """Whether the document of this fingerprint came from a history."""
    return said.startswith(_MARK)


def _fingerprint(settings: HistorySettings, counter: Counter, embedder: Embedder | None) -> str:
    """Of all that decides what the blocks of a commit are; the commit itself never changes."""
    sizes = settings.chunks
    how = FORMAT, sizes, counter.name, embedder.model if embedder else ""
    return f"{_MARK}{blake2b(repr(how).encode(), digest_size=4).hexdigest()}"


def _batches(documents: Iterator[CommitDocument]) -> Iterator[list[CommitDocument]]:
    batch: list[CommitDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += document.document.size
        if len(batch) >= _A_BATCH or size >= _BYTES_A_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
