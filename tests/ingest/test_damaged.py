"""A damaged file is read as far as it can be, or refused with a reason: no reader fails."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator

import pytest

from biblicus_context.ingest import Content, ReaderRegistry, UnreadableError
from tests.ingest.build import MOMENT
from tests.ingest.office import docx, packed, paragraph, pptx, style, text_shape, xlsx

_ROWS = (
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
    '<row r="2"><c r="A2" t="inlineStr"><is><t>lamp</t></is></c><c r="B2" s="1"><v>45000.5</v></c></row>'
)
_SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a/b</loc></url></urlset>'
SOUND: dict[str, bytes] = {
    "a.md": b"---\ntitle: A\n---\n# A\n\nText.\n\n- b\n",
    "a.rst": b".. _a:\n\nA\n=\n\nText.\n",
    "a.txt": "Text, ä.\n".encode(),
    "a.html": b"<h1>A</h1><p>b &amp; c</p><table><tr><td>1</td></tr></table>",
    "a.csv": b"a,b\n1,c\n",
    "a.jsonl": b'{"text": "a"}\n{"role": "user", "content": "b", "time": "2026-01-01"}\n',
    "a.json": b'[{"text": "a", "tags": ["x"]}, {"role": "user", "content": "b"}]',
    "a.ipynb": b'{"cells": [{"cell_type": "code", "source": ["x = 1"], "outputs": [{"text": "1"}]}]}',
    "a.py": b'"""A."""\n\n\ndef f(a):\n    """B."""\n    return a\n',
    "a.ts": b"// A\nexport function f(a: number) {\n  return a;\n}\n",
    "a.xml": _SITEMAP.encode(),
    "a.eml": b"From: a@b\nSubject: =?utf-8?q?=C3=A4?=\nContent-Type: text/plain; charset=utf-8\n\nHi.\n",
    "a.docx": docx(paragraph("A", "h") + paragraph("b"), styles=style("h", "heading 1", level=0)),
    "a.pptx": pptx([text_shape("A", "title") + text_shape("b")], {1: "c"}),
    "a.xlsx": xlsx({"s": _ROWS}, strings=["<t>name</t>", "<t>when</t>"], styles="<cellXfs/>"),
}
"""A PDF is read in a process of its own, whatever happens in it."""


def damaged(data: bytes, *, times: int) -> Iterator[bytes]:
    """The file cut off anywhere, and with a few other bytes in it."""
    chance = random.Random(len(data))
    for _ in range(times):
        yield data[: chance.randrange(len(data) + 1)]
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 5)):
            changed[chance.randrange(len(changed))] = chance.choice([*b'-<>"/09\x00\xff', 65])
        yield bytes(changed)


def damaged_inside(data: bytes) -> Iterator[bytes]:
    """The archive with damage in one of its parts, so that it still unpacks."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, part in parts.items():
        yield packed({other: text for other, text in parts.items() if other != name})
        for text in damaged(part, times=12):
            yield packed({**parts, name: text})


@pytest.mark.parametrize("name", SOUND)
def test_no_damage_makes_a_reader_fail(name: str):
    data = SOUND[name]
    cases = [b"", b" \n\t", b"\0" * 50, b"\xef\xbb\xbf" + data, *damaged(data, times=60)]
    cases += [data.decode("latin-1").encode(code) for code in ("utf-16", "utf-16-le", "utf-32")]
    cases += [*damaged_inside(data)] if data.startswith(b"PK") else []
    readers, read = ReaderRegistry(), 0
    for each in (data, *cases):
        content = Content(name, each, MOMENT)
        reader = readers.reader_of(content)
        try:
            read += reader is not None and bool(reader(content).sections)
        except UnreadableError:
            continue
    assert read > 5  # some damage does no harm
