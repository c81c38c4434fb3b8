"""The commands that serve and that manage keys."""

from __future__ import annotations

import pytest

from biblicus_context.service import KeyFile


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_folder_with_a_mistake_is_not_served(run, tmp_path):
    (tmp_path / "bad.yaml").write_text("kind: context\nname: x\nmesages: []\n", "utf-8")
    assert "mesages" in run("serve", "--path", "bad.yaml").refusal


def test_an_address_that_others_reach_needs_keys(run, tmp_path):
    (tmp_path / "a.yaml").write_text("kind: context\nname: x\nmessages: []\n", "utf-8")
    refused = run("serve", "--path", "a.yaml", "--host", "0.0.0.0").refusal
    assert "Pass --keys FILE" in refused
    missing = run("serve", "--path", "a.yaml", "--keys", "missing.json").refusal
    assert "key create" in missing


def test_a_key_is_printed_once_then_listed_and_revoked(run):
    made = run(
        "key", "create", "--workspace", "acme", "--as", "ann", "--scope", "write", "--days", "1"
    )
    key = made.out.strip()
    assert key.startswith("bctx_")
    assert "nobody can read it again" in made.err
    (known,) = run("key", "list", "--format", "json").json
    assert (known["workspace"], known["user"], known["scopes"]) == ("acme", "ann", ["write"])
    assert key not in str(known)
    listed = run("key", "list").text
    assert "acme/ann" in listed
    assert "expires" in listed
    assert run("key", "revoke", known["id"]).text == f"{known['id']}: revoked\n"
    assert run("key", "list", "--format", "json").json == []
    assert KeyFile("keys.json").caller(key) is None


def test_a_key_in_json_has_all_but_its_hash(run):
    made = run("key", "create", "--format", "json").json
    assert made["scopes"] == ["read"]
    assert "hash" not in made


def test_a_key_that_is_not_there_cannot_be_revoked(run):
    run("key", "create")
    assert "Key 'nothing' not defined" in run("key", "revoke", "nothing").refusal
