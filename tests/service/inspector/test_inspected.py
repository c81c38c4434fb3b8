"""What the inspector is told: everything that is drawn, as the engine has it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from biblicus_context import ContextAssembler
from biblicus_context.service import app
from biblicus_context.service.inspector.inspected import inspected as drawn
from biblicus_context.service.keys import KeyFile
from biblicus_context.service.scopes import KeyScope
from tests.service.inspector.conftest import HOSTILE
from tests.service.serving import client_of

pytestmark = pytest.mark.enable_socket
INPUTS = {"question": "Which lamps are in which hall?"}


def inspected(address: str, **body: Any) -> Any:
    asked = {"inputs": INPUTS, **body}
    answer = httpx.post(f"{address}/v1/contexts/shop/inspect", json=asked, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_pieces_of_the_messages_are_what_is_sent_and_their_parts_have_tints(
    address: str,
) -> None:
    found = inspected(address)
    sent = httpx.post(f"{address}/v1/contexts/shop/assemble", json={"inputs": INPUTS}).json()
    texts = ["".join(each["text"] for each in one["pieces"]) for one in found["messages"]]
    assert texts == [each["content"] for each in sent["messages"]]
    assert found["used"] == sent["token_count"] <= found["budget"] == 600
    tints = {each["place"]: each["tint"] for each in found["parts"]}
    pieces = [each for one in found["messages"] for each in one["pieces"] if each["place"]]
    assert {tints[each["place"]] == each["tint"] for each in pieces} == {True}


def test_what_is_left_out_has_its_reason(address: str) -> None:
    ghosts = inspected(address)["ghosts"]
    assert {each["action"] for each in ghosts} == {"dropped"}
    assert all(each["block"] and each["reason"] for each in ghosts)


def test_a_block_that_was_offered_and_is_not_sent_whole_has_its_text() -> None:
    texts = [f"{HOSTILE} {'Chairs are in hall nine. ' * 40}", "Tables are in hall two."]
    plan = {
        "policy": {"input_budget": {"max_tokens": 120}, "pack_budget": {"default_ratio": 1}},
        "messages": [{"type": "context", "name": "kb"}],
    }
    result = ContextAssembler({"hall": plan}, {"kb": lambda _: texts}).assemble("hall")
    ghosts = drawn(result).ghosts
    assert ghosts
    assert {each.text for each in ghosts} <= {*texts}


def test_a_search_tells_its_query_and_the_parts_of_each_score(address: str) -> None:
    (search,) = inspected(address)["searches"]
    assert search["query"] == INPUTS["question"]
    placed = [each for each in search["blocks"] if each["action"] == "kept"]
    assert placed
    assert all(each["score"] is not None and each["parts"] for each in placed)


def test_a_curve_rises_with_the_budget_and_says_what_does_not_fit(address: str) -> None:
    asked = {"inputs": INPUTS, "most": 600}
    points = httpx.post(f"{address}/v1/contexts/shop/curve", json=asked, timeout=60).json()
    assert [each["budget"] for each in points] == sorted({each["budget"] for each in points})
    fitting = [each for each in points if each["fits"]]
    assert all(each["used"] <= each["budget"] for each in fitting)
    assert fitting[-1]["evidence"] > fitting[0]["evidence"]


def test_a_key_without_the_scope_may_not_look_and_the_page_has_no_data(
    plans: Any, tmp_path: Any
) -> None:
    keys = KeyFile(tmp_path / "keys.json")
    may, may_not = (
        keys.create("local", user="ann", scopes=(scope,)).key
        for scope in (KeyScope.INSPECT, KeyScope.READ)
    )
    with client_of(app(plans, keys=keys.path)) as client:
        asked: dict[str, Any] = {"url": "/v1/contexts/shop/inspect", "json": {"inputs": INPUTS}}
        statuses = [
            client.post(**asked, headers={"authorization": f"Bearer {key}"}).status_code
            for key in (may, may_not)
        ]
        page = client.get("/inspect/shop")
        files = [
            client.get(f"/inspect/files/{name}") for name in ("inspector.js", "style.css", "keys")
        ]
    assert statuses == [200, 403]
    assert page.headers["content-security-policy"].startswith(
        "default-src 'none'; script-src 'self'"
    )
    assert "shop" not in page.text
    assert [each.status_code for each in files] == [200, 200, 404]
    assert files[0].headers["content-type"].startswith("text/javascript")
