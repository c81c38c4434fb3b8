"""The tokens of an image: each provider's published rule, and the size read from the image."""

from __future__ import annotations

import binascii
import struct
from dataclasses import dataclass
from math import ceil, floor, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HEAD: Final = 64
_LONG_HEAD: Final = 256 * 1024
"""Bytes to read: a JPEG states its size after its metadata, which may hold a preview."""
_URL_SAFE: Final = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class Size:
    """The size of an image in pixels."""

    width: int
    height: int

    def within(self, edge: int) -> Size:
        """This size, scaled down until no edge is longer than `edge`."""
        return self.scaled(edge, max(self.width, self.height))

    def scaled(self, wanted: int, present: int) -> Size:
        """This size times `wanted / present`, rounded up, but never a larger one."""
        if wanted >= present:
            return self
        return Size(-(-self.width * wanted // present), -(-self.height * wanted // present))

    def cells(self, side: int) -> int:
        """How many squares of this side cover the image."""
        return -(-self.width // side) * -(-self.height // side)


class _Written:
    """A rule that a table of models can hold; unknown keys are errors."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, str]] = MappingProxyType({"extra": "forbid"})


class ImageRule(Protocol):
    """Computes the tokens of an image, or the most it can cost if its size is unknown."""

    def tokens(self, size: Size | None, detail: str = "auto") -> int:
        """The tokens of one image."""
        ...


@dataclass(frozen=True, slots=True)
class Flat(_Written):
    """Every image costs the same."""

    each: int
    rule: Literal["flat"] = "flat"

    def tokens(self, size: Size | None, detail: str = "auto") -> int:
        """The tokens of one image."""
        return self.each


@dataclass(frozen=True, slots=True)
class Tiles(_Written):
    """OpenAI: a base, and a price for each square of 512 pixels of the scaled image.

    >>> Tiles(base=85, tile=170).tokens(Size(1024, 1024))
    765
    """

    base: int
    tile: int
    rule: Literal["tiles"] = "tiles"

    def tokens(self, size: Size | None, detail: str = "auto") -> int:
        """The tokens of one image; the largest after scaling has 768 x 2048 pixels."""
        if detail == "low":
            return self.base
        fitted = size.within(2048) if size else Size(768, 2048)
        fitted = fitted.scaled(768, min(fitted.width, fitted.height))
        return self.base + self.tile * fitted.cells(512)


@dataclass(frozen=True, slots=True)
class Patches(_Written):
    """OpenAI: a price for each patch of 32 pixels; larger images shrink to a maximum of patches.

    `original` is the maximum if `detail` is "original", or not given and `auto_is_original`.

    >>> Patches(multiplier=1.0).tokens(Size(1800, 2400))
    1452
    """

    multiplier: float
    limit: int = 1536
    side: int = 32
    original: int | None = None
    auto_is_original: bool = False
    rule: Literal["patches"] = "patches"

    def tokens(self, size: Size | None, detail: str = "auto") -> int:
        """The tokens of one image."""
        limit = self._limit(detail)
        patches = limit if size is None else size.cells(self.side)
        if size is not None and patches > limit:
            patches = limit if detail == "low" else self._shrunk(size, limit)
        return ceil(round(patches * self.multiplier, 6))

    def _limit(self, detail: str) -> int:
        if detail == "low":
            return Size(512, 512).cells(self.side)
        open_detail = detail not in {"high", "original"}
        if self.original and (detail == "original" or (open_detail and self.auto_is_original)):
            return self.original
        return self.limit

    def _shrunk(self, size: Size, limit: int) -> int:
        shrink = sqrt(self.side**2 * limit / (size.width * size.height))
        columns, rows = size.width * shrink / self.side, size.height * shrink / self.side
        if min(columns, rows) < 1:
            return limit
        fit = min(floor(columns) / columns, floor(rows) / rows)
        return min(limit, ceil(round(columns * fit, 6)) * ceil(round(rows * fit, 6)))


@dataclass(frozen=True, slots=True)
class Area(_Written):
    """Anthropic: width x height / 750 or squares of 28 pixels, whichever is more, up to a limit.

    >>> Area(edge=1568, limit=1600).tokens(Size(1000, 1000))
    1334
    """

    edge: int
    limit: int
    rule: Literal["area"] = "area"

    def tokens(self, size: Size | None, detail: str = "auto") -> int:
        """The tokens of one image."""
        if size is None:
            return self.limit
        fitted = size.within(self.edge)
        area = -(-fitted.width * fitted.height // 750)
        return min(self.limit, max(area, fitted.cells(28)))


@dataclass(frozen=True, slots=True)
class Crops(_Written):
    """Gemini 2: a price for a small image, and for each crop of a larger one.

    >>> Crops(each=258).tokens(Size(960, 540))
    1548
    """

    each: int
    small: int = 384
    rule: Literal["crops"] = "crops"

    def tokens(self, size: Size | None, detail: str = "auto") -> int:
        """The tokens of one image; 3072 x 384 pixels make the most crops."""
        fitted = size.within(3072) if size else Size(3072, 384)
        if size and max(fitted.width, fitted.height) <= self.small:
            return self.each
        side = min(768, max(256, min(fitted.width, fitted.height) * 2 // 3))
        return self.each * fitted.cells(side)


AnyImageRule = Flat | Tiles | Patches | Area | Crops
UNSTATED: Final = Flat(1600)
"""For models without a published rule: the price of a full image elsewhere."""


def size_of(image: str | bytes) -> Size | None:
    """The size in the head of an image (bytes, base64 or a data URL), or None."""
    for length in (_HEAD, _LONG_HEAD):
        head = image[:length] if isinstance(image, bytes) else _decoded(image, length)
        size = _size_in(head)
        if size is not None or len(head) < length:
            return size
    return None


def _decoded(image: str, length: int) -> bytes:
    start = image.find(",", 0, _HEAD) + 1 if image.startswith("data:") else 0
    head = "".join(image[start : start + 2 * length].split())[: -(-length * 4 // 3)]
    try:
        return binascii.a2b_base64(head.translate(_URL_SAFE) + "=" * (-len(head) % 4))
    except (binascii.Error, ValueError):
        return b""


def _size_in(head: bytes) -> Size | None:
    for mark, read in _FORMATS:
        if head.startswith(mark):
            try:
                width, height = read(head)
            except (struct.error, IndexError):
                return None
            return Size(width, height) if width > 0 and height > 0 else None
    return None


def _png(head: bytes) -> tuple[int, int]:
    return struct.unpack_from(">II", head, 16)


def _gif(head: bytes) -> tuple[int, int]:
    return struct.unpack_from("<HH", head, 6)


def _webp(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        return _three_bytes(head, 24) + 1, _three_bytes(head, 27) + 1
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", head, 21)[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", head, 26)
    return width & 0x3FFF, height & 0x3FFF


def _three_bytes(head: bytes, start: int) -> int:
    return int.from_bytes(head[start : start + 3], "little")


def _jpeg(head: bytes) -> tuple[int, int]:
    at = 2
    while head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _SIZE_MARKERS:
            height, width = struct.unpack_from(">HH", head, at + 5)
            return width, height
        at += 1 if marker == 0xFF else 2 + struct.unpack_from(">H", head, at + 2)[0]
    return 0, 0


_SIZE_MARKERS: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_FORMATS: Final[tuple[tuple[bytes, Callable[[bytes], tuple[int, int]]], ...]] = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"GIF8", _gif),
    (b"RIFF", _webp),
    (b"\xff\xd8", _jpeg),
)
