"""Images between their shapes: data URLs, addresses, base64 with a media type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from biblicus_context.errors import InputError
from biblicus_context.formats.conversation import ImagePart, Keys

_DATA_URL: Final = re.compile(
    r"data:(?P<type>[\w.+-]+/[\w.+-]+);base64,(?P<data>[A-Za-z0-9+/]+={0,2})"
)
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{ending: f"image/{ending}" for ending in ("png", "jpeg", "gif", "webp", "bmp", "avif")},
        **{ending: f"image/{ending}" for ending in ("heic", "heif", "tiff")},
        "jpg": "image/jpeg",
        "tif": "image/tiff",
        "svg": "image/svg+xml",
    }
)


def image_at(url: str, place: str, media_type: str = "", extra: Keys | None = None) -> ImagePart:
    """The image of a data URL or an address."""
    extra = dict(extra or {})
    if not url.startswith("data:"):
        address = _address(url)
        if address is None or address.scheme not in {"https", "http", "gs"}:
            raise InputError("an image needs an address or a data URL", place=place, found=url)
        if media_type and media_type != type_by_ending(url):
            extra["mime_type"] = media_type
        return ImagePart(url=url, extra=extra)
    match = _DATA_URL.fullmatch(url)
    if match is None:
        raise InputError(
            "this is not a data URL of an image",
            place=place,
            found=url[:80],
            fix="Write it as data:image/png;base64,... without line breaks.",
        )
    return ImagePart(data=match["data"], media_type=match["type"], extra=extra)


def image_of(data: str, media_type: str, place: str, extra: Keys | None = None) -> ImagePart:
    """The image in base64, in the standard or the URL-safe alphabet."""
    usual = "".join(data.split()).translate(_URL_SAFE)
    if not _BASE64.fullmatch(usual):
        raise InputError("the bytes of an image must be base64", place=place, found=data[:80])
    return ImagePart(data=usual, media_type=media_type, extra=extra or {})


def url_of(image: ImagePart) -> str:
    """The address of the image, or the image as a data URL."""
    return image.url or f"data:{image.media_type};base64,{image.data}"


def type_by_ending(url: str) -> str:
    """The media type for the ending of an address, or an empty text.

    >>> type_by_ending("https://example.com/parcel.png?size=2")
    'image/png'
    """
    address = _address(url)
    return _ENDINGS.get(address.path.rpartition(".")[2].lower(), "") if address else ""


def _address(url: str) -> SplitResult | None:
    """The parts of an address; None for one that no client can read, such as `https://[`."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def chat_image(image: ImagePart) -> dict[str, Any]:
    """An image as a part of an OpenAI chat message."""
    extra = dict(image.extra)
    detail = {"detail": extra.pop("detail")} if "detail" in extra else {}
    return {"type": "image_url", "image_url": {"url": url_of(image), **detail}, **extra}
