"""The page in a real browser, opened from disk, without scripts and without a network."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context.pages.page import page
from tests.pages.assemblies import everything
from tests.pages.browser import NAMES, Browser, installed

ARTIFACTS = Path(__file__).parents[1] / "artifacts"

pytestmark = pytest.mark.browser


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
        found.ask("Emulation.setScriptExecutionDisabled", value=True)
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("a folder with spaces") / "päge.html"
    written.write_text(page(everything()), encoding="utf-8")
    return written


@pytest.fixture
def opened(browser: Browser, file: Path) -> Browser:
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    browser.size(1200, 900)
    browser.open(file)
    return browser


def luminance(colour: str) -> float:
    """How light a colour is, as the accessibility guidelines define it."""
    red, green, blue = (int(part) / 255 for part in colour[4:-1].split(",")[:3])
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_page_opens_from_disk_asks_for_nothing_and_reports_no_error(opened: Browser):
    requests = [
        event["params"]["request"]["url"]
        for event in opened.events
        if event.get("method") == "Network.requestWillBeSent"
    ]
    assert len(requests) == 1
    assert requests[0].startswith("file://")
    assert not [each for each in opened.events if each.get("method") == "Log.entryAdded"]
    assert opened.value("document.title") == "support · what is sent, and why"
    assert opened.value("document.compatMode") == "CSS1Compat"


def test_a_screenshot_is_kept_and_is_not_blank(opened: Browser):
    picture = opened.screenshot(ARTIFACTS / "explain-light.png")
    width, height = struct.unpack(">II", picture[16:24])
    assert width == 1200
    assert height > 900
    assert len(picture) > 30_000  # a blank page of this size is a tenth of it


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_labels_can_be_read_in_both_colour_schemes(opened: Browser, scheme: str):
    opened.ask(
        "Emulation.setEmulatedMedia",
        features=[{"name": "prefers-color-scheme", "value": scheme}],
    )
    opened.screenshot(ARTIFACTS / f"explain-{scheme}.png")
    paper, text = opened.value(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (luminance(paper) < 0.1) == (scheme == "dark")
    assert contrast(paper, text) >= 7
    labels = opened.value(
        "[...document.querySelectorAll('.span')].map(e => getComputedStyle(e, '::before'))"
        ".map(s => [s.backgroundColor, s.color])"
    )
    assert len(labels) > 5
    assert min(contrast(*pair) for pair in labels) >= 4.5
    words = opened.value(
        "[...document.querySelectorAll('.badge, .note, dt, .count')]"
        ".map(e => getComputedStyle(e).color)"
    )
    assert min(contrast(paper, word) for word in words) >= 4.5


def test_the_details_of_a_block_are_there_on_hover_and_on_focus_and_not_before(opened: Browser):
    block = '.span[data-label="handbook · lost"]'
    tip = f"document.querySelector('{block} + .tip')"
    visible = f"getComputedStyle({tip}).visibility"
    assert opened.value(visible) == "hidden"
    opened.hover(block)
    assert opened.value(visible) == "visible"
    text = "handbook · lost 8 tokens · score 0.91 · page 1 · handbook/lost.md · messages[2]"
    assert opened.value(f"{tip}.textContent") == text
    within = opened.value(
        f"(() => {{ const r = {tip}.getBoundingClientRect();"
        " return r.left >= 0 && r.right <= innerWidth && r.top >= 0 })()"
    )
    assert within
    opened.screenshot(ARTIFACTS / "explain-hover.png")
    opened.hover("h1")
    assert opened.value(visible) == "hidden"
    opened.ask("DOM.getDocument")
    opened.value(f"document.querySelector('{block}').focus()")
    assert opened.value(visible) == "visible"


def test_a_screen_reader_is_told_the_structure(opened: Browser):
    nodes = opened.ask("Accessibility.getFullAXTree")["nodes"]
    told = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored")
    ]
    assert [name for role, name in told if role == "heading"][:2] == ["support", "Messages"]
    assert {"Parts", "Evidence", "Left out"} <= {name for role, name in told if role == "heading"}
    assert ("main", "") in told
    assert any(role == "article" and name == "Message 1 of 5: system" for role, name in told)
    assert any(role == "group" and name.startswith("Tokens: system") for role, name in told)
    columns = [name for role, name in told if role == "columnheader"]
    assert columns[:3] == ["Part", "Tokens", "Given"]


@pytest.mark.parametrize("width", [320, 380, 768, 1920])
def test_the_page_is_never_wider_than_the_window(opened: Browser, width: int):
    opened.size(width, 800)
    assert opened.value("document.documentElement.scrollWidth") <= width
    opened.screenshot(ARTIFACTS / f"explain-{width}.png")


def test_on_paper_the_details_and_links_are_left_out_and_the_text_is_whole(opened: Browser):
    opened.ask("Emulation.setEmulatedMedia", media="print")
    shown = opened.value(
        "['nav', '.tip', 'article'].map(s => getComputedStyle(document.querySelector(s)).display)"
    )
    assert shown == ["none", "none", "block"]
    pdf = base64.b64decode(opened.ask("Page.printToPDF", printBackground=True)["data"])
    ARTIFACTS.mkdir(exist_ok=True)
    (ARTIFACTS / "explain.pdf").write_bytes(pdf)
    assert pdf.startswith(b"%PDF")


def test_a_narrow_screen_cuts_nothing(opened: Browser):
    opened.size(420, 900)
    assert opened.value("document.documentElement.scrollWidth") == 420
    hidden = (
        "[...document.querySelectorAll('td, th, dd, li, h1, h2, h3')]"
        ".filter(e => e.offsetParent && e.scrollWidth > e.clientWidth + 1).length"
    )
    assert opened.value(hidden) == 0
    opened.screenshot(ARTIFACTS / "explain-narrow.png")


def test_a_bar_leads_to_the_text_it_stands_for(opened: Browser):
    broken = (
        "[...document.querySelectorAll('.whole a, #parts a')]"
        ".filter(a => !document.getElementById(a.hash.slice(1))).length"
    )
    assert opened.value("document.querySelectorAll('.whole a').length") >= 4
    assert opened.value(broken) == 0
