"""Files of Word, PowerPoint and Excel become text as a person reads them, or one clear reason."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.ingest import UnreadableError
from tests.ingest.build import parsed
from tests.ingest.office import docx, packed, paragraph, pptx, relations, style, text_shape, xlsx

STYLES = (
    style("H1", "heading 1")
    + style("Own", "Our heading", based_on="H1")
    + style("Deep", "Custom", level=1)
    + style("T", "Title")
    + style("LB", "List Bullet")
)


def texts(name: str, data: bytes) -> list[str]:
    return [section.text.strip("\n") for section in parsed(name, data).sections]


def test_a_document_is_cut_at_its_headings_whatever_their_styles_are_called():
    body = (
        paragraph("Handbook", "T")
        + paragraph("Before.")
        + paragraph("Returns", "Own")
        + paragraph("Within thirty days.")
        + paragraph("Opened goods", "Deep")
        + paragraph("May be tried.")
        + paragraph("Delivery", "", '<w:outlineLvl w:val="0"/>')
        + paragraph("Three days.")
    )
    page = parsed("a.docx", docx(body, styles=STYLES))
    assert [(each.heading, each.text.strip()) for each in page.sections] == [
        ((), "Handbook\n\nBefore."),
        (("Returns",), "# Returns\n\nWithin thirty days."),
        (("Returns", "Opened goods"), "## Opened goods\n\nMay be tried."),
        (("Delivery",), "# Delivery\n\nThree days."),
    ]
    assert (page.title, page.kind) == ("Handbook", "word")
    assert page.metadata == {"author": "Ann"}
    assert page.tags == ("shop", "returns")
    assert str(page.created) == "2026-05-01 10:00:00+00:00"
    assert {section.first_line for section in page.sections} == {None}


def test_lists_tables_tabs_and_footnotes_are_text():
    def cell(*lines: str) -> str:
        return f"<w:tc>{''.join(map(paragraph, lines))}</w:tc>"

    body = (
        paragraph("Chairs", "LB")
        + paragraph("Tables", "", '<w:numPr><w:ilvl w:val="1"/></w:numPr>')
        + f"<w:tbl><w:tr>{cell('Item')}{cell('Days')}</w:tr>"
        + f"<w:tr>{cell('Lamp', 'opened')}{cell('30')}</w:tr></w:tbl>"
        + "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>"
    )
    note = f"<w:footnote>{paragraph('As of May.')}</w:footnote>"
    (text,) = texts("a.docx", docx(body, styles=STYLES, footnotes=note))
    assert text == (
        "- Chairs\n  - Tables\n\nItem | Days\nLamp opened | 30\n\na\tb\nc\n\nAs of May."
    )


def test_what_a_tracked_change_removes_and_second_versions_are_not_read():
    body = (
        "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t> and new</w:t></w:r></w:ins><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
        "<w:p><mc:AlternateContent xmlns:mc='m'><mc:Choice><w:r><w:t>box</w:t></w:r></mc:Choice>"
        "<mc:Fallback><w:r><w:t>box</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
    )
    assert texts("a.docx", docx(body)) == ["kept and new\n\nbox"]


def test_slides_are_in_their_order_with_their_notes_and_without_their_furniture():
    table = (
        "<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>Lamp</a:t></a:r></a:p></a:tc>"
        "<a:tc><a:p><a:r><a:t>20</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>"
    )
    data = pptx(
        [
            text_shape("Plan", "ctrTitle")
            + text_shape("First\nSecond")
            + text_shape("7", "sldNum"),
            text_shape("Prices", "title") + table,
            "",
        ],
        notes={1: "Say hello."},
    )
    page = parsed("a.pptx", data)
    assert [(each.heading, each.metadata, each.text) for each in page.sections] == [
        (("Plan",), {"slide": 1}, "# Plan\n\nFirst\nSecond\n\nNotes: Say hello."),
        (("Prices",), {"slide": 2}, "# Prices\n\nLamp | 20"),
    ]
    assert (page.title, page.kind) == ("Plan", "slides")


STYLES_OF_CELLS = (
    '<numFmts><numFmt numFmtId="170" formatCode="[Red]yyyy&quot;year&quot;mm"/>'
    '<numFmt numFmtId="171" formatCode="&quot;days&quot; 0"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="9"/>'
    '<xf numFmtId="20"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>'
)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ('t="s"><v>0</v>', "sofa"),
        ('t="inlineStr"><is><t>in line</t></is>', "in line"),
        ('t="str"><f>A1</f><v>of a formula</v>', "of a formula"),
        ('t="b"><v>1</v>', "TRUE"),
        ('t="e"><v>#N/A</v>', "#N/A"),
        ("><v>12</v>", "12"),
        ("><v>0.30000000000000004</v>", "0.3"),
        ("><v>123456789012345678</v>", "123456789012345678"),
        ('s="1"><v>46143</v>', "2026-05-01"),
        ('s="2"><v>46143.5</v>', "2026-05-01 12:00"),
        ('s="3"><v>0.25</v>', "25%"),
        ('s="4"><v>0.395833333333333</v>', "09:30"),
        ('s="5"><v>46143</v>', "2026-05-01"),
        ('s="6"><v>3</v>', "3"),
        ('s="99"><v>3</v>', "3"),
        ('s="1"><v>1e300</v>', "1e+300"),
        ('t="s"><v>7</v>', ""),
    ],
)
def test_a_cell_is_shown_as_the_sheet_shows_it(cell: str, shown: str):
    rows = f'<row><c t="inlineStr"><is><t>name</t></is></c></row><row><c {cell}</c></row>'
    data = xlsx(
        {"Prices": rows}, strings=["<t>sofa</t><rPh><t>read</t></rPh>"], styles=STYLES_OF_CELLS
    )
    expected = [f"name: {shown}"] if shown else ["name"]
    assert texts("a.xlsx", data) == expected


def text_row(number: int, *values: str, first: str = "A") -> str:
    cells = "".join(
        f'<c r="{chr(ord(first) + at)}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
        for at, value in enumerate(values)
        if value
    )
    return f'<row r="{number}">{cells}</row>'


def test_rows_are_named_after_their_columns_below_a_title():
    prices = (
        text_row(1, "Price list 2026") + text_row(3, "Item", "Price") + text_row(4, "Lamp", "20")
    )
    note = text_row(2, "Only one", first="C")
    page = parsed("a.xlsx", xlsx({"Prices": prices, "Empty": "", "Note": note}))
    assert [(each.heading, each.text, each.metadata["row"]) for each in page.sections] == [
        (("Prices",), "Price list 2026", 1),
        (("Prices",), "Item: Lamp\nPrice: 20", 4),
        (("Note",), "Only one", 2),
    ]
    assert {section.kind for section in page.sections} == {"record"}


def test_a_workbook_may_begin_in_1904():
    rows = text_row(1, "day") + '<row r="2"><c r="A2" s="1"><v>0</v></c></row>'
    data = xlsx({"A": rows}, styles=STYLES_OF_CELLS, since_1904=True)
    assert texts("a.xlsx", data) == ["day: 1904-01-01"]


ENTITIES = '<!DOCTYPE a [<!ENTITY b "boom"><!ENTITY c "&b;&b;">]><a>&c;</a>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>'


@pytest.mark.parametrize("document", [ENTITIES, OUTSIDE])
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("a.docx", "word/document.xml"),
        ("a.pptx", "ppt/presentation.xml"),
        ("a.xlsx", "xl/workbook.xml"),
    ],
)
def test_entities_are_refused_before_they_expand(name: str, part: str, document: str):
    with pytest.raises(UnreadableError, match="it declares a document type"):
        parsed(name, packed({part: document}))


def test_an_archive_that_unpacks_to_far_more_than_it_has_is_refused():
    body = b"<w:document xmlns:w='w'><w:p><w:r><w:t>" + b"a" * 20_000_100
    with pytest.raises(UnreadableError, match="more than 20,000,000 characters of text"):
        parsed("a.docx", packed({"word/document.xml": body}))


def test_a_bomb_without_text_is_refused_too():
    # It takes a second: that much has to be unpacked.
    body = b"<worksheet>" + b" " * (128 * 1024 * 1024)
    parts = {
        "xl/workbook.xml": '<workbook xmlns:r="r"><sheet name="A" r:id="t"/></workbook>',
        "xl/_rels/workbook.xml.rels": relations({"t": ("worksheet", "1.xml")}),
        "xl/1.xml": body,
    }
    data = packed(parts)
    assert len(data) < 1_000_000
    with pytest.raises(UnreadableError, match="it unpacks to more than 134,217,728 bytes"):
        parsed("a.xlsx", data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xd0\xcf\x11\xe0" + b"x" * 600, "it is encrypted, or in the format of Office 2003"),
        (b"PK\3\4 broken", "it is damaged: it is not a zip archive"),
        (packed({"word/document.xml": "<a><b></a>"}), "it is not XML: mismatched tag"),
        (packed({"word/document.xml": "<a>" * 600}), "nested more than 500 deep"),
    ],
)
def test_what_cannot_be_read_has_one_reason(data: bytes, reason: str):
    with pytest.raises(UnreadableError, match=reason):
        parsed("a.docx", data)


def test_a_damaged_part_is_named_as_damage(tmp_path: Path):
    file = tmp_path / "a.docx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", paragraph("some text " * 100))
    data = bytearray(file.read_bytes())
    data[70:90] = bytes(20)
    with pytest.raises(UnreadableError):
        parsed("a.docx", bytes(data))


def test_a_folder_of_office_files_is_searched(tmp_path: Path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "returns.docx").write_bytes(
        docx(paragraph("Lamps can be sent back."), title="Returns")
    )
    (files / "plan.pptx").write_bytes(pptx([text_shape("Launch in March", "title")]))
    (files / "prices.xlsx").write_bytes(
        xlsx({"Prices": text_row(1, "Item", "Price") + text_row(2, "Sofa", "900")})
    )
    (files / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    with Corpus.open(files, store=tmp_path / "index") as corpus:
        summary = corpus.ingest()
        assert {(each.name, each.reason) for each in summary.skipped} == {
            ("old.doc", "an old format of Word; save it as .docx")
        }
        assert summary.remarks == ()
        for question, name in [
            ("send a lamp back", "returns.docx"),
            ("launch", "plan.pptx"),
            ("sofa price", "prices.xlsx"),
        ]:
            assert corpus.search(question)[0].document.path == name
