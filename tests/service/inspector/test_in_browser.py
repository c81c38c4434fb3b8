"""The inspector in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest

from biblicus_context.golden import run_tests
from tests.npm_package import npm_file
from tests.pages.browser import NAMES, Browser, installed

TALK = [
    {"role": "user", "content": "Where are the lamps?"},
    {"role": "assistant", "content": "In the halls."},
]
ARTIFACTS = Path(__file__).parents[2] / "artifacts"
pytestmark = [pytest.mark.browser, pytest.mark.enable_socket]
_READY = "document.querySelectorAll('#messages article').length"
_COUNT = "document.getElementById('count').textContent"


@pytest.fixture(scope="module")
def axe() -> str:
    """The checks of accessibility, as a script."""
    known = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
    return npm_file("axe-core@4.14.1", "package/axe.min.js", known).read_text(encoding="utf-8")


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


def test_the_tries_show_what_changed_since_the_one_before(opened: Browser) -> None:
    drag(opened, 120)
    drag(opened, 500)
    opened.value("document.getElementById('tab-tries').click()")
    opened.until("document.querySelectorAll('#tries article').length >= 3")
    assert opened.value("document.querySelectorAll('#tries ins').length") > 0
    assert opened.value("document.querySelectorAll('#tries del').length") > 0


def write(browser: Browser, field: str, value: str) -> None:
    browser.value(
        f"(() => {{ const f = document.getElementById('{field}'); f.value = {json.dumps(value)};"
        "f.dispatchEvent(new Event('input', {bubbles: true}));"
        "f.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def converse(browser: Browser) -> None:
    write(browser, "history", json.dumps(TALK))
    browser.value("document.getElementById('tab-talk').click()")
    browser.until("document.querySelectorAll('#talk-turns article').length == 2")


def compare(browser: Browser) -> None:
    browser.value("document.getElementById('tab-beside').click()")
    write(browser, "other-budget", "150")
    browser.value("document.querySelector('#other button').click()")
    browser.until("document.querySelectorAll('#difference details').length")


def test_a_history_is_shown_turn_by_turn_and_calls_of_clients_too(
    opened: Browser, address: str
) -> None:
    converse(opened)
    assert "Where are the lamps?" in opened.value("document.getElementById('talk').textContent")
    assert opened.value("document.querySelectorAll('#talk-turns ins').length") > 0
    sent = {"inputs": {"question": "What does a client ask?"}}
    httpx.post(f"{address}/v1/contexts/shop/assemble", json=sent).raise_for_status()
    opened.value("document.getElementById('tab-talk').click()")
    opened.until("document.querySelectorAll('#sessions option').length == 2")
    write(
        opened, "sessions", opened.value("document.querySelectorAll('#sessions option')[1].value")
    )
    opened.until("document.getElementById('talk-turns').textContent.includes('a client ask')")


def test_another_budget_is_shown_beside_this_one(opened: Browser) -> None:
    compare(opened)
    said = opened.value("document.getElementById('difference').textContent")
    assert "are the same" in said
    assert opened.value("document.querySelectorAll('#difference del').length") > 0


def test_a_golden_test_of_the_plan_fills_the_form(opened: Browser) -> None:
    write(opened, "cases", "0")
    opened.until(f"{_COUNT}.includes(' of 333 tokens')")
    assert opened.value("document.getElementById('budget').value") == "333"
    assert opened.value("document.querySelector('[data-input=question]').value") == "Of a case?"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_view(opened: Browser, axe: str, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    opened.ask("Emulation.setEmulatedMedia", media="", features=features)
    opened.value(f"{axe}; 0")
    converse(opened)
    compare(opened)
    for view in ("messages", "left", "search", "curve", "tries", "talk", "beside"):
        opened.value(f"document.getElementById('tab-{view}').click()")
        opened.until(f"!document.getElementById('{view}').hidden")
        opened.value(
            "window.found = null; axe.run().then((all) => { window.found = JSON.stringify("
            "all.violations.map((each) => [each.id, each.nodes.map((node) => node.html)])); })"
        )
        opened.until("window.found")
        assert json.loads(opened.value("window.found")) == [], view
        opened.screenshot(ARTIFACTS / f"inspector-{view}-{scheme}.png")


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
def test_a_copy_is_what_it_says(opened: Browser, kind: str, plans: Path, tmp_path: Path) -> None:
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
        copied = tmp_path / "copied.test.yaml"
        copied.write_text(f"contexts: {plans}\n{text}", encoding="utf-8")
        (verdict,) = run_tests([copied]).files[0].verdicts
        assert verdict.status == "passed"
