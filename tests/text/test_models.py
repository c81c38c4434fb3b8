"""The table of models: what it knows, how names are found in it, and how it is changed."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest

from biblicus_context.errors import LoadError, PlanError, UnknownNameError
from biblicus_context.text.counters import Counters
from biblicus_context.text.messages.framing import FRAMINGS, Framing, framing_named
from biblicus_context.text.messages.images import Flat, Size, Tiles
from biblicus_context.text.models.model import Model
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from pathlib import Path

TABLE = ModelTable.shipped()


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("chatgpt-4o-latest", "gpt-4o"),
        ("openai/gpt-4.1-nano", "gpt-4.1-nano"),
        ("ft:gpt-4o-mini-2024-07-18:org::id", "gpt-4o-mini"),
        ("gpt-4-0613", "gpt-4"),
        ("gpt-4-1106-preview", "gpt-4-turbo"),
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-35-turbo", "gpt-3.5-turbo"),
        ("o3-mini-2025-01-31", "o3-mini"),
        ("gpt-oss:20b", "gpt-oss"),
        ("anthropic/claude-3.5-sonnet", "claude-3.5-sonnet"),
        ("claude-3-7-sonnet@20250219", "claude-3.7-sonnet"),
        ("us.anthropic.claude-opus-4-6-v1:0", "claude-opus-4.6"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-opus-4-9", "claude"),
        ("gemini/gemini-2.5-flash-lite", "gemini-2.5-flash"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1"),
        ("meta.llama3-1-70b-instruct-v1:0", "llama-3.1"),
        ("llama3.3:70b", "llama-3.3"),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama-4-scout"),
        ("Qwen/Qwen2.5-72B-Instruct", "qwen2.5"),
        ("qwen3-8b", "qwen3"),
        ("mistralai/Mistral-7B-Instruct-v0.2", "mistral-7b-v0.2"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek-r1-distill-llama"),
        ("microsoft/phi-4", "phi-4"),
        ("zai-org/GLM-4.5", "glm-4.5"),
        ("moonshotai/Kimi-K2-Instruct", "kimi-k2"),
        ("allenai/OLMo-2-1124-13B-Instruct", "olmo-2"),
        ("google/gemma-3-27b-it", "gemma-3"),
        ("xai/grok-4-0709", "grok-4"),
        ("x-ai/grok-4-fast", "grok-4-fast"),
        ("grok-4-1-fast-non-reasoning", "grok-4-fast"),
        ("grok-3-mini", "grok-3"),
        ("grok-code-fast-1", "grok-code-fast"),
    ],
)
def test_a_model_is_found_behind_a_provider_and_before_a_date(name: str, model: str) -> None:
    """Names as providers, gateways and model hubs write them lead to the model."""
    assert TABLE.find(name).name == model


@pytest.mark.parametrize(
    "name", ["qwen3.9", "gpt-7", "gpt-4x", "llama-5", "grok-5", "", "/", "my-gpt-4o"]
)
def test_another_version_is_not_the_model(name: str) -> None:
    """A number that nobody has heard of is unknown instead of the nearest guess."""
    with pytest.raises(UnknownNameError, match=r"Model .* not defined"):
        TABLE.find(name)


def test_every_shipped_model_can_be_counted_for() -> None:
    """Its counter exists, and what is not exact says so and why."""
    counters = Counters()
    for name in TABLE.names():
        model = TABLE.find(name)
        assert model.name == name
        assert counters.get(model.counter).count("") == 0
        assert model.window
        assert model.exact == (model.margin == 1 and not model.reason)
        assert counters.get(name).estimated != model.exact
        assert model.images.tokens(None) >= model.images.tokens(Size(64, 64)) > 0
        assert any(_is_framed_like(model.framing, framing) for framing in FRAMINGS.values())


def _is_framed_like(framing: Framing, named: Framing) -> bool:
    """Whether it is the named one, or differs only in what a maker publishes about tools."""
    of_model = replace(framing, per_tools=named.per_tools, estimated=named.estimated)
    return of_model == named and {*named.estimated} - {*framing.estimated} <= {"per_tools"}


def test_what_tools_add_at_anthropic_is_what_its_documentation_says_of_each_model() -> None:
    """The larger of the two figures for tool_choice; of a model it does not list, the largest."""
    documented = {
        "claude-3-opus-20240229": 530,
        "claude-3-5-haiku-20241022": 355,
        "claude-sonnet-4-20250514": 315,
        "claude-sonnet-4-5": 588,
        "claude-opus-4-6": 589,
        "claude-opus-4-7": 804,
        "claude-opus-4-8": 410,
        "claude-opus-5": 406,
        "claude-sonnet-5": 474,
        "claude-fable-5": 804,
        "claude-opus-5-5": 804,
    }
    framings = {name: TABLE.find(name).framing for name in documented}
    assert {name: framing.per_tools for name, framing in framings.items()} == documented
    guessed = {name for name, framing in framings.items() if "per_tools" in framing.estimated}
    assert guessed == {"claude-fable-5", "claude-opus-5-5"}


def test_a_figure_that_nobody_publishes_is_flagged_as_estimated() -> None:
    """OpenAI's cookbook has the messages, and not the calls; local models' templates are public."""
    assert framing_named("openai").estimated == ("per_tool_call", "per_tools")
    figures = {field.name for field in fields(Framing)} - {"estimated", "json_results"}
    assert {*framing_named("gemini").estimated} == figures
    assert not framing_named("llama3").estimated


def test_a_model_of_the_caller_may_have_a_figure_for_tools_of_its_own() -> None:
    """The rest of the framing stays, and the figure is no guess any more."""
    own = TABLE.with_models({"gpt-4o": {"per_tools": 3}}).find("gpt-4o").framing
    assert own == replace(framing_named("openai"), per_tools=3, estimated=("per_tool_call",))


def test_windows_are_those_that_makers_publish() -> None:
    """A few that everybody knows."""
    published = {
        "gpt-4o": 128_000,
        "gpt-4.1": 1_047_576,
        "gpt-5": 400_000,
        "o3": 200_000,
        "gpt-3.5-turbo": 16_385,
        "claude-sonnet-4-5": 200_000,
        "gemini-2.5-pro": 1_048_576,
        "llama-3.1": 131_072,
        "phi-4": 16_384,
    }
    assert {name: TABLE.find(name).window for name in published} == published


def test_openai_frames_messages_as_its_cookbook_says() -> None:
    """Three tokens and the role for a message, one for a name, three to open the answer."""
    framing = TABLE.find("gpt-4o").framing
    assert framing is framing_named("openai")
    assert (framing.per_message, framing.per_name, framing.per_reply) == (4, 1, 3)
    assert framing_named("none") == Framing()
    with pytest.raises(UnknownNameError, match="Did you mean 'chatml'"):
        framing_named("chatlm")


def test_a_table_is_changed_by_argument_without_changing_the_first() -> None:
    """An entry changes what it names, a new model needs a counter, a model may be handed in whole."""
    whole = Model("whole", counter="whitespace")
    table = TABLE.with_models(
        {
            "gpt-4o": {"window": 64_000, "framing": {"per_message": 9}},
            "house": {"counter": "o200k_base", "images": "gpt-4o", "aliases": ["home"]},
            "guess": {"estimate": {"counter": "llama3", "margin": 1.2, "reason": "tried"}},
            "whole": whole,
        }
    )
    assert table.find("gpt-4o-2024-08-06").window == 64_000
    assert table.find("gpt-4o").framing == Framing(per_message=9)
    assert table.find("gpt-4o").counter == "o200k_base"
    assert table.find("acme/home").images == Tiles(base=85, tile=170)
    assert (table.find("guess").exact, table.find("guess").margin) == (False, 1.2)
    assert table.find("whole") is whole
    assert {"house", "guess", "whole"} <= set(table.names())
    assert TABLE.find("gpt-4o").window == 128_000
    assert "house" not in TABLE.names()


YAML = """
images:
  large: {rule: flat, each: 3000}
