"""A store is synchronised with files: new and changed ones are read, documents of missing ones removed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.chunk import ChunkSettings
from biblicus_context.ingest.conversion import FORMAT, Conversion, Converter
from biblicus_context.ingest.documents import FileDocument
from biblicus_context.ingest.embedding import BatchEmbedder, EmbeddedBatch
from biblicus_context.ingest.erasing import erase_removed
from biblicus_context.ingest.files.content import Content, read
from biblicus_context.ingest.files.fingerprints import fingerprint, is_of_a_file
from biblicus_context.ingest.files.roots import EMPTY_ROOT, walked
from biblicus_context.ingest.files.walking import ROOT, FoundFile, SkippedFile, WalkSettings
from biblicus_context.ingest.filling import filling
from biblicus_context.ingest.links import Links, link, links_of
from biblicus_context.ingest.quotations import Quotations
from biblicus_context.ingest.readers import ReaderRegistry
from biblicus_context.ingest.stored_readers import write_with_stored_readers
from biblicus_context.ingest.summary import FileRemark, Progress, Summary
from biblicus_context.stores import Batch, Principal, Store
from biblicus_context.text.counters import Counter

if TYPE_CHECKING:
    from biblicus_context.embedders import Embedder

_BLOCKS_A_BATCH: Final = 2_000
_BYTES_A_BATCH: Final = 8 * 1024 * 1024
_STAYS: Final = "; its indexed documents stay"


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """Which files are indexed, and how they are cut."""

    walk: WalkSettings = field(default_factory=WalkSettings)
    chunks: ChunkSettings = field(default_factory=ChunkSettings)
    quotations: Quotations = field(default_factory=Quotations)
    """What is done with evidence of earlier results that a file quotes."""
    remove_gone: bool = True
    """Whether documents are removed whose files no longer exist."""
    empty_root_is_gone: bool = False
    """Whether they are also removed if a root has no file at all: an unmounted disk looks so."""
    quick: Embedder | None = None
    """What makes the vectors of many new blocks first, in the place of a slow embedder."""


@door
def ingest(
    store: Store,
    principal: Principal,
    roots: Sequence[Path],
    *,
    counter: Counter,
    embedder: Embedder | None = None,
    settings: IngestSettings | None = None,
    readers: ReaderRegistry | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Read what has changed below these paths since the last ingest, in durable batches.

    The paths together are the corpus: a document whose file is below none of them is removed. An
    interrupted run leaves whole documents, and the next one continues from there. With `quick`
    in the settings, many new blocks get its vectors, and wait for those of the `embedder` (WaitingBlocks).
    """
    return _Ingest(
        store=store,
        principal=principal,
        counter=counter,
        embedder=embedder,
        settings=settings or IngestSettings(),
        readers=readers or ReaderRegistry(),
        on_progress=on_progress or (lambda _: None),
    ).run(roots)


