"""A caller decides where keys are sent; a plan does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.cli.main import main
from biblicus_context.corpora import Corpus
from biblicus_context.embedders import AllowedKeys, build_embedder
from biblicus_context.embedders.server import Server
from biblicus_context.errors import ContextError, InputError
from biblicus_context.spec.corpus import CorpusDeclaration
from tests.embedders.fake_server import FakeServer, fake_server

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake_server() as running:
        yield running


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "aws-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "openai-secret")


def _settings(url: str, **more: Any) -> dict[str, Any]:
    return {"type": "openai", "model": "m", "dimensions": 4, "base_url": url, "attempts": 1, **more}


def test_a_plan_cannot_send_a_key_to_a_host_that_nobody_allowed(server: FakeServer) -> None:
    settings = _settings(server.url, api_key_env="AWS_SECRET_ACCESS_KEY")
    with pytest.raises(InputError, match="AWS_SECRET_ACCESS_KEY is not sent to 127") as caught:
        build_embedder(settings)
    assert server.requests == []
    assert "--allow-key AWS_SECRET_ACCESS_KEY=127.0.0.1" in str(caught.value)
    assert "aws-secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "MY_OPENAI_KEY", "OPENAIX_KEY"])
def test_the_provider_gets_only_keys_that_are_named_as_its_own(name: str) -> None:
    with pytest.raises(InputError, match=f"the key in {name} is not sent to api.openai.com"):
        build_embedder({"type": "openai", "model": "m", "dimensions": 4, "api_key_env": name})


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "OPENAI_STAGING_KEY"])
def test_a_key_of_the_providers_name_or_one_that_is_allowed_may_go_to_it(name: str) -> None:
    provider = Server.at("https://api.openai.com/v1")
    assert AllowedKeys.of({}).allow(name, provider)
    assert not AllowedKeys.of({}).allow(name, Server.at("https://evil.example/v1"))
    assert AllowedKeys.of({"MY_KEY": "api.openai.com"}).allow("MY_KEY", provider)


def test_a_server_that_is_not_the_providers_gets_no_key_unless_one_is_named(
    server: FakeServer,
) -> None:
    build_embedder(_settings(server.url))
    assert server.keys == [None]


@pytest.mark.parametrize(
    "allowed", ["127.0.0.1", "127.0.0.1:{port}", ["other.example", "127.0.0.1"]]
)
def test_an_allowed_host_gets_the_key(server: FakeServer, allowed: str | list[str]) -> None:
    port = server.url.split(":")[2].split("/")[0]
    hosts = allowed.format(port=port) if isinstance(allowed, str) else allowed
    build_embedder(
        _settings(server.url, api_key_env="AWS_SECRET_ACCESS_KEY"),
        allow_keys={"AWS_SECRET_ACCESS_KEY": hosts},
    )
    assert server.keys == ["Bearer aws-secret"]


@pytest.mark.parametrize(
    ("name", "host"),
    [("AWS_SECRET_ACCESS_KEY", "127.0.0.1:1"), ("OTHER", "127.0.0.1"), ("AWS_SECRET", "localhost")],
)
def test_a_key_is_allowed_by_its_own_name_for_its_own_host(
    server: FakeServer, name: str, host: str
) -> None:
    with pytest.raises(InputError, match="is not sent to"):
        build_embedder(
            _settings(server.url, api_key_env="AWS_SECRET_ACCESS_KEY"), allow_keys={name: host}
        )
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com@evil.example/v1",
        "https://api.openai.com.evil.example/v1",
        "https://evil.example/api.openai.com/v1",
        "https://api.openai.com\\@evil.example/v1",
        "https://evil.example:443#@api.openai.com",
        "https://api.openai.com:8443/v1",
        "http://api.openai.com/v1",
        "https://аpi.openai.com/v1",
        "https://169.254.169.254/v1",
        "https://[::ffff:169.254.169.254]/v1",
        "https://10.0.0.7/v1",
        "http://2130706433/v1",
    ],
)
def test_no_spelling_of_an_address_gets_a_key_that_is_not_its_own(url: str) -> None:
    with pytest.raises(ContextError) as caught:
        build_embedder(_settings(url, api_key_env="AWS_SECRET_ACCESS_KEY"))
    assert "is not sent to" in str(caught.value) or "not a valid address" in str(caught.value)


@pytest.mark.parametrize("url", ["http://gateway.example/v1", "http://10.0.0.7/v1"])
def test_no_key_is_sent_over_plain_http_even_if_its_host_is_allowed(url: str) -> None:
    host = url.split("/")[2]
    with pytest.raises(InputError, match=r"never sent over plain http.* Use https"):
        build_embedder(
            _settings(url, api_key_env="OPENAI_API_KEY"), allow_keys={"OPENAI_API_KEY": host}
        )


def test_settings_of_a_plan_cannot_allow_anything(server: FakeServer) -> None:
    for name in ("allow_keys", "allowed", "settings", "keys"):
        with pytest.raises(ContextError):
            build_embedder(
                _settings(
                    server.url, api_key_env="OPENAI_API_KEY", **{name: {"OPENAI_API_KEY": "*"}}
                )
            )
    assert server.requests == []


def test_the_environment_allows_keys_for_programs_whose_arguments_are_not_ours(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIBLICUS_CONTEXT_ALLOW_KEYS", "X=a.example  OPENAI_API_KEY=127.0.0.1")
    build_embedder(_settings(server.url))
    assert server.keys == ["Bearer openai-secret"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"MY KEY": "a.example"},
        {"": "a.example"},
        {"MY_KEY": "https://a.example/"},
        {"MY_KEY": ""},
        {"MY_KEY": "*"},
        {"MY_KEY": 7},
        {"MY_KEY": None},
    ],
)
def test_what_is_not_a_name_and_a_host_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="Write NAME=HOST"):
        AllowedKeys.of(wrong)


def test_a_server_is_read_as_the_http_library_reads_it() -> None:
    server = Server.at("https://user:pass@API.OpenAI.com./v1/")
    assert (server.host, server.port, server.is_provider) == ("api.openai.com", 443, True)
    assert server.shown == "https://api.openai.com/v1"
    assert Server.at("http://[::1]:8000").is_loopback
    assert not Server.at("http://127.0.0.1.evil.example").is_loopback


def _declared(tmp_path: Path, url: str) -> CorpusDeclaration:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/tea.md").write_text("# Tea\n\nGreen tea.\n")
    embedder = _settings(url, api_key_env="AWS_SECRET_ACCESS_KEY")
    return CorpusDeclaration(
        name="docs", config={"root": str(tmp_path / "docs"), "embedder": embedder}
    )


def test_a_corpus_and_an_assembler_take_allowed_keys(server: FakeServer, tmp_path: Path) -> None:
    declared = _declared(tmp_path, server.url)
    with Corpus.open(declared) as corpus, pytest.raises(InputError, match="is not sent to"):
        corpus.ingest()
    allowed = {"AWS_SECRET_ACCESS_KEY": "127.0.0.1"}
    with Corpus.open(declared, allow_keys=allowed) as corpus:
        corpus.ingest()
    plan = {"messages": [{"type": "context", "name": "kb"}]}
    retrievers = {"kb": {"corpus": "docs", "config": {"retriever_id": "hybrid", "query": "tea"}}}
    assembler = ContextAssembler({"p": plan}, retrievers, {"docs": declared}, allow_keys=allowed)
    assert "Green tea" in assembler.assemble("p").system_prompt
    with pytest.raises(ContextError, match="is not sent to"):
        ContextAssembler({"p": plan}, retrievers, {"docs": declared}).assemble("p")


def test_commands_take_allowed_keys(
    server: FakeServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/tea.md").write_text("# Tea\n\nGreen tea.\n")
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts/ask.yaml").write_text(f"""\
kind: context
name: ask
messages: [{{type: context, name: kb}}]
---
kind: retriever
name: kb
corpus: docs
config: {{retriever_id: hybrid, query: tea}}
---
kind: corpus
name: docs
config:
  root: ../docs
  embedder: {{type: openai, model: m, dimensions: 4, base_url: "{server.url}", api_key_env: AWS_SECRET_ACCESS_KEY}}
""")
    commands = [["index", "--corpus", "docs"], ["render", "ask"], ["search", "tea"]]
    for command in commands:
        before = len(server.requests)
        assert main(command) == 2
        assert "--allow-key AWS_SECRET_ACCESS_KEY=127.0.0.1" in capsys.readouterr().err
        assert len(server.requests) == before
        assert main([*command, "--allow-key", "AWS_SECRET_ACCESS_KEY=127.0.0.1"]) == 0
    assert set(server.keys) == {"Bearer aws-secret"}
    assert main(["render", "ask", "--allow-key", "nonsense"]) == 2
    assert "Write NAME=HOST" in capsys.readouterr().err
