"""The inspector in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.pages.browser import NAMES, Browser, installed

ARTIFACTS = Path(__file__).parents[2] / "artifacts"
pytestmark = [pytest.mark.browser, pytest.mark.enable_socket]
_READY = "document.querySelectorAll('#messages article').length"
_COUNT = "document.getElementById('count').textContent"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = installed()
    if program is None:
        pytest.fail(f"no Chromium is installed (looked for {', '.join(NAMES)})", pytrace=False)
    with Browser(program, tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture
def opened(browser: Browser, address: str) -> Browser:
    browser.size(1200, 900)
    browser.visit("about:blank")
    browser.visit(f"{address}/inspect/shop")
    browser.until(_READY)
    return browser


def drag(browser: Browser, tokens: int) -> None:
    browser.value(
        f"(() => {{ const s = document.getElementById('slider'); s.value = {tokens};"
        "s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    browser.until(f"{_COUNT}.includes(' of {tokens} tokens')")


def test_evidence_is_text_and_the_page_asks_its_own_server_alone(
    opened: Browser, address: str
) -> None:
    assert opened.value("document.title") == "shop · inspector"
    assert opened.value("document.querySelectorAll('main img, main script').length") == 0
    assert "onerror" in opened.value("document.getElementById('messages').textContent")
    urls = [
        each["params"]["request"]["url"]
        for each in opened.events
        if each.get("method") == "Network.requestWillBeSent"
    ]
    assert urls
    assert [each for each in urls if not each.startswith((address, "data:", "about:"))] == []
    assert [each for each in opened.events if each.get("method") == "Log.entryAdded"] == []


def test_dragging_the_budget_asks_the_engine_and_the_address_keeps_it(opened: Browser) -> None:
    before = opened.value("document.querySelectorAll('#messages .piece').length")
    drag(opened, 150)
    after = opened.value("document.querySelectorAll('#messages .piece').length")
    assert after < before
    assert json.loads(unquote(opened.value("location.hash.slice(1)")))["budget"] == 150
    kept = opened.value("location.href")
    opened.visit("about:blank")
    opened.visit(kept)
    opened.until(f"{_READY} && {_COUNT}.includes(' of 150 tokens')")
    assert opened.value("document.getElementById('budget').value") == "150"


def test_the_turns_show_what_changed_since_the_one_before(opened: Browser) -> None:
    drag(opened, 120)
    drag(opened, 500)
    opened.value("document.getElementById('tab-turns').click()")
    opened.until("document.querySelectorAll('#turns article').length >= 3")
    assert opened.value("document.querySelectorAll('#turns ins').length") > 0
    assert opened.value("document.querySelectorAll('#turns del').length") > 0


def test_a_budget_that_cannot_hold_is_told_and_what_was_drawn_stays(opened: Browser) -> None:
    opened.value(
        "(() => { const b = document.getElementById('budget'); b.value = 3;"
        "b.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    opened.until("!document.getElementById('problem').hidden")
    assert "3" in opened.value("document.getElementById('problem').textContent")
    assert opened.value(_READY) > 0


def test_the_bar_and_the_text_light_each_other_and_tabs_follow_arrow_keys(opened: Browser) -> None:
    opened.hover("#bar span:nth-child(2)")
    opened.until("document.querySelectorAll('#messages .piece.lit').length")
    opened.value(
        "(() => { const t = document.getElementById('tab-messages'); t.focus();"
        "t.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})); })()"
    )
    assert opened.value("document.activeElement.id") == "tab-left"
    assert opened.value("document.getElementById('left').hidden") is False
    assert opened.value("document.querySelectorAll('#left tbody tr').length") > 0


def test_what_if_draws_the_budgets_that_the_engine_was_asked_for(opened: Browser) -> None:
    opened.value("document.getElementById('tab-curve').click()")
    opened.until("document.querySelectorAll('#curve tbody tr').length >= 10")
    assert opened.value("document.querySelector('#curve .used').getAttribute('points').length") > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200, 3840])
def test_nothing_is_wider_than_the_window(opened: Browser, width: int, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    opened.ask("Emulation.setEmulatedMedia", media="", features=features)
    opened.size(width, 900)
    assert opened.value("document.documentElement.scrollWidth") <= width
    if width == 1200:
        opened.screenshot(ARTIFACTS / f"inspector-{scheme}.png")


@pytest.mark.parametrize("kind", ["curl", "python", "golden"])
def test_a_copy_is_what_it_says(opened: Browser, kind: str) -> None:
    drag(opened, 300)
    opened.value(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; };"
        f"document.querySelector('[data-copy={kind}]').click()"
    )
    opened.until("window.copied")
    text = opened.value("window.copied")
    assert "Which lamps are in which hall?" in text
    if kind == "python":
        compile(text, "copied", "exec")
    if kind == "golden":
        from biblicus_context.reading import yaml_value

        case = yaml_value(text, "copied")["cases"][0]
        assert (case["context"], case["budget"]) == ("shop", 300)
