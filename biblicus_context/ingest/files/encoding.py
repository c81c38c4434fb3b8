"""The encoding of a file: by its byte order mark, else as the file declares it, else UTF-8."""

from __future__ import annotations

import codecs
import re
import string
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

WIDE: Final = frozenset({"utf-16", "utf-32"})
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOKED_AT: Final = 4096
"""Bytes in which a declaration is searched; browsers read a quarter of them."""
_NAME: Final = rb"([\w.:-]{1,40})"
_XML: Final = re.compile(rb"\s{0,99}<\?xml\s[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}[\"']" + _NAME)
_META: Final = re.compile(
    rb"<!--.*?-->|<meta\s[^>]*?\bcharset\s{0,9}=\s{0,9}[\"']?\s{0,9}" + _NAME, re.I | re.S
)
_COOKIE: Final = re.compile(
    rb"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))??[ \t\f]*#[^\r\n]*?coding[:=][ \t]*" + _NAME
)
_PAGES: Final = frozenset({".html", ".htm", ".xhtml"})
_PYTHON: Final = frozenset({".py", ".pyi"})
_WIDER: Final[Mapping[str, str]] = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""Wider encodings that browsers use for these names, since files use them so."""
_PROBE: Final = string.printable[:95].replace("\\", "\\u0041") + " \t\r\n.xn--tda"
"""Decodes to itself only with a codec that keeps ASCII."""


def encoding_of(name: str, data: bytes) -> str:
    """The encoding of a file's bytes.

    >>> encoding_of("a.py", b"# coding: koi8-r\\nx = '\\xc1'")
    'koi8-r'
    """
    return marked(data) or _declared(name, data) or "utf-8"


def marked(data: bytes) -> str | None:
    """The encoding of the byte order mark at the beginning."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def is_in(encoding: str, data: bytes) -> bool:
    """Whether all of the bytes can be decoded."""
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _declared(name: str, data: bytes) -> str | None:
    """The encoding that a file declares, if its bytes are valid in it.

    Valid UTF-8 wins over a declaration: pages that were converted often keep the old one.
    """
    said = _said(PurePosixPath(name).suffix.lower(), data[:_LOOKED_AT])
    if said is None or (not data.isascii() and is_in("utf-8", data)):
        return None
    return next((each for each in _codecs(said.decode()) if is_in(each, data)), None)


def _said(suffix: str, start: bytes) -> bytes | None:
    if found := _XML.match(start):
        return found[1]
    if suffix in _PYTHON and (found := _COOKIE.match(start)):
        return found[1]
    if suffix in _PAGES:
        return next((found[1] for found in _META.finditer(start) if found[1]), None)
    return None


def _codecs(name: str) -> Iterator[str]:
    """Codecs for a name; none if it is unknown or does not keep ASCII.

    The declaration itself is in ASCII, so such a codec is wrong, and some, such as punycode, take
    quadratic time.
    """
    try:
        known = codecs.lookup(name).name
        if _PROBE.encode().decode(known) == _PROBE:
            yield from filter(None, (_WIDER.get(known), known))
    except (LookupError, UnicodeError):
        return
