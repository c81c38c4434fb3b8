"""The four systems over HTTP: what they do in Python, each for the workspace and the user of its key."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getattr_static
from pathlib import Path
from typing import Any

import httpx
import pytest

from biblicus_context.service import KeyFile, KeyScope, Operation, app
from biblicus_context.service.facades import Facade
from biblicus_context.service.prime import NOT_SERVED
from biblicus_context.service.systems import Systems
from biblicus_context.systems import learning, memory, prime, workspace
from tests.service.serving import client_of

pytestmark = pytest.mark.enable_socket


class Asker:
    """Posts as one principal."""

    def __init__(self, client: httpx.Client, key: str) -> None:
        self._client, self._headers = client, {"x-api-key": key}

    def __call__(self, path: str, **body: Any) -> Any:
        answer = self.raw(path, **body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def raw(self, path: str, **body: Any) -> httpx.Response:
        return self._client.post(path, json=body, headers=self._headers)


@pytest.fixture(scope="module")
def askers(plans: Path, tmp_path_factory) -> Iterator[tuple[Asker, Asker, Asker]]:
    """Ann of acme, Bob of acme, and Ann of another workspace."""
    place = tmp_path_factory.mktemp("systems")
    keys = KeyFile(place / "keys.json")
    whose = (("acme", "ann"), ("acme", "bob"), ("blue", "ann"))
    made = [keys.create(w, user=u, scopes=(KeyScope.ADMIN,)).key for w, u in whose]
    with client_of(app(plans, keys=keys, settings={"data": place / "data"})) as client:
        first, second, third = (Asker(client, key) for key in made)
        yield first, second, third


def test_a_memory_is_found_by_its_workspace_alone(askers):
    ann, bob, other = askers
    ann("/v1/memory/remember", memory={"id": "m1", "content": "The release is on Friday."})
    for who, expected in ((ann, ["m1"]), (bob, ["m1"]), (other, [])):
        found = who("/v1/memory/search", query="when is the release?")
        assert [each["memory"]["id"] for each in found["results"]] == expected
    built = ann("/v1/memory/build-context", query="release", options={"token_budget": 200})
    assert "Friday" in built["context"]
    assert built["token_count"] <= 200
    assert ann("/v1/memory/get", ids=["m1"])[0]["content"] == "The release is on Friday."
    assert ann("/v1/memory/update", model_id="m1", changes={"content": "It is on Monday."}) is True
    assert ann("/v1/memory/search-batch", queries=["Monday", "Friday"])[0]["results"]
    ann("/v1/memory/remember", memory={"id": "m2", "content": "Monday is a holiday."})
    ann("/v1/memory/relate", relation={"source": "m1", "target": "m2", "type": "about"})
    near = ann(
        "/v1/memory/search",
        query="is Monday a holiday?",
        options={"include_relationships": True, "limit": 1},
    )
    assert any(each["relationships"] for each in near["results"])
    assert ann("/v1/memory/analytics")["searches"] > 0
    assert ann("/v1/memory/forget", ids=["m1", "m2"])["documents"] == 2
    said = [{"role": "user", "content": "My cat is called Miso and likes tuna."}]
    ann("/v1/memory/remember-conversation", messages=said, conversation_id="c1")
    gone = ann("/v1/memory/search", query="Monday")
    assert "holiday" not in str(gone)


def test_a_failure_of_the_memory_is_a_problem(askers):
    ann, *_ = askers
    answer = ann.raw("/v1/memory/build-context", query="x", options={"template": "nothing"})
    assert answer.status_code == 422
    assert "template" in answer.json()["title"]
    assert answer.json()["type"] == "urn:biblicus-context:problem:template-not-found"
    assert ann.raw("/v1/memory/search", query="x", workspace_id="blue").status_code == 422
    assert ann.raw("/v1/memory/search", query="").status_code == 422


def test_a_prime_context_is_that_of_the_design(askers):
    ann, bob, other = askers
    file = {"id": "f1", "path": "tea.md", "content": "Green tea wants water of 80 degrees."}
    ann("/v1/prime/put-files", files=[file])
    ann("/v1/prime/add-messages", threadId="t1", messages=[{"role": "user", "content": "Hi."}])
    ann("/v1/prime/add-reference", threadId="t1", fileId="f1")
    made = ann("/context/build", threadId="t1", message="How hot is water for green tea?")
    assert made["meta"]["tokenUsage"] == made["data"]["totalTokens"]
    assert made["meta"]["sourceCount"] == len(made["data"]["items"])
    item = next(each for each in made["data"]["items"] if each["metadata"]["path"] == "tea.md")
    assert "80 degrees" in made["data"]["text"]
    assert made["data"]["stats"]["explicitCount"] == 1
    assert ann("/context/feedback", contextItemId=item["id"], useful=True) == {"success": True}
    for who in (bob, other):
        assert who("/context/build", threadId="t1", message="green tea")["data"]["items"] == []
        assert (
            who.raw("/context/feedback", contextItemId=item["id"], useful=True).status_code == 422
        )
    ann("/v1/prime/remove-thread", threadId="t1")


def test_blocks_are_shown_to_their_readers(askers):
    ann, bob, other = askers
    blocks = [
        {"id": "p1", "type": "page", "title": "Plan", "content": "Plan"},
        {"id": "b1", "type": "todo", "content": "Ship the lamp on Monday.", "parent_id": "p1"},
    ]
    ann("/v1/workspace/put-block", blocks=blocks)
    asked = {
        "query": "When is the lamp shipped?",
        "focus": {"block_id": "b1"},
        "validate_now": True,
    }
    made = ann("/v1/workspace/build", **asked)
    assert "Ship the lamp" in made["serialized"]
    assert made["problems"] == []
    assert "Ship the lamp" not in other.raw("/v1/workspace/build", **asked).text
    asked |= {"focus": None}
    assert "Ship the lamp" in bob("/v1/workspace/build", **asked)["serialized"]
    assert "Ship the lamp" not in other("/v1/workspace/build", **asked)["serialized"]
    ann("/v1/workspace/make-private", block_id="p1", users=["ann"])
    assert ann("/v1/workspace/readers-of", block_id="b1")["users"] == ["ann"]
    assert "Ship the lamp" not in bob("/v1/workspace/build", **asked)["serialized"]
    assert ann.raw("/v1/workspace/build", query="x", user={"id": "bob"}).status_code == 422
    assert ann("/v1/workspace/delete-block", block_id="p1") == 2


def test_what_was_learned_is_found_again(askers):
    ann, _, other = askers
    ann("/v1/learning/record-memory", memory={"id": "l1", "content": "Tests need a free port."})
    tried = {
        "id": "e1", "domain": "debugging", "strategy": "bisect", "goal": "find the fault",
        "hypothesis": "the port", "action": "bisected", "prediction": "a commit",
        "outcome_status": "falsified", "outcome_result": "no commit", "lesson": "look at logs first",
    }  # fmt: skip
    ann("/v1/learning/record-experience", experience=tried)
    (hit, *_) = ann("/v1/learning/search-memories", query="free port", limit=5)
    assert hit["item"]["id"] == "l1"
    made = ann("/v1/learning/assemble-context", query="port", context_types=["memories"])
    assert "free port" in made["markdown"]
    assert "bisected" in ann("/v1/learning/get-premortem-context", domain="debugging")["markdown"]
    assert other("/v1/learning/search-memories", query="free port", limit=5) == []
    ann("/v1/learning/forget-memory", ids=["l1"])
    assert ann("/v1/learning/search-memories", query="free port", limit=5) == []


def operations(plans: Path, tmp_path: Path) -> dict[str, Operation]:
    service = app(plans, settings={"data": tmp_path}).state.service
    found = {each.name: each for each in service.operations}
    service.close()
    return found


def public(kind: type) -> set[str]:
    """The methods of a class, those that return at once as well; not its constants."""
    return {each for each in dir(kind) if each[0] != "_" and is_method(kind, each)}


def is_method(kind: type, name: str) -> bool:
    found = getattr_static(kind, name)
    is_class = isinstance(found, type)
    return not is_class and (callable(getattr(kind, name)) or isinstance(found, property))


def test_every_method_of_the_systems_has_a_route_or_a_reason(plans: Path, tmp_path: Path):
    served = operations(plans, tmp_path / "a")
    undecided, without_reason = [], []
    facades = Systems(tmp_path / "b").facades()
    kinds = {
        memory.ContextEngine, memory.MemoryStore, workspace.BlockStore, learning.Searcher,
        learning.LearningStore, learning.ContextAssembler,
    }  # fmt: skip
    assert {each.kind for each in facades} == kinds
    for facade in facades:
        for name in public(facade.kind):
            if name in facade.leaves_out:
                without_reason += [] if len(facade.leaves_out[name]) > 5 else [name]
            elif name not in facade.scopes or f"{facade.group.lower()}_{name}" not in served:
                undecided.append((facade.kind.__name__, name))
        assert {*facade.leaves_out} <= {*dir(facade.kind)}
    for name in public(prime.StoredService) - {*NOT_SERVED}:
        if f"prime_{name}" not in served:
            undecided.append(("prime", name))
    assert undecided == []
    assert without_reason == []


def test_no_body_says_who_asks(plans: Path, tmp_path: Path):
    """The workspace and the user are those of the key: a body that names one is refused."""
    tenants = {"workspace", "workspace_id", "user", "user_id", "userId", "principal", "tenant"}
    for each in operations(plans, tmp_path).values():
        named = {*each.body.model_fields} if each.body else set()
        assert not named & tenants, each.name


def test_no_method_takes_a_path_of_the_server(plans: Path, tmp_path: Path):
    for each in operations(plans, tmp_path).values():
        assert 'format": "path' not in str(each.body.model_json_schema() if each.body else "")


class Desk:
    """A facade as a colleague may change it tomorrow."""

    async def known(self, name: str) -> str:
        """Greet."""
        return f"Hello {name}."

    async def new(self, name: str, times: int = 2) -> list[str]:
        """Greet more than once."""
        return [name] * times

    async def reads(self, folder: str | Path) -> int:
        """Read a folder."""
        return 0


def test_a_method_that_nobody_decided_about_is_for_admins_alone():
    made = Facade(
        kind=Desk, group="Desk", path="/v1/desk", instance=lambda _: Desk(), injected={},
        scopes={"known": KeyScope.READ},
    ).operations()  # fmt: skip
    assert {each.name: each.scope for each in made} == {
        "desk_known": KeyScope.READ, "desk_new": KeyScope.ADMIN,
    }  # fmt: skip
