"""A mail becomes a document: who wrote what to whom, when."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.ingest import UnreadableError
from tests.ingest.build import parsed


def mail(text: str = "The lamp is broken.\n", **headers: str) -> EmailMessage:
    written = EmailMessage()
    known = {"From": "Ann <ann@shop.example>", "To": "help@shop.example", "Subject": "Broken lamp"}
    for name, value in {**known, "Date": "Fri, 01 May 2026 10:00:00 +0200", **headers}.items():
        written[name] = value
    written.set_content(text)
    return written


def test_a_mail_says_who_wrote_what_to_whom_and_when():
    page = parsed("a.eml", mail().as_bytes())
    assert [section.text for section in page.sections] == [
        "From: Ann <ann@shop.example>\nTo: help@shop.example\n\nThe lamp is broken."
    ]
    assert (page.kind, page.title) == ("mail", "Broken lamp")
    assert str(page.created) == "2026-05-01 10:00:00+02:00"
    assert page.metadata == {"from": "Ann <ann@shop.example>", "to": "help@shop.example"}


def test_the_plain_version_is_read_where_there_are_two():
    message = mail()
    message.add_alternative("<p>The lamp is <b>broken</b>.</p>", subtype="html")
    assert len(parsed("a.eml", message.as_bytes()).sections) == 1
    assert "<b>" not in parsed("a.eml", message.as_bytes()).sections[0].text


def test_of_a_page_alone_the_visible_text_is_read():
    message = mail()
    message.set_content("<style>p {}</style><p>The lamp is <b>broken</b>.</p>", subtype="html")
    assert parsed("a.eml", message.as_bytes()).sections[0].text.endswith("The lamp is broken.")


def test_attachments_are_named_and_not_read():
    message = mail()
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="lamp.png")
    message.add_attachment("secret words", filename="notes.txt")
    page = parsed("a.eml", message.as_bytes())
    assert page.metadata["attachments"] == ["lamp.png", "notes.txt"]
    assert page.notes == ("2 attachments are not read",)
    assert "secret" not in page.sections[0].text


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "koi8-r", "shift_jis"])
def test_text_and_subject_are_decoded(charset: str):
    words = {"koi8-r": "Лампа", "shift_jis": "電灯"}.get(charset, "Lämpchen")
    message = mail(Subject=words)
    message.set_content(words, charset=charset)
    page = parsed("a.eml", message.as_bytes())
    assert page.title == words
    assert page.sections[0].text.endswith(words)


def test_an_unknown_charset_and_a_broken_date_do_no_harm():
    data = mail(Date="some day").as_bytes().replace(b'charset="utf-8"', b'charset="x-own"')
    page = parsed("a.eml", data)
    assert page.created is None
    assert page.sections[0].text.endswith("The lamp is broken.")


def test_a_mail_of_a_mailing_program_in_eight_bits_has_no_remark_about_its_encoding(tmp_path):

    data = mail().as_bytes().replace(b"lamp is", "L\u00e4mpchen".encode("latin-1"))
    data = data.replace(b'charset="utf-8"', b'charset="iso-8859-1"').replace(b"7bit", b"8bit")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.eml").write_bytes(data)
    with Corpus.open(tmp_path / "files", store=tmp_path / "index") as corpus:
        assert corpus.ingest().remarks == ()
        assert "Lämpchen" in corpus.search("Lämpchen")[0].block.text


def test_parts_that_are_nested_or_very_many_are_refused():
    boundary = b"Content-Type: multipart/mixed; boundary=b\n\n"
    deep = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)
    )
    with pytest.raises(UnreadableError):
        parsed("a.eml", b"From: a\n" + deep)
    many = b"From: a\n" + boundary + b"--b\n\nx\n" * 2000 + b"--b--\n"
    with pytest.raises(UnreadableError, match="more than 1,000 parts"):
        parsed("a.eml", many)


def test_text_that_is_no_mail_is_refused():
    with pytest.raises(UnreadableError, match="it has no headers"):
        parsed("a.eml", b"\njust a note\n")


def test_a_header_in_a_charset_that_is_none_stays_as_it_is_written():
    page = parsed("a.eml", b"From: a@b\nSubject: =?u\xff-8?q?Lamp?= broken\n\nIt is.\n")
    assert "Lamp" in page.title
    assert page.sections[0].text.endswith("It is.")
