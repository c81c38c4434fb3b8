"""Office files for tests, as Office and other programs write them, down to the parts that are read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_P = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_S = (
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>{title}</dc:title>'
    "<dc:creator>Ann</dc:creator><cp:keywords>shop; returns</cp:keywords>"
    "<dcterms:created>2026-05-01T10:00:00Z</dcterms:created></cp:coreProperties>"
)


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive with these parts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return stream.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """The references of a part by their ids: a type and a target."""
    rows = "".join(
        f'<Relationship Id="{key}" Type="{_TYPE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f"<Relationships>{rows}</Relationships>"


def docx(body: str, *, title: str = "", styles: str = "", footnotes: str = "") -> bytes:
    """A document of Word with this body, in its own XML."""
    return packed(
        {
            "_rels/.rels": relations({"r1": ("officeDocument", "word/document.xml")}),
            "docProps/core.xml": _CORE.format(title=escape(title)),
            "word/_rels/document.xml.rels": relations(
                {"r1": ("styles", "styles.xml"), "r2": ("footnotes", "footnotes.xml")}
            ),
            "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
            "word/footnotes.xml": f"<w:footnotes {_W}>{footnotes}</w:footnotes>",
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
        }
    )


def paragraph(text: str, style: str = "", more: str = "") -> str:
    """A paragraph of Word."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def style(identity: str, name: str, based_on: str = "", level: int | None = None) -> str:
    """A style of Word."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    outline = "" if level is None else f'<w:pPr><w:outlineLvl w:val="{level}"/></w:pPr>'
    return f'<w:style w:styleId="{identity}"><w:name w:val="{name}"/>{base}{outline}</w:style>'


def pptx(slides: Sequence[str], notes: Mapping[int, str] | None = None) -> bytes:
    """A presentation with these slides, in the order of their ids and not of their names."""
    parts: dict[str, str | bytes] = {"docProps/core.xml": _CORE.format(title="")}
    count = len(slides)
    ids = "".join(
        f'<p:sldId r:id="s{number}" id="{256 + number}"/>' for number in range(1, count + 1)
    )
    parts["ppt/presentation.xml"] = (
        f"<p:presentation {_P}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
    )
    parts["ppt/_rels/presentation.xml.rels"] = relations(
        {f"s{n}": ("slide", f"slides/slide{count + 1 - n}.xml") for n in range(1, count + 1)}
    )
    for number, shapes in enumerate(slides, 1):
        name = f"slide{count + 1 - number}.xml"
        parts[f"ppt/slides/{name}"] = f"<p:sld {_P}><p:cSld>{shapes}</p:cSld></p:sld>"
        if said := (notes or {}).get(number):
            parts[f"ppt/slides/_rels/{name}.rels"] = relations(
                {"n": ("notesSlide", f"../notesSlides/{name}")}
            )
            shape = text_shape(said, "body") + text_shape("7", "sldNum")
            parts[f"ppt/notesSlides/{name}"] = f"<p:notes {_P}>{shape}</p:notes>"
    return packed(parts)


def text_shape(text: str, kind: str | None = None) -> str:
    """A text on a slide; each line is a paragraph."""
    placeholder = "" if kind is None else f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>'
    lines = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp>{placeholder}<p:txBody>{lines}</p:txBody></p:sp>"


def xlsx(
    sheets: Mapping[str, str],
    *,
    strings: Sequence[str] = (),
    styles: str = "",
    since_1904: bool = False,
) -> bytes:
    """A workbook with these rows in each sheet, in its own XML."""
    tabs = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="t{n}"/>'
        for n, name in enumerate(sheets, 1)
    )
    first = '<workbookPr date1904="1"/>' if since_1904 else "<workbookPr/>"
    texts = "".join(f"<si>{text}</si>" for text in strings)
    return packed(
        {
            "docProps/core.xml": _CORE.format(title=""),
            "xl/workbook.xml": f"<workbook {_S}>{first}<sheets>{tabs}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(
                {f"t{n}": ("worksheet", f"/xl/sheets/{n}.xml") for n in range(1, len(sheets) + 1)}
            ),
            "xl/sharedStrings.xml": f"<sst {_S}>{texts}</sst>",
            "xl/styles.xml": f"<styleSheet {_S}>{styles}</styleSheet>",
            **{
                f"xl/sheets/{n}.xml": f"<worksheet {_S}><sheetData>{rows}</sheetData></worksheet>"
                for n, rows in enumerate(sheets.values(), 1)
            },
        }
    )
