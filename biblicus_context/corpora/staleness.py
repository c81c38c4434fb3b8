"""How stale an index is; only files that were touched since are read."""

from __future__ import annotations

from collections import Counter as Tally
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from biblicus_context.base.deferred import Deferred
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.ingest.files.content import Content, read
from biblicus_context.ingest.files.fingerprints import is_of, is_of_a_file
from biblicus_context.ingest.files.walking import FoundFile, walk
from biblicus_context.ingest.readers import ReaderRegistry

if TYPE_CHECKING:
    from biblicus_context.ingest.git import history_changes, is_of_a_commit
else:  # few corpora are of a history
    history_changes = Deferred("biblicus_context.ingest.git:history_changes")
    is_of_a_commit = Deferred("biblicus_context.ingest.git:is_of_a_commit")


class Staleness(NamedTuple):
    """How many files or commits an ingest would add, read again and remove."""

    new: int
    changed: int
    gone: int

    @property
    def is_stale(self) -> bool:
        """Whether an ingest would change the index."""
        return any(self)


def measure_staleness(corpus: Corpus) -> Staleness | None:
    """What has changed since the last ingest; None if that is unknown, or there are no files."""
    if corpus.root is None:
        return None
    moment = corpus.index.state.changed
    root = corpus.source or corpus.root
    if moment is None or not root.exists():
        return None
    if corpus.history is not None:
        new, gone = history_changes(corpus.store, corpus.principal, root, corpus.history)
        return Staleness(new, 0, gone)
    with corpus.index.view() as view:
        known = view.fingerprints()
    if (
        known
        and not any(map(is_of_a_file, known.values()))
        and all(map(is_of_a_commit, known.values()))
    ):
        return None  # opened by its index: only the declaration says which commits belong to it
    files = [each for each in walk(root, corpus.walk) if isinstance(each, FoundFile)]
    names = {each.name for each in files}
    readers = corpus.readers
    # A generator: after a checkout of another branch every file may have been touched.
    touched = (read(each, corpus.walk.max_bytes) for each in files if _is_later(each, moment))
    found = Tally(
        _state(each, known.get(each.name), readers) for each in touched if isinstance(each, Content)
    )
    gone = sum(
        is_of_a_file(fingerprint) and name not in names for name, fingerprint in known.items()
    )
    return Staleness(found["new"], found["changed"], gone)


def _state(
    content: Content, fingerprint: str | None, readers: ReaderRegistry
) -> Literal["new", "changed", "as known", "left out"]:
    if fingerprint is not None:
        return "as known" if is_of(content, fingerprint) else "changed"
    return "left out" if content.is_blank or readers.reader_of(content) is None else "new"


def _is_later(file: FoundFile, moment: datetime) -> bool:
    try:
        found = file.path.stat()
    except OSError:
        return True
    # A file that was moved or copied here may keep its old modification time.
    return max(found.st_mtime, found.st_ctime) > moment.timestamp()
