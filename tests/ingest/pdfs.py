"""PDFs made for tests."""

from __future__ import annotations

import io

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, EncodedStreamObject, NameObject

FONT = DictionaryObject(
    {
        NameObject("/Type"): NameObject("/Font"),
        NameObject("/Subtype"): NameObject("/Type1"),
        NameObject("/BaseFont"): NameObject("/Helvetica"),
    }
)


def pdf(*pages: str, password: str | None = None, **info: str) -> bytes:
    """Pages of one line each."""
    streams = [f"BT /F1 12 Tf 50 200 Td ({text}) Tj ET".encode() for text in pages]
    return _made(streams, "", password, info)


def pdf_of_packed(stream: bytes) -> bytes:
    """One page whose content is a compressed stream, whatever is in it."""
    return _made([stream], "/FlateDecode", None, {})


def _made(streams: list[bytes], packed: str, password: str | None, info: dict[str, str]) -> bytes:
    writer = PdfWriter()
    for data in streams:
        page = writer.add_blank_page(300, 300)
        stream = EncodedStreamObject()
        stream._data = data
        if packed:
            stream[NameObject("/Filter")] = NameObject(packed)
        page[NameObject("/Contents")] = writer._add_object(stream)
        fonts = DictionaryObject({NameObject("/F1"): FONT})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    writer.add_metadata({f"/{key}": value for key, value in info.items()})
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    held = io.BytesIO()
    writer.write(held)
    return held.getvalue()
