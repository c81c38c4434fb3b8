"""How far an index is behind its files, of which only those are read that were touched since."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from biblicus_context.corpora.corpus import Corpus
from biblicus_context.ingest.content import Content, read
from biblicus_context.ingest.fingerprints import is_of, is_of_a_file
from biblicus_context.ingest.readers import Readers
from biblicus_context.ingest.walking import Found, walk


class Behind(NamedTuple):
    """Files that an ingest would add, read again and take out."""

    new: int
    changed: int
    gone: int


def behind(corpus: Corpus) -> Behind | None:
    """What has happened since the last ingest; None where that cannot be said."""
    moment = corpus.store.changed(corpus.principal)
    root = corpus.source or corpus.root
    if moment is None or not root.exists():
        return None
    known = corpus.store.fingerprints(corpus.principal)
    files = [each for each in walk(root, corpus.walk) if isinstance(each, Found)]
    names = {each.name for each in files}
    touched = [
        content
        for each in files
        if _is_later(each, moment)
        and isinstance(content := read(each, corpus.walk.max_bytes), Content)
    ]
    readers = Readers()
    return Behind(
        new=sum(
            each.name not in known and not each.is_blank and readers.reader_of(each) is not None
            for each in touched
        ),
        changed=sum(not is_of(each, known[each.name]) for each in touched if each.name in known),
        gone=sum(is_of_a_file(said) and name not in names for name, said in known.items()),
    )


def _is_later(file: Found, moment: datetime) -> bool:
    try:
        found = file.path.stat()
    except OSError:
        return True
    # What is moved or copied here may keep the time at which it was written.
    return max(found.st_mtime, found.st_ctime) > moment.timestamp()
