"""Files say which encoding they are in, and are believed where that can be."""

from __future__ import annotations

import pytest

from biblicus_context.ingest import ChunkSettings, Content, ReaderRegistry
from biblicus_context.ingest.conversion import Converter
from biblicus_context.ingest.files.encoding import encoding_of
from biblicus_context.ingest.files.walking import SkippedFile
from tests.ingest.build import MOMENT, WORDS, parsed
from tests.pace import within

SAID = "Grüße, “wörtlich”"
CYRILLIC = "Привет, мир"


def cut(name: str, data: bytes):
    """What comes of a file, and the notes on it."""
    content = Content(name, data, MOMENT)
    return Converter(ReaderRegistry(), ChunkSettings(), WORDS).convert(content, "fingerprint")


@pytest.mark.parametrize(
    ("name", "start", "text", "encoding"),
    [
        ("a.html", '<meta charset="iso-8859-1">', SAID, "cp1252"),
        ("a.htm", "<html><head>\n<META CharSet = 'ISO-8859-15' >", "Preis: 5 €", "iso8859-15"),
        ("a.html", "<meta charset=koi8-r>", CYRILLIC, "koi8-r"),
        ("a.html", '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
         CYRILLIC, "cp1251"),
        ("a.xhtml", '<?xml version="1.0" encoding="ISO-8859-2"?>', "Łódź", "iso8859-2"),
        ("a.xml", "<?xml version='1.0' encoding='shift_jis'?>", "日本語", "cp932"),
        ("a.html", "<!-- <meta charset=koi8-r> --><meta charset=cp1251>", CYRILLIC, "cp1251"),
        ("a.html", "<meta charset=gb2312>", "朱镕基", "gb18030"),
        ("a.html", "<meta charset=iso-2022-jp>", "日本語", "iso2022_jp"),
        ("a.py", "# -*- coding: latin-1 -*-\n", "# Grüße", "iso8859-1"),
        ("a.pyi", "#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\n", f"x = '{CYRILLIC}'", "cp1251"),
        ("a.py", "\n# coding=euc-kr\n", "# 한국어", "euc_kr"),
    ],
)  # fmt: skip
def test_what_a_file_says_of_its_encoding_is_believed(name, start, text, encoding):
    data = (start + text).encode(encoding)
    content = Content(name, data, MOMENT)
    assert content.text() == start + text
    assert content.is_sound
    assert not content.looks_binary


def test_a_page_in_latin_1_is_read_without_a_remark():
    page = cut("a.html", b'<meta charset="iso-8859-1"><h1>Caf\xe9</h1><p>ol\xe9 gar\xe7on</p>')
    assert not isinstance(page.document, SkippedFile)
    assert page.document.document.title == "Café"
    assert page.remarks == ()


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.html", "<meta charset=latin-1>"),  # saved again, and it still says what it was
        ("a.py", "# coding: cp1252\n"),
        ("a.html", "<meta charset=utf-16>"),
        ("a.html", "<meta charset=klingon>"),
        ("a.html", "<meta charset=utf-8>"),
        ("a.html", "<meta name=charset>"),
        ("a.html", " " * 5_000 + "<meta charset=latin-1>"),
        ("a.md", "# coding: latin-1\n"),
        ("a.py", "x = 1\n# coding: latin-1\n"),
        ("a.py", "# one\n# two\n# coding: latin-1\n"),
    ],
)
def test_what_is_utf_8_is_read_as_that_whatever_it_says(name: str, start: str):
    assert Content(name, (start + SAID).encode(), MOMENT).text() == start + SAID


@pytest.mark.parametrize(
    "said",
    [
        *("zlib", "bz2", "hex", "base64", "rot13", "idna", "punycode", "unicode_escape", "utf-7"),
        *("hz", "raw_unicode_escape", "undefined", "utf-16", "utf-32-le", "cp037", "aliases"),
        *("..os", "x" * 99),
    ],
)
def test_what_is_no_encoding_of_a_text_like_this_is_not_believed(said: str):
    data = f"# coding: {said}\n# plain -a-bc.xn--mnchen-3ya \\u0041 &AGE- ~{{<:Ky~}}".encode()
    assert encoding_of("a.py", data) == "utf-8"


def test_an_encoding_that_does_not_fit_is_not_believed():
    page = cut("a.html", b"<meta charset=euc-jp><p>caf\xe9 au lait, at the corner of the street")
    assert "caf\ufffd" in page.document.blocks[0].text  # type: ignore[union-attr]
    assert [each.note for each in page.remarks] == [
        "bytes that are not UTF-8 were replaced by \ufffd"
    ]


def test_a_mark_goes_before_what_is_said():
    data = '<meta charset="iso-8859-1">Ärger'.encode("utf-8-sig")
    assert parsed("a.html", data).sections[0].text == "Ärger"


@pytest.mark.parametrize("name", ["cp1252.md", "latin1.txt"])
def test_a_dense_text_in_another_encoding_is_left_out_for_that_reason(name: str):
    found = cut(name, "Über uns: Grüße, schöne Straße – ÄÖÜäöü".encode("cp1252")).document
    assert found == SkippedFile(name, "not UTF-8; save it as UTF-8 to index it")


@pytest.mark.parametrize(
    "data", [b"\0\1\2", bytes(range(1, 256)) * 4, b"\x89PNG\r\n\x1a\n\1\2\3\4"]
)
def test_what_is_no_text_in_any_encoding_is_left_out_as_that(data: bytes):
    found = cut("a.md", data).document
    assert found == SkippedFile("a.md", "not text, and not a known format")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", b"<!--" * 2_000),
        ("a.html", b"<meta " * 2_000),
        ("a.html", b"<meta charset" * 2_000),
        ("a.html", b"<meta charset" + b" " * 8_000),
        ("a.xml", b"<?xml " + b"encoding" * 1_000),
        ("a.py", b"#" + b"coding" * 2_000),
        ("a.py", b" " * 8_000),
        ("a.py", b"# coding: punycode\n-" + b"a" * 2_000_000 + b"\xff"),
        ("a.html", b"<meta charset=iso-2022-jp>" + b"\x1b$B" * 500_000 + b"\xff"),
        ("a.html", b"<meta charset=gb18030>" + b"\x81\x30\x81\x30" * 500_000 + b"\xff"),
    ],
)
def test_looking_for_an_encoding_takes_a_moment(name: str, content: bytes):
    with within(1):
        Content(name, content, MOMENT).text()
