"""Embeddings in files of this machine: its processes map them, and so read and hold them once.

A file is of one collection and one model, and is used up to its last block; what is newer comes from the server.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from biblicus_context.stores.ranking.matrix import Matrix
from biblicus_context.stores.source import ReadState
from biblicus_context.stores.sqlite.files import matrix_file
from biblicus_context.stores.sqlite.files.matrix_file import MatrixStamp

_LEAST_SAVED: Final = 4096
"""Fewer embeddings are read from the server faster than a file is written."""
_MODE: Final = 0o600
"""Embeddings tell of texts: nobody else of this machine may read them."""


class MatrixFiles:
    """The files of one store, in a folder that only saves time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._can_save = True

    def loaded(self, identity: str, model: str, pin: ReadState) -> Matrix | None:
        """What a file has of a model, if a read may use it."""
        for path in sorted(self._folder.glob(f"{identity}.{_digest(model)}.*.vectors")):
            number, dimensions = path.name.split(".")[2:4]
            if number.isdecimal() and dimensions.isdecimal():
                stamp = MatrixStamp(identity, int(number), int(dimensions))
                matrix = matrix_file.load(path, stamp)
                # A last block that is not there yet: the server was put back to an earlier state.
                if matrix is not None and matrix.last <= pin.blocks:
                    return matrix if pin.is_served_from(matrix.oldest) else None
        return None

    def saved(self, identity: str, model: str, matrix: Matrix, *, is_whole: bool) -> Matrix:
        """The matrix as a file that is mapped, if it is large and was read whole from the server.

        What memory or an older file has may be of blocks that were removed since: a file that has become much
        smaller than the matrix goes, and who reads all of it next writes a new one.
        """
        own, grown = matrix.model, len(matrix.blocks) - matrix.saved
        if not self._can_save or grown < max(_LEAST_SAVED, len(matrix.blocks) // 4):
            return matrix
        path = self._folder / f"{identity}.{_digest(model)}.{own.number}.{own.dimensions}.vectors"
        if not is_whole:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return matrix
        stamp = MatrixStamp(identity, own.number, own.dimensions)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            matrix_file.save(path, stamp, matrix.parts, matrix.oldest, _MODE)
        loaded = matrix_file.load(path, stamp)
        # Another process may have written less, or more, at the same moment.
        if loaded is None or len(loaded.blocks) != len(matrix.blocks):
            self._can_save = loaded is not None
            return matrix
        return replace(loaded, newest=matrix.newest)

    def forget(self, identity: str) -> None:
        """Remove what this machine has of a collection."""
        for path in self._folder.glob(f"{identity}.*"):
            with suppress(OSError):
                path.unlink()


def _digest(model: str) -> str:
    return blake2b(model.encode(), digest_size=8).hexdigest()
