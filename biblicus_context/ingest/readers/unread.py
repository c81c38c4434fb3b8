"""Formats that no reader here knows, and what to do with such a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

_OWN_READER: Final = "it needs a reader of yours"
_GROUPS: Final[Mapping[str, str]] = {
    ".doc .dot": "an old format of Word; save it as .docx",
    ".xls .xlt": "an old format of Excel; save it as .xlsx",
    ".ppt .pps": "an old format of PowerPoint; save it as .pptx",
    ".odt .ods .odp": "a format of OpenDocument; save it as .docx, .xlsx or .pptx",
    ".pages .numbers .key": "a format of Apple's programs; save it as .docx, .xlsx or .pptx",
    ".msg": "a mail in Outlook's format; save it as .eml",
    ".pst .mbox": "a mailbox; save its mails as .eml",
    ".epub": "an electronic book; unpack it, its pages are .xhtml",
    ".zip .tar .gz .tgz .7z .rar": "an archive; unpack it",
    ".png .jpg .jpeg .gif .webp .tif .tiff .bmp .heic": f"a picture; {_OWN_READER}",
    ".mp3 .wav .m4a .mp4 .mov .webm": f"sound or video; {_OWN_READER}",
}
_KNOWN: Final = {suffix: said for group, said in _GROUPS.items() for suffix in group.split()}


def reason_for(name: str) -> str:
    """Why a file that is no text is not read, by the ending of its name.

    >>> reason_for("minutes.doc")
    'an old format of Word; save it as .docx'
    >>> reason_for("a.bin")
    'not text, and not a known format'
    """
    suffix = PurePosixPath(name).suffix.lower()
    return _KNOWN.get(suffix, "not text, and not a known format")
