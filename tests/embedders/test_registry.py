"""Embedders by name and settings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from biblicus_context import PlanError, UnknownNameError
from biblicus_context.embedders import (
    FunctionEmbedder,
    GraniteEmbedder,
    WordLlamaEmbedder,
    build_embedder,
    computes_here,
)
from biblicus_context.embedders.registry import VARIABLE
from biblicus_context.errors import ContextError, EmbedderError
from biblicus_context.installation import install_command
from tests.embedders.fake_server import fake_server

PACKAGE = """
from biblicus_context.embedders import FunctionEmbedder

class Ones(FunctionEmbedder):
    def __init__(self, size=2):
        super().__init__(lambda t: [[1.0] * size] * len(t), model="ones", dimensions=size)
"""


def test_the_default_needs_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    assert isinstance(build_embedder(), GraniteEmbedder)
    assert computes_here(None)


def test_a_machine_may_have_another_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "wordllama")
    assert isinstance(build_embedder(), WordLlamaEmbedder)
    assert isinstance(build_embedder("granite"), GraniteEmbedder)
    monkeypatch.setenv(VARIABLE, "granit")
    with pytest.raises(UnknownNameError, match="Did you mean 'granite'"):
        build_embedder()


def test_without_its_wheel_the_default_is_the_fastest_one_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(GraniteEmbedder, "is_installed", staticmethod(lambda: False))
    assert isinstance(build_embedder(), WordLlamaEmbedder)
    assert install_command("corpus") in caplog.text
    # Who names it wants no other: its error says what to install.
    assert isinstance(build_embedder("granite"), GraniteEmbedder)


@pytest.mark.enable_socket
def test_a_server_is_declared_with_the_name_of_the_variable_that_has_its_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "k")
    with fake_server() as server:
        embedder = build_embedder(
            {
                "type": "openai",
                "model": "m",
                "dimensions": 4,
                "base_url": server.url,
                "api_key_env": "MY_KEY",
            },
            allow_keys={"MY_KEY": "127.0.0.1"},
        )
        assert server.keys == ["Bearer k"]
        assert embedder.model == f"m@4 {server.url}"


def test_a_key_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ContextError, match="OPENAI_API_KEY is not set"):
        build_embedder({"type": "openai", "model": "m", "dimensions": 4})


def test_callers_add_embedders_of_their_own() -> None:
    def make(size: int) -> FunctionEmbedder:
        return FunctionEmbedder(lambda t: [[1.0] * size] * len(t), model="ones", dimensions=size)

    embedder = build_embedder({"type": "ones", "size": 3}, extra={"ones": make})
    assert embedder.dimensions == 3


@pytest.mark.parametrize("made", [7, None, lambda texts: [[1.0]] * len(texts)])
def test_what_makes_no_embedder_is_named(made: object) -> None:
    with pytest.raises(
        PlanError, match=r"embedder 'odd': .*returns an object with the methods of `Embedder`"
    ):
        build_embedder("odd", extra={"odd": lambda: made})  # type: ignore[arg-type,return-value] # a mistake


def test_an_error_inside_a_maker_is_not_taken_for_a_wrong_setting() -> None:
    def make() -> FunctionEmbedder:
        raise TypeError("its own")

    with pytest.raises(TypeError, match="its own"):
        build_embedder("mine", extra={"mine": make})


@pytest.mark.parametrize(
    "settings",
    [
        {"type": "wordllama", "size": 3},
        {"type": "openai", "model": "m"},
        {"type": "openai", "model": "m", "dimensions": "many"},
        {"type": "openai", "model": "m", "dimensions": 4, "key": "k"},
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(PlanError, match="embedder '"):
        build_embedder(settings)


def test_an_unknown_name_says_what_is_known() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'wordllama'"):
        build_embedder("wordlama")


def test_a_type_that_is_no_name_is_refused_as_an_unknown_one() -> None:
    with pytest.raises(UnknownNameError, match="Embedder"):
        build_embedder({"type": ["wordllama"]})


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Installs a package with this entry point in the group of embedders."""

    def installed(point: str) -> None:
        about = tmp_path / "other_embedders-1.0.dist-info"
        about.mkdir()
        (about / "entry_points.txt").write_text(f"[biblicus_context.embedders]\n{point}\n")
        (about / "METADATA").write_text("Name: other-embedders\nVersion: 1.0\n")
        (tmp_path / "other_embedders.py").write_text(PACKAGE)
        monkeypatch.syspath_prepend(str(tmp_path))

    yield installed
    sys.modules.pop("other_embedders", None)


def test_installed_packages_add_embedders(install: Callable[[str], None]) -> None:
    install("ones = other_embedders:Ones")
    assert build_embedder({"type": "ones", "size": 3}).dimensions == 3
    with pytest.raises(UnknownNameError, match="ones"):
        build_embedder("others")


def test_an_embedder_that_cannot_be_loaded_names_its_entry_point(
    install: Callable[[str], None],
) -> None:
    install("ones = no_such_module:Ones")
    with pytest.raises(PlanError, match=r"embedder 'ones': .*entry point 'no_such_module:Ones'"):
        build_embedder("ones")
    assert isinstance(build_embedder("wordllama"), WordLlamaEmbedder)


def test_a_function_that_fails_is_named() -> None:
    def fail(_: list[str]) -> list[list[float]]:
        raise OSError("no disk")

    with pytest.raises(EmbedderError, match=r"embedder 'm' failed \(OSError\)$") as raised:
        FunctionEmbedder(fail, model="m", dimensions=2).embed(["a"])
    assert str(raised.value.__cause__) == "no disk"
