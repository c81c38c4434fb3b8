"""Look into the index of a corpus, check it, compact it, remove it."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.errors import NotIndexedError
from biblicus_context.corpora.listed_documents import listed_documents
from biblicus_context.ingest.readers.languages import LANGUAGES
from biblicus_context.stores import Filters, Info, StoreError
from biblicus_context.stores.places import remove_place, require_removable

_CODE: Final = Filters(kinds=frozenset({"code"}))


@dataclass(frozen=True, slots=True)
class Account:
    """The contents of an index as its principal, in numbers."""

    info: Info
    changed: datetime | None
    """When it was last written to; None if the workspace of the principal is empty."""
    bytes: int
    """On the disk, including other workspaces; 0 if a store was passed."""

    def waiting(self, model: str) -> int:
        """Blocks without an embedding by a model."""
        known = self.info.vectors.get(model)
        return self.info.blocks - (known.rows if known else 0)

    def coverage(self, model: str) -> float:
        """The share of the blocks that have an embedding by a model."""
        return self.info.vectors[model].rows / self.info.blocks if self.info.blocks else 0.0


class Sizes(NamedTuple):
    """Bytes on the disk before and after."""

    before: int
    after: int


def account(corpus: Corpus) -> Account:
    """Count what is in the index."""
    with corpus.index.view() as view:
        return Account(view.info(), view.state.changed, _bytes(corpus))


def languages(corpus: Corpus) -> Mapping[str, int]:
    """Documents per programming language, the most frequent first."""
    code = listed_documents(corpus.store, corpus.principal, _CODE)
    suffixes = (PurePosixPath(each.path or each.id).suffix for each in code)
    found = Tally(LANGUAGES.get(suffix.lower(), "another") for suffix in suffixes)
    return dict(found.most_common())


def size_on_disk(folder: Path) -> int:
    """Bytes of the files in a folder that remain when no process has it open."""
    return sum(_size(file) for file in folder.iterdir() if not file.name.endswith("-shm"))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # another process may remove it
        return 0


def check(corpus: Corpus) -> tuple[str, ...]:
    """The problems of the index, one sentence each; nothing is changed."""
    return corpus.store.check()


def vacuum(corpus: Corpus) -> Sizes:
    """Release the space of changed and removed blocks; other processes may read meanwhile."""
    store = corpus.store
    before = _bytes(corpus)
    store.vacuum()
    store.prepare(corpus.principal)
    return Sizes(before, _bytes(corpus))


def _bytes(corpus: Corpus) -> int:
    return size_on_disk(corpus.place) if corpus.index.is_in_folder else 0


def removable(corpus: Corpus) -> int:
    """The bytes of the index; an error unless the folder holds an index and nothing else."""
    _require_there(corpus)
    require_removable(corpus.place)
    return size_on_disk(corpus.place)


def is_removable(corpus: Corpus) -> bool:
    """Whether the folder holds an index and nothing else."""
    try:
        removable(corpus)
    except StoreError:
        return False
    return True


def remove(corpus: Corpus) -> None:
    """Remove the index with all its workspaces; the files of the corpus stay."""
    _require_there(corpus)
    corpus.close()
    remove_place(corpus.place)


def forget(corpus: Corpus) -> None:
    """Forget the workspace of the principal, who sees all of it; the files of the corpus stay."""
    corpus.store.clear(corpus.principal)


def _require_there(corpus: Corpus) -> None:
    if not corpus.index.is_in_folder:
        fix = "Remove its documents with `write`, or remove the store itself."
        raise StoreError("a store was passed, so there is no index folder", fix=fix)
    if not corpus.place.is_dir():
        raise NotIndexedError(corpus.name, corpus.root)
