"""A sitemap that was saved is a record for each address; other XML is text."""

from __future__ import annotations

from tests.ingest.build import parsed

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://shop.example/returns?a=1&amp;b=2</loc><lastmod>2026-05-01T10:00:00Z</lastmod>
    <priority>0.8</priority></url>
  <url><loc>https://shop.example/gifts</loc></url>
  <url><lastmod>2026-05-01</lastmod></url>
</urlset>
"""


def test_each_address_is_a_record_with_its_date():
    page = parsed("sitemap.xml", SITEMAP)
    assert [(section.text, section.metadata, section.kind) for section in page.sections] == [
        (
            "https://shop.example/returns?a=1&b=2\nlast changed: 2026-05-01",
            {"url": "https://shop.example/returns?a=1&b=2"},
            "record",
        ),
        ("https://shop.example/gifts", {"url": "https://shop.example/gifts"}, "record"),
    ]


def test_an_index_of_sitemaps_lists_them():
    index = SITEMAP.replace("urlset", "sitemapindex").replace("url>", "sitemap>")
    assert len(parsed("sitemap.xml", index).sections) == 2


def test_other_xml_is_text():
    page = parsed("a.xml", "<recipe><title>Tea</title></recipe>")
    assert [section.text for section in page.sections] == ["<recipe><title>Tea</title></recipe>"]


def test_a_sitemap_that_is_broken_or_expands_entities_is_text_with_a_remark():
    broken = parsed("sitemap.xml", SITEMAP.replace("</urlset>", ""))
    assert broken.sections[0].text.startswith("<?xml")
    assert "not XML" in broken.notes[0]
    typed = SITEMAP.replace("<urlset", '<!DOCTYPE urlset [<!ENTITY a "b">]>\n<urlset')
    assert parsed("sitemap.xml", typed).notes == ("read as text: it declares a document type",)