@dataclass
class _Ingest:
    """One run."""

    store: Store
    principal: Principal
    counter: Counter
    embedder: Embedder | None
    settings: IngestSettings
    readers: ReaderRegistry
    on_progress: Callable[[Progress], None]
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)
    remarks: list[FileRemark] = field(default_factory=list)
    links: dict[str, Links] = field(default_factory=dict)
    blocks: int = 0
    tokens: int = 0
    read_bytes: int = 0
    embedded: int = 0
    known: int = 0
    quotations: int = 0

    def run(self, roots: Sequence[Path]) -> Summary:
        began = time.perf_counter()
        known = self._fingerprints()
        found: list[FoundFile] = []
        for each in walked(roots, self.settings.walk):
            if isinstance(each, FoundFile):
                found.append(each)
            else:
                self.skipped.append(self._left_out(each, known))
        settings = self.settings
        converter = Converter(self.readers, settings.chunks, self.counter, settings.quotations)
        embedder = BatchEmbedder(self.store, self.principal, self.embedder, self.settings.quick)
        conversions = self._conversions(found, known, converter, began)
        # One batch at a time, so that memory does not grow with the corpus, and what was written
        # before an interrupt is kept.
        is_first = not any(map(is_of_a_file, known.values()))
        with filling(
            self.store, self.principal, self.embedder, self.settings.quick, is_first=is_first
        ):
            for batch in self._batches(self._documents(conversions, known)):
                self._write(embedder.embed(batch))
            removed = self._remove(known, found) if self.settings.remove_gone else ()
            link(self.store, self.principal, self.links, self._fingerprints())
            remains = erase_removed(self.store, self.principal)
            self.store.prepare(self.principal)
        return Summary(
            added=tuple(self.added),
            changed=tuple(self.changed),
            unchanged=self.unchanged,
            removed=removed,
            skipped=tuple(self.skipped),
            remarks=tuple(self.remarks),
            blocks=self.blocks,
            tokens=self.tokens,
            bytes=self.read_bytes,
            embedded=self.embedded,
            known=self.known,
            quotations=self.quotations,
            seconds=time.perf_counter() - began,
            version=self._version,
            remains_until=remains,
        )

    @property
    def _version(self) -> int:
        with self.store.view(self.principal) as view:
            return view.version

    def _fingerprints(self) -> Mapping[str, str]:
        with self.store.view(self.principal) as view:
            return view.fingerprints()

    def _left_out(self, skipped: SkippedFile, known: Mapping[str, str]) -> SkippedFile:
        """A skipped entry of the walk; a root without files keeps its indexed documents."""
        if skipped.reason != EMPTY_ROOT:
            return skipped
        if self.settings.empty_root_is_gone:
            return skipped._replace(for_now=False)
        folder = "" if skipped.name == ROOT else skipped.name
        kept = any(name.startswith(folder) for name in known)
        return skipped._replace(reason=f"{EMPTY_ROOT}{_STAYS if kept else ''}")

    def _conversions(
        self,
        found: Sequence[FoundFile],
        known: Mapping[str, str],
        converter: Converter,
        began: float,
    ) -> Iterator[Conversion]:
        """Every file that is new, has changed or cannot be read; reports progress before each."""
        seen, all_bytes = 0, sum(each.size for each in found)
        for number, file in enumerate(found):
            passed = time.perf_counter() - began
            self.on_progress(Progress(number, len(found), seen, all_bytes, passed, file.name))
            content = read(file, self.settings.walk.max_bytes)
            if isinstance(content, SkippedFile):
                yield Conversion(content)
            elif (fingerprint := self._new_fingerprint(content, known)) is not None:
                yield converter.convert(content, fingerprint)
            seen += file.size
        passed = time.perf_counter() - began
        self.on_progress(Progress(len(found), len(found), seen, all_bytes, passed, ""))

    def _new_fingerprint(self, content: Content, known: Mapping[str, str]) -> str | None:
        """The fingerprint of a file that is new or has changed; None for an unchanged one."""
        # Links are collected from unchanged files too: their targets may have come or gone.
        self.links[content.name] = links_of(content)
        fingerprint = self._fingerprint(content)
        if fingerprint != known.get(content.name):
            return fingerprint
        self.unchanged += 1
        return None

    def _documents(
        self, conversions: Iterator[Conversion], known: Mapping[str, str]
    ) -> Iterator[FileDocument]:
        for document, remarks, quotations in conversions:
            self.remarks += remarks
            self.quotations += quotations
            if isinstance(document, SkippedFile):
                stays = document.for_now and document.name in known
                reason = f"{document.reason}{_STAYS if stays else ''}"
                self.skipped.append(document._replace(reason=reason))
                continue
            name = document.document.id
            (self.changed if name in known else self.added).append(name)
            yield document

    def _fingerprint(self, content: Content) -> str:
        sizes = self.settings.chunks
        how = (
            FORMAT,
            *(sizes.least, sizes.target, sizes.most, sizes.whole),
            self.counter.name,
            self.embedder.model if self.embedder else "",
            self.readers.is_extra(content),
            self.settings.quotations.policy,
        )
        return fingerprint(content, how)

    @staticmethod
    def _batches(documents: Iterator[FileDocument]) -> Iterator[list[FileDocument]]:
        batch: list[FileDocument] = []
        blocks = size = 0
        for document in documents:
            batch.append(document)
            blocks += len(document.blocks)
            size += document.size
            if blocks >= _BLOCKS_A_BATCH or size >= _BYTES_A_BATCH:
                yield batch
                batch, blocks, size = [], 0, 0
        if batch:
            yield batch

    def _write(self, batch: EmbeddedBatch) -> None:
        write_with_stored_readers(self.store, self.principal, batch.entries)
        self._count(batch)

    def _count(self, batch: EmbeddedBatch) -> None:
        blocks = [block for entry in batch.entries for block in entry.blocks or ()]
        self.blocks += len(blocks)
        self.tokens += sum(block.tokens for block in blocks)
        self.read_bytes += batch.bytes
        self.embedded += batch.embedded
        self.known += batch.reused

    def _remove(self, known: Mapping[str, str], found: Sequence[FoundFile]) -> tuple[str, ...]:
        """Remove documents whose files are gone; documents of files that cannot be read now stay."""
        unseen = {each.name for each in self.skipped if each.for_now}
        if ROOT in unseen:
            return ()
        folders = tuple(name for name in unseen if name.endswith("/"))
        out = {each.name for each in self.skipped if not each.for_now}
        there = {each.name for each in found} - out
        gone = tuple(
            name
            for name, said in known.items()
            if is_of_a_file(said)
            and name not in there
            and name not in unseen
            and not name.startswith(folders)
        )
        if gone:
            self.store.write(self.principal, Batch(remove=gone), erase=False)
        return gone
