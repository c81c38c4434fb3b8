"""What images cost, by the examples that providers publish."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.text.messages.images import (
    Area,
    Crops,
    Flat,
    ImageRule,
    Patches,
    Size,
    Tiles,
    size_of,
)
from biblicus_context.text.models.table import ModelTable

GPT_4O = Tiles(base=85, tile=170)
MINI = Patches(multiplier=1.62)
OPEN = Patches(multiplier=1.2, limit=2500, original=10_000, auto_is_original=True)
CLAUDE = Area(edge=1568, limit=1600)
GEMINI = Crops(each=258)


@pytest.mark.parametrize(
    ("rule", "width", "height", "detail", "tokens"),
    [
        (GPT_4O, 1024, 1024, "high", 765),
        (GPT_4O, 2048, 4096, "high", 1105),
        (GPT_4O, 4096, 8192, "low", 85),
        (GPT_4O, 512, 512, "auto", 255),
        (GPT_4O, 150, 150, "auto", 255),
        (Tiles(2833, 5667), 1024, 1024, "high", 25501),
        (Patches(1.0), 1024, 1024, "auto", 1024),
        (Patches(1.0), 1800, 2400, "high", 1452),
        (MINI, 1024, 1024, "auto", 1659),
        (MINI, 1920, 1080, "low", 415),
        (Patches(1.72), 32, 32, "auto", 2),
        (OPEN, 1920, 1080, "high", 2448),
        (OPEN, 4032, 3024, "auto", 11868),
        (CLAUDE, 200, 200, "auto", 64),
        (CLAUDE, 1000, 1000, "auto", 1334),
        (CLAUDE, 1092, 1092, "auto", 1590),
        (CLAUDE, 8000, 8000, "auto", 1600),
        (GEMINI, 384, 384, "auto", 258),
        (GEMINI, 960, 540, "auto", 1548),
        (Flat(1120), 1, 1, "low", 1120),
    ],
)
def test_an_image_costs_what_its_provider_publishes(
    rule: ImageRule, width: int, height: int, detail: str, tokens: int
) -> None:
    """Examples from the providers' pages, and from counts measured at their services."""
    assert rule.tokens(Size(width, height), detail) == tokens


RULES = [ModelTable.shipped().find(name).images for name in ModelTable.shipped().names()]


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(
    rule=st.sampled_from(RULES),
    width=st.integers(1, 70_000),
    height=st.integers(1, 70_000),
    detail=st.sampled_from(["low", "high", "auto", "original", "odd"]),
)
def test_an_image_of_unknown_size_costs_the_most_that_one_can(
    rule: ImageRule, width: int, height: int, detail: str
) -> None:
    """No size costs more than not knowing the size, and none is free."""
    assert 0 < rule.tokens(Size(width, height), detail) <= rule.tokens(None, detail)


def png(width: int, height: int) -> bytes:
    """The head of a PNG with its first chunk."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


def gif(width: int, height: int) -> bytes:
    """The head of a GIF."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00" * 10


def jpeg(width: int, height: int, preview: int = 60_000) -> bytes:
    """A JPEG whose size stands behind a preview picture that is a JPEG itself."""
    inner = b"\xff\xd8\xff\xc0\x00\x11\x08" + struct.pack(">HH", 16, 16) + b"\x00" * preview
    application = b"\xff\xe1" + struct.pack(">H", len(inner) + 2) + inner
    tables = b"\xff\xdb" + struct.pack(">H", 67) + b"\x00" * 65
    frame = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03" + b"\x00" * 9
    return b"\xff\xd8" + application + tables + b"\xff" + frame


def webp_lossy(width: int, height: int) -> bytes:
    """A simple WebP."""
    frame = b"\x30\x01\x00\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return b"RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00" + frame


def webp_lossless(width: int, height: int) -> bytes:
    """A lossless WebP."""
    bits = struct.pack("<I", (width - 1) | (height - 1) << 14)
    return b"RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f" + bits


def webp_extended(width: int, height: int) -> bytes:
    """A WebP with transparency or metadata."""
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00" + size


@pytest.mark.parametrize("make", [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended])
def test_the_size_is_read_from_the_head_of_an_image(make: object) -> None:
    """From bytes, from base64 of either alphabet, in lines, and from a data URL."""
    image = make(1234, 567)  # type: ignore[operator]
    plain = base64.b64encode(image).decode()
    forms = [
        image,
        plain,
        f"data:image/png;base64,{plain}",
        base64.urlsafe_b64encode(image).decode(),
        "\n".join(plain[at : at + 76] for at in range(0, len(plain), 76)),
        plain.rstrip("="),
    ]
    assert [size_of(form) for form in forms] == [Size(1234, 567)] * len(forms)


@pytest.mark.parametrize(
    "image",
    [
        "",
        "https://example.org/cat.png",
        "data:image/png;base64,",
        "data:",
        "not base64 at all ¡",
        b"\xff\xd8\xff",
        b"\x89PNG\r\n\x1a\n",
        png(0, 10),
        b"\xff\xd8" + b"\xff" * 400_000,
        b"RIFF",
    ],
)
def test_an_image_that_does_not_say_its_size_has_none(image: str | bytes) -> None:
    """Links, broken heads and other data are unknown, in bounded time."""
    assert size_of(image) is None


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(
    head=st.sampled_from([b"", png(5, 5)[:12], b"\xff\xd8", b"RIFF....WEBPVP8X"]), rest=st.binary()
)
def test_no_bytes_break_the_reading_of_a_size(head: bytes, rest: bytes) -> None:
    """Whatever follows a head, there is a size or there is none."""
    size = size_of(head + rest)
    assert size is None or min(size.width, size.height) > 0