estimates:
  mine: {counter: cl100k_base, margin: 1.5, reason: measured}
models:
  house: {estimate: mine, window: 9000, framing: chatml, images: large}
"""


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_table_is_changed_by_a_file(form: str, tmp_path: Path) -> None:
    """JSON and YAML say the same, and the shipped models stay known."""
    path = tmp_path / f"models.{form}"
    written = {
        "images": {"large": {"rule": "flat", "each": 3000}},
        "estimates": {"mine": {"counter": "cl100k_base", "margin": 1.5, "reason": "measured"}},
        "models": {
            "house": {"estimate": "mine", "window": 9000, "framing": "chatml", "images": "large"}
        },
    }
    path.write_text(YAML if form == "yaml" else json.dumps(written))
    table = ModelTable.from_file(path)
    assert table.find("house") == Model(
        "house", "cl100k_base", 9000, FRAMINGS["chatml"], Flat(3000), False, 1.5, "measured"
    )
    assert table.find("gpt-4o") == TABLE.find("gpt-4o")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"counter": "o200k_base", "windw": 3}, "models.x.windw"),
        ({"counter": "o200k_base", "window": "many"}, "models.x.window"),
        ({"counter": "o200k_base", "window": 0}, "models.x.window"),
        ({"counter": "o200k_base", "images": {"rule": "tilez"}}, "'tiles'"),
        ({"counter": "o200k_base", "images": {"rule": "flat", "each": 1, "x": 2}}, "flat.x"),
        ({"counter": "o200k_base", "images": "gpt-4"}, "Image rule 'gpt-4' not defined"),
        ({"counter": "o200k_base", "framing": {"per_mesage": 3}}, "framing.per_mesage"),
        ({"counter": "o200k_base", "framing": "chatmk"}, "Did you mean 'chatml'"),
        ({"counter": "o200k_base", "estimate": "claude"}, "either a counter or an estimate"),
        ({"window": 3}, "either a counter or an estimate"),
        ({"estimate": {"counter": "llama3", "margin": 0.5, "reason": "x"}}, "margin"),
        ({"estimate": "claud"}, "Did you mean 'claude'"),
        ("gpt-4o", "models.x"),
    ],
)
def test_a_mistake_in_an_entry_is_named(entry: object, problem: str, tmp_path: Path) -> None:
    """The place and what is valid, from an argument and from a file."""
    with pytest.raises(PlanError) as refused:
        TABLE.with_models({"x": entry})  # type: ignore[dict-item]
    assert problem in str(refused.value)
    path = tmp_path / "models.json"
    path.write_text(json.dumps({"models": {"x": entry}}))
    with pytest.raises(LoadError) as refused:
        ModelTable.from_file(path)
    assert problem in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [("models.json", "{"), ("models.yaml", "a: [b"), ("models.yaml", "- a"), ("models.json", None)],
)
def test_a_file_that_is_no_table_is_named(name: str, content: str | None, tmp_path: Path) -> None:
    """Broken syntax, another shape, or no file at all."""
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(LoadError, match=name):
        ModelTable.from_file(path)


def test_every_framing_has_only_figures_that_a_meter_reads() -> None:
    """A framing is a handful of counts, none of them negative."""
    for framing in FRAMINGS.values():
        figures = {field.name for field in fields(framing)} - {"estimated", "json_results"}
        assert all(getattr(framing, figure) >= 0 for figure in figures)
        assert {*framing.estimated} <= figures
