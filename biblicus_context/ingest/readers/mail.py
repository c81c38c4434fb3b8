"""Mail: who wrote what to whom, when; attachments are named, and not read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.html import read_html
from biblicus_context.stores.model import Json

_LONGEST: Final = 1_000
"""Characters of a header; decoding a long one takes time that grows with its square."""
_MOST_PARTS: Final = 1_000
_KEPT: Final = ("from", "to", "cc", "message-id", "in-reply-to")


@door
def read_mail(content: Content) -> Parsed:
    """The text of a mail (`.eml`), its plain version if it has one."""
    try:
        mail = message_from_bytes(content.data)
        parts = [*_parts(mail)]
    except RecursionError:
        raise UnreadableError("its parts are nested too deeply") from None
    if not mail.keys():
        raise UnreadableError("it is not a mail: it has no headers")
    said = {name: text for name in _KEPT if (text := _header(mail, name))}
    metadata: dict[str, Json] = {name.replace("-", "_"): text for name, text in said.items()}
    names = [name for part in parts if (name := _file_name(part))]
    if names:
        metadata["attachments"] = [*names]
    text = _text([part for part in parts if not _is_attached(part)])
    title = _header(mail, "subject")
    head = "\n".join(f"{name.title()}: {said[name]}" for name in ("from", "to") if name in said)
    return Parsed(
        "mail",
        (Section(f"{head}\n\n{text}".strip(), heading=(title,) if title else ()),) if text else (),
        title=title,
        created=_date(mail),
        metadata=metadata,
        notes=(f"{len(names)} attachments are not read",) if names else (),
    )


def _parts(mail: Message) -> Iterator[Message]:
    """The parts that hold something; those of mails that are attached belong to these."""
    waiting, seen = [mail], 0
    while waiting:
        part = waiting.pop(0)
        seen += 1
        if seen > _MOST_PARTS:
            raise UnreadableError(f"it has more than {_MOST_PARTS:,} parts")
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            waiting[:0] = [each for each in inner if isinstance(each, Message)]
        else:
            yield part


def _text(parts: list[Message]) -> str:
    """The plain texts, else the texts of its pages."""
    for kind in ("text/plain", "text/html"):
        found = [_decoded(part) for part in parts if part.get_content_type() == kind]
        texts = [_of_page(text) if kind == "text/html" else text for text in found]
        if any(map(str.strip, texts)):
            return "\n\n".join(text.strip() for text in texts if text.strip())
    return ""


def _of_page(text: str) -> str:
    page = read_html(Content("mail.html", b"", None, own_text=text))
    return "\n\n".join(section.text for section in page.sections)


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    charset = str(part.get_param("charset", "utf-8"))
    try:
        text = data.decode(charset, errors="replace")
    except (LookupError, ValueError):
        text = data.decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or (
        part.get_content_maintype() not in {"text", "multipart"}
    )


def _file_name(part: Message) -> str:
    if not _is_attached(part):
        return ""
    return _plain(str(part.get_filename() or part.get_content_type()))


def _header(mail: Message, name: str) -> str:
    return _plain(str(mail.get(name, "")))


def _plain(text: str) -> str:
    """A header as people read it: decoded, in one line."""
    text = text[:_LONGEST]
    with suppress(MessageError, LookupError, ValueError):  # else it stays as it is written
        text = str(make_header(decode_header(text)))
    sound = text.encode("utf-8", errors="replace").decode()
    return " ".join(sound.split())


def _date(mail: Message) -> datetime | None:
    try:
        found = parsedate_to_datetime(str(mail.get("date", ""))[:_LONGEST])
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        return None
