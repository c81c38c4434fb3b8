"""The documentation as a site: it builds strictly, its links lead somewhere, it needs no network."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import biblicus_context
from tests.docs.reader import ROOT
from tests.docs.site import Page, built, goal, inside, lost, pages
from tests.pages.browser import NAMES, Browser, installed

ARTIFACTS = ROOT / "tests" / "artifacts"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Page]:
    return pages(site)


def test_every_page_of_the_documentation_is_in_the_site(site: Path, read: dict[Path, Page]):
    docs = ROOT / "docs"
    written = {page.relative_to(docs).with_suffix(".html") for page in docs.rglob("*.md")}
    assert {page.relative_to(site) for page in read} == written


def test_every_link_leads_to_a_page_and_a_place_in_it(read: dict[Path, Page]):
    assert sum(len(page.links) for page in read.values()) > 1000
    assert lost(read) == []


def test_the_search_answers_with_pages_for_users_and_with_no_decision(site: Path):
    found = {each["location"] for each in json.loads((site / "search.json").read_text())["items"]}
    assert any(each.startswith("corpora.html") for each in found)
    assert not {each for each in found if each.startswith("decisions/")}


def test_what_makes_the_pages_is_not_published(site: Path):
    assert not (site / "generators").exists()
    assert not (site / "generate.py").exists()


def test_a_link_to_nowhere_is_found(tmp_path: Path):
    links = ["two.html#here", "two.html#gone", "three.html", "#top", "https://example.org/x"]
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    (tmp_path / "one.html").write_text(f'<p id="top">{anchors}</p>', encoding="utf-8")
    (tmp_path / "two.html").write_text('<h2 id="here">Here</h2>', encoding="utf-8")
    assert lost(pages(tmp_path)) == ["one.html: two.html#gone", "one.html: three.html"]


def test_every_page_can_be_reached_from_the_first(site: Path, read: dict[Path, Page]):
    reached: set[Path] = set()
    waiting = [site / "index.html"]
    while waiting:
        file = waiting.pop()
        if file not in reached and file in read:
            reached.add(file)
            waiting += [goal(file, link)[0] for link in filter(inside, read[file].links)]
    assert not {str(file.relative_to(site)) for file in set(read) - reached}


def test_nothing_is_loaded_from_another_server(site: Path, read: dict[Path, Page]):
    assert {name for page in read.values() for name in page.loaded if not inside(name)} == set()
    for sheet in site.rglob("*.css"):
        fetched = re.findall(r"url\(['\"]?(https?:[^)]+)\)", sheet.read_text(encoding="utf-8"))
        assert fetched == []


def test_every_decision_is_listed_under_its_title():
    folder = ROOT / "docs" / "decisions"
    index = (folder / "index.md").read_text(encoding="utf-8")
    for file in sorted(folder.glob("0*.md")):
        title = file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        assert f"- [{title}]({file.name})" in index


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = installed()
    if program is None:
        pytest.fail(
            f"no Chromium is installed (looked for {', '.join(NAMES)}). Install it with: "
            "apt-get install chromium. To go without it: pytest -m 'not browser'",
            pytrace=False,
        )
    with Browser(program, tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.mark.browser
def test_the_picture_of_the_page_shows_every_part_and_what_was_left_out(browser: Browser):
    browser.size(1000, 1000)
    browser.open(ROOT / "docs" / "pictures" / "explain.svg")
    height = browser.value("document.documentElement.height.baseVal.value")
    parts = "document.querySelector('#parts').getBoundingClientRect().bottom"
    assert 0 < browser.value(parts) < height
    rows = "[...document.querySelectorAll('#left-out tbody tr')]"
    ends = f"{rows}.map(row => row.getBoundingClientRect().bottom)"
    shown = f"{ends}.filter(end => end <= {height}).length"
    assert browser.value(shown) >= 3


@pytest.mark.browser
@pytest.mark.parametrize("width", [1600, 360])
@pytest.mark.parametrize("name", ["index", "quick-start", "plan-reference", "rules", "api"])
def test_a_page_opens_from_disk_asks_no_server_and_fits_the_window(
    site: Path, browser: Browser, name: str, width: int
):
    browser.size(width, 900)
    browser.open(site / f"{name}.html")
    asked = [
        event["params"]["request"]["url"]
        for event in browser.events
        if event.get("method") == "Network.requestWillBeSent"
    ]
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert browser.value("document.documentElement.scrollWidth") <= width
    picture = base64.b64decode(browser.ask("Page.captureScreenshot")["data"])
    ARTIFACTS.mkdir(exist_ok=True)
    (ARTIFACTS / f"site-{name}-{width}.png").write_bytes(picture)


@pytest.mark.browser
@pytest.mark.parametrize("name", ["plan-reference", "cli", "api", "corpora", "retrievers"])
def test_on_a_phone_a_table_of_reference_is_read_without_scrolling_sideways(
    site: Path, browser: Browser, name: str
):
    browser.size(420, 900)
    browser.open(site / f"{name}.html")
    tables = "[...document.querySelectorAll('article table')].filter(t => t.querySelector('td:first-child code'))"
    assert browser.value(f"{tables}.length") > 0
    assert browser.value(f"{tables}.filter(t => t.scrollWidth > 420).length") == 0
    assert browser.value(f"{tables}.filter(t => t.getBoundingClientRect().right > 420).length") == 0


def test_the_api_reference_has_every_public_name_with_its_docstring(site: Path):
    page = (site / "api.html").read_text(encoding="utf-8")
    missing = [
        name
        for name in biblicus_context.__all__
        if not name.startswith("__") and f'id="biblicus_context.{name}"' not in page
    ]
    assert missing == []
    assert "Assembles declared contexts" in page
    assert "<blockquote>" not in page  # examples are code
