"""The app that a client shows instead of a result: in a real browser, within a host of the tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.extension import ClientExtension

from biblicus_context.service.mcp import Offer, server_of
from tests.pages.browser import NAMES, Browser, installed
from tests.service.mcp.conftest import Ask, asked_by

ARTIFACTS = Path(__file__).parents[2] / "artifacts"
APPS = "io.modelcontextprotocol/ui"
MEDIA = "text/html;profile=mcp-app"
HOST = """<!doctype html><title>host</title><iframe id="app" sandbox="allow-scripts allow-same-origin" width="700" height="900"></iframe>
<script>
window.said = []; window.answers = ANSWERS; const app = document.getElementById("app");
const send = (message) => app.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
addEventListener("message", ({source, data}) => {
  if (source !== app.contentWindow) return;
  said.push(data);
  if (data.method === "ui/initialize")
    send({id: data.id, result: {protocolVersion: "2026-01-26", hostInfo: {name: "t", version: "1"},
      hostCapabilities: {serverTools: {}}, hostContext: {theme: "dark"}}});
  if (data.method === "ui/notifications/initialized") {
    send({method: "ui/notifications/tool-input", params: {arguments: ARGUMENTS}});
    send({method: "ui/notifications/tool-result", params: answers[0]});
  }
  if (data.method === "tools/call") send({id: data.id, result: answers[1]});
});
app.srcdoc = PAGE;
</script>"""


class ShowsApps(ClientExtension):
    identifier = APPS

    def settings(self) -> dict[str, Any]:
        return {"mimeTypes": [MEDIA]}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = installed()
    if program is None:
        pytest.fail(f"no Chromium is installed (looked for {', '.join(NAMES)})", pytrace=False)
    with Browser(program, tmp_path_factory.mktemp("browser")) as found:
        yield found


def shown_to(offer: Offer, talk: Any) -> Any:
    """What the official client gets that says it shows apps."""
    return asked_by(Client(server_of(offer), extensions=[ShowsApps()]), talk)


async def page(client: Client) -> str:
    (found,) = (await client.read_resource("ui://biblicus-context/context")).contents
    assert found.mime_type == MEDIA
    return str(found.text)


def test_a_client_that_shows_apps_is_told_which_tool_has_one(offer: Offer) -> None:
    tools = shown_to(offer, lambda client: client.list_tools()).tools
    assert {each.name: each.meta for each in tools if each.meta} == {
        "assemble": {"ui": {"resourceUri": "ui://biblicus-context/context"}}
    }
    resources = shown_to(offer, lambda client: client.list_resources()).resources
    assert [each.mime_type for each in resources if each.name == "context"] == [MEDIA]


def test_other_clients_do_not_read_about_it(ask: Ask) -> None:
    tools = ask(lambda client: client.list_tools()).tools
    resources = ask(lambda client: client.list_resources()).resources
    assert [each.meta for each in tools if each.meta] == []
    assert [each.name for each in resources] == ["handbook", "diary"]


@pytest.mark.browser
def test_the_app_shows_the_result_and_asks_for_another_budget(
    offer: Offer, browser: Browser, tmp_path: Path
) -> None:
    arguments = {"context": "support", "inputs": {"question": "<img src=x>?"}, "max_tokens": 400}

    async def assembled(client: Client) -> list[Any]:
        budgets = (400, 60)
        found = [
            await client.call_tool("assemble", {**arguments, "max_tokens": each})
            for each in budgets
        ]
        return [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in found]

    answers = shown_to(offer, assembled)
    values = {"ANSWERS": answers, "ARGUMENTS": arguments, "PAGE": shown_to(offer, page)}
    text = HOST
    for name, value in values.items():
        text = text.replace(name, json.dumps(value).replace("</", "<\\/"), 1)
    host = tmp_path / "host.html"
    host.write_text(text, encoding="utf-8")
    browser.size(760, 960)
    browser.open(host)
    sizes = "said.filter((each) => each.method === 'ui/notifications/size-changed')"
    browser.until(f"{sizes}.length == 1")  # it is drawn
    browser.screenshot(ARTIFACTS / "mcp-app.png")
    inside = "document.getElementById('app').contentDocument"
    drawn = browser.value(f"[...{inside}.querySelectorAll('pre')].map((each) => each.textContent)")
    assert drawn == [each["content"] for each in answers[0]["structuredContent"]["messages"]]
    assert browser.value(f"{inside}.querySelectorAll('img').length") == 0  # a question is text
    browser.value(
        f"(() => {{ const b = {inside}.getElementById('budget'); b.value = 60;"
        "b.dispatchEvent(new Event('input')); })()"
    )
    browser.until(f"{sizes}.length == 2")
    calls = browser.value("said.filter((each) => each.method === 'tools/call')")
    assert [each["params"]["arguments"] for each in calls] == [{**arguments, "max_tokens": 60}]
    count = browser.value(f"{inside}.getElementById('count').textContent")
    assert count == f"{answers[1]['structuredContent']['tokens']} of 60 tokens"
