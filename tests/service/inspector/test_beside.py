"""What the inspector shows beside one assembly: others, turns of a conversation, golden tests, prices."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from biblicus_context.golden import run_tests
from biblicus_context.service import app
from biblicus_context.service.keys import KeyFile
from biblicus_context.service.scopes import KeyScope
from tests.service.serving import client_of

pytestmark = pytest.mark.enable_socket
INPUTS = {"question": "Which lamps are in which hall?"}
SETTINGS = {
    "prices": {"gpt-4o": {"input": 2.5, "cached": 1.25}},
    "inspected_calls": 10,
    "reload_seconds": 3600,
}
TALK = [
    {"role": "user", "content": "Where are the lamps of kind 1?"},
    {"role": "assistant", "content": "In hall 1."},
    {"role": "user", "content": "And those of kind 2?"},
    {"role": "assistant", "content": "In hall 2."},
]


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.email=a@example.org", "-c", "user.name=A")
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def own(plans: Path, tmp_path: Path) -> Path:
    """A shop of one test, in a repository with one commit."""
    shutil.copytree(plans.parent, tmp_path / "shop", ignore=shutil.ignore_patterns(".git"))
    git(tmp_path / "shop", "init", "--quiet", ".")
    git(tmp_path / "shop", "add", "contexts", "hall")
    git(tmp_path / "shop", "commit", "--quiet", "--message", "one")
    return tmp_path / "shop" / "contexts"


@pytest.fixture
def client(own: Path) -> Iterator[httpx.Client]:
    with client_of(app(own, settings=SETTINGS)) as found:
        yield found


def asked(client: httpx.Client, what: str, **body: Any) -> Any:
    answer = client.post(f"/v1/contexts/shop/{what}", json={"inputs": INPUTS, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_another_budget_is_compared_by_texts_and_parts(client: httpx.Client) -> None:
    found = asked(client, "compare", other_budget=200)
    assert found["after"] <= 200 < found["before"]
    assert any(line.startswith("-") for each in found["changes"] for line in each["lines"])
    packs = {each["label"]: each for each in found["parts"]}
    assert packs["kb"]["after"] < packs["kb"]["before"]


def test_the_same_call_has_no_difference(client: httpx.Client) -> None:
    found = asked(client, "compare")
    assert found["changes"] == []
    assert found["before"] == found["after"]
    assert found["after"] - found["same_prefix"] < 10  # what ends the whole is not in a beginning


def test_the_plans_of_a_revision_are_compared_over_the_corpora_of_now(own: Path) -> None:
    plan = own / "shop.yaml"
    plan.write_text(plan.read_text("utf-8").replace("You are kind.", "You are very kind."), "utf-8")
    with client_of(app(own, settings=SETTINGS)) as client:
        found = asked(client, "compare-revision", revision="HEAD")
        (change,) = found["changes"]
        assert "-You are kind." in change["lines"]
        assert "+You are very kind." in change["lines"]
        unknown = client.post(
            "/v1/contexts/shop/compare-revision", json={"inputs": INPUTS, "revision": "nowhere"}
        )
    assert unknown.status_code == 422
    assert "no revision with this name" in unknown.json()["detail"]


def test_a_context_that_a_revision_does_not_have_is_named_with_those_that_it_has(own: Path) -> None:
    (own / "new.yaml").write_text("kind: context\nname: new\nmessages: []\n", encoding="utf-8")
    with client_of(app(own, settings=SETTINGS)) as client:
        answer = client.post("/v1/contexts/new/compare-revision", json={"revision": "HEAD"})
    assert answer.status_code == 422
    assert answer.json()["valid"] == ["other", "shop"]


def test_each_turn_of_a_history_is_assembled_with_what_was_said_before(
    client: httpx.Client,
) -> None:
    turns = asked(client, "conversation", history=TALK)
    said = ["Where are the lamps of kind 1?", "And those of kind 2?", INPUTS["question"]]
    assert [each["said"] for each in turns] == said
    assert [len(each["call"].get("history", ())) for each in turns] == [0, 2, 4]
    assert turns[0]["since"] is None
    for before, after in pairwise(turns):
        assert after["since"]["before"] == before["used"]
        assert after["since"]["after"] == after["used"]


def test_calls_become_conversations_by_the_beginning_of_their_history(
    client: httpx.Client,
) -> None:
    for said, history in (
        ("Where are the lamps of kind 1?", []),
        ("Something else?", []),
        ("And those of kind 2?", TALK[:2]),
    ):
        asked(client, "assemble", inputs={"question": said}, history=history)
    sessions = client.get("/v1/contexts/shop/sessions").json()
    assert [(each["said"], each["turns"]) for each in sessions] == [
        ("Where are the lamps of kind 1?", 2),
        ("Something else?", 1),
    ]
    found = client.get(f"/v1/contexts/shop/sessions/{sessions[0]['id']}").json()
    assert [each["said"] for each in found] == [
        "Where are the lamps of kind 1?",
        "And those of kind 2?",
    ]
    assert found[1]["since"]["changes"]
    assert client.get("/v1/contexts/shop/sessions/nothing").status_code == 404


def test_no_more_calls_are_kept_than_the_settings_say_and_none_by_default(own: Path) -> None:
    for settings, kept in (({"inspected_calls": 3}, 3), ({}, 0)):
        with client_of(app(own, settings=settings)) as client:
            for number in range(5):
                asked(client, "assemble", inputs={"question": f"Lamp {number}?"})
            found = client.get("/v1/contexts/shop/sessions").json()
        assert sum(each["turns"] for each in found) == kept


def test_a_caller_sees_its_own_conversations_alone(own: Path, tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys.json")
    scopes = (KeyScope.READ, KeyScope.INSPECT)
    ann, bob = (
        {"authorization": f"Bearer {keys.create('local', user=user, scopes=scopes).key}"}
        for user in ("ann", "bob")
    )
    with client_of(app(own, keys=keys.path, settings=SETTINGS)) as client:
        sent = {"inputs": INPUTS}
        assert client.post("/v1/contexts/shop/assemble", json=sent, headers=ann).status_code == 200
        (session,) = client.get("/v1/contexts/shop/sessions", headers=ann).json()
        at = f"/v1/contexts/shop/sessions/{session['id']}"
        assert client.get("/v1/contexts/shop/sessions", headers=bob).json() == []
        assert client.get(at, headers=bob).status_code == 404
        assert client.get(at, headers=ann).status_code == 200
        save = {"inputs": INPUTS, "case": "it is kind"}
        refused = client.post("/v1/contexts/shop/golden-test/save", json=save, headers=ann)
    assert refused.status_code == 403
    assert not [*own.glob("*.recorded.test.yaml")]


def test_a_golden_test_is_written_beside_the_plan_and_passes(
    client: httpx.Client, own: Path
) -> None:
    shown = asked(client, "golden-test", case="lamps are found", history=TALK)
    assert shown["file"] is None
    assert not [*own.glob("*.recorded.test.yaml")]
    saved = asked(client, "golden-test/save", case="lamps are found", history=TALK)
    assert saved["text"] == shown["text"]
    report = run_tests([saved["file"]])
    assert [each.status for each in report.files[0].verdicts] == ["passed"]
    cases = client.get("/v1/contexts/shop/inspect").json()["cases"]
    assert [each["name"] for each in cases] == ["lamps are found", "a case"]
    assert cases[0] == {"name": "lamps are found", "call": {"inputs": INPUTS, "history": TALK}}


def test_a_known_price_makes_a_cost_and_a_cached_beginning_a_lower_one(own: Path) -> None:
    with client_of(app(own, settings=SETTINGS)) as client:
        found = asked(client, "inspect")
        assert found["cost"] == {"input": pytest.approx(found["used"] * 2.5e-6), "cached": None}
        before = asked(client, "assemble", result=True)["result"]
        again = asked(client, "inspect", previous=before)
        assert again["cost"]["cached"] < again["cost"]["input"]
        assert asked(client, "inspect", model="gpt-4")["cost"] is None
