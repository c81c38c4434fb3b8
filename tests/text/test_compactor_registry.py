"""From names and settings to compactors."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from biblicus_context.errors import CompactorError, PlanError, UnknownNameError
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.text.compaction import COMPACTORS
from biblicus_context.text.compactors import (
    BaseCompactor,
    ChainCompactor,
    CompactionRequest,
    Compactors,
    DropBlocksCompactor,
    ExtractiveCompactor,
    FunctionCompactor,
    HeadTailCompactor,
    LongOnlyCompactor,
    SummarizeCompactor,
    SummaryCompactor,
    TailCompactor,
    TruncateCompactor,
    build_compactor,
)
from biblicus_context.text.counters import Counters

LOUD = """
from dataclasses import dataclass
from biblicus_context import BaseCompactor

@dataclass(frozen=True)
class Loud(BaseCompactor):
    mark: str = "!"

    def compact(self, request):
        return request.text[:3].upper() + self.mark
"""
WORDS = Counters().get("whitespace")
LONG = CompactionRequest("one two three four", 2, counter=WORDS)


class Initials:
    """A compactor of another library."""

    def compact(self, request: Any) -> str:
        return request.text[0]


class SlowInitials(BaseCompactor):
    """A compactor of ours whose method is async."""

    async def compact(self, request: CompactionRequest) -> str:  # type: ignore[override]
        await asyncio.sleep(0)
        return request.text[0]


class Declaration(BaseModel):
    """A declaration of another library."""

    name: str = "x"
    config: dict[str, Any]


def write(request: CompactionRequest) -> str:
    return "written"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, TruncateCompactor()),
        ({}, TruncateCompactor()),
        ([], TruncateCompactor()),
        ("truncate", TruncateCompactor()),
        ({"type": "truncate", "mark": "…"}, TruncateCompactor(mark="…")),
        ({"mark": "…"}, TruncateCompactor(mark="…")),
        ({"type": "tail", "mark": "…"}, TailCompactor(mark="…")),
        ("head_tail", HeadTailCompactor(head_ratio=0.5, mark="\n[…]\n")),
        ({"type": "head_tail", "head_ratio": 0.3, "mark": "~"}, HeadTailCompactor(0.3, "~")),
        ("drop_blocks", DropBlocksCompactor()),
        ("summary", SummaryCompactor()),
        ("extractive", ExtractiveCompactor()),
        (
            {"type": "chain", "steps": ["drop_blocks", {"type": "tail", "mark": "~"}]},
            ChainCompactor((DropBlocksCompactor(), TailCompactor("~"))),
        ),
        ("long_only", LongOnlyCompactor(TruncateCompactor(), 50)),
        (
            {"type": "long_only", "compactor": "tail", "characters": 9},
            LongOnlyCompactor(TailCompactor(), 9),
        ),
        ("summarize", SummarizeCompactor(write, TruncateCompactor())),
        (
            {"type": "summarize", "fallback": {"type": "tail"}, "timeout_seconds": 2},
            SummarizeCompactor(write, TailCompactor(), 2),
        ),
        ({"type": "summarize", "fallback": None}, SummarizeCompactor(write, None)),
    ],
)
def test_settings_become_a_compactor(config: Any, expected: BaseCompactor) -> None:
    assert Compactors(summarizer=write).build(config) == expected


@pytest.mark.parametrize("kind", COMPACTORS.entries)
def test_every_type_can_be_built(kind: str) -> None:
    config = {"type": kind, **({"steps": ["tail"]} if kind == "chain" else {})}

    assert isinstance(Compactors(summarizer=write).build(config), BaseCompactor)


@pytest.mark.parametrize("kind", COMPACTORS.entries.values())
def test_every_setting_is_described(kind: type) -> None:
    properties = TypeAdapter(kind).json_schema()["properties"]
    assert all(setting["description"] for setting in properties.values())


def test_a_package_adds_a_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = tmp_path / "loud-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: loud\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{COMPACTORS.group}]\nloud = loud:Loud\n")
    (tmp_path / "loud.py").write_text(LOUD)
    monkeypatch.syspath_prepend(tmp_path)

    assert Compactors().build({"type": "loud", "mark": "?"}).compact(LONG) == "ONE?"
    assert Compactors().build("loud").compact(LONG) == "ONE!"


@pytest.mark.parametrize(
    ("entry", "answer"),
    [
        (TailCompactor(), "three four"),
        (TailCompactor, "three four"),
        ({"type": "tail"}, "three four"),
        ("tail", "three four"),
        (CompactorDeclaration(name="x", config={"type": "tail"}), "three four"),
        (Declaration(config={"type": "tail"}), "three four"),
        (SimpleNamespace(config={"type": "tail"}), "three four"),
        (SimpleNamespace(config=[]), "one two"),
        (write, "written"),
        (lambda request: request.text[:3], "one"),
        (Initials(), "o"),
        (Initials, "o"),
        (SlowInitials(), "o"),
    ],
)
def test_whatever_compacts_can_be_registered(entry: Any, answer: str) -> None:
    assert Compactors({"mine": entry}).build("mine").compact(LONG) == answer


def test_a_registered_name_comes_before_a_type() -> None:
    compactors = Compactors({"summary": {"type": "tail"}})

    assert compactors.build("summary") == TailCompactor()
    assert compactors.build({"type": "summary"}) == SummaryCompactor()


def test_a_summary_is_written_by_the_callable_it_names() -> None:
    compactors = Compactors({"writer": write, "own": Initials()})

    assert compactors.build({"type": "summarize", "using": "writer"}).compact(LONG) == "written"
    assert compactors.build({"type": "summarize", "using": "own"}).compact(LONG) == "o"


def test_the_same_settings_give_the_same_compactor_so_that_it_remembers() -> None:
    compactors = Compactors({"mine": {"type": "summarize"}}, write)

    assert compactors.build("mine") is compactors.build("mine")
    assert compactors.build({"type": "summarize"}) is compactors.build({"type": "summarize"})


@pytest.mark.parametrize("number", [1, 300, 1000])
def test_any_number_of_settings_can_be_built(number: int) -> None:
    compactors = Compactors()

    built = [compactors.build({"type": "tail", "mark": str(each)}) for each in range(number)]

    assert built == [TailCompactor(mark=str(each)) for each in range(number)]


def test_an_unknown_name_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError) as caught:
        Compactors({"careful": TailCompactor()}).build("carefull")

    assert str(caught.value).startswith("Compactor 'carefull' not defined")
    assert "Did you mean 'careful'?" in str(caught.value)


@pytest.mark.parametrize("build", [build_compactor, Compactors().build])
def test_an_unknown_type_is_an_error_with_the_valid_types(build: Any) -> None:
    with pytest.raises(PlanError) as caught:
        build({"type": "extractiv"})

    message = str(caught.value)
    assert message.startswith("Unknown compactor type: extractiv")
    assert all(kind in message for kind in COMPACTORS.entries)
    assert "Did you mean 'extractive'?" in message


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (
            {"type": "tail", "marc": "x"},
            r"compactor 'tail': unknown option: found 'marc'. Valid: mark. Did you mean 'mark'",
        ),
        (
            {"type": "summary", "mark": "x"},
            "compactor 'summary': there are no options: found 'mark'",
        ),
        ({"type": "head_tail", "head_ratio": 1}, "head_ratio"),
        ({"type": "head_tail", "mark": ""}, "mark"),
        ({"type": "chain"}, "option 'steps' is missing"),
        ({"type": "chain", "steps": []}, "steps"),
        ({"type": "chain", "steps": [{"type": "nope"}]}, "Unknown compactor type: nope"),
        ({"type": "chain", "steps": ["nope"]}, "Compactor 'nope' not defined"),
        ({"type": "summarize"}, "needs a summarizer"),
        ({"type": "summarize", "using": "nope"}, "Compactor 'nope' not defined"),
        ({"type": ["tail"]}, "Unknown compactor type"),
        (["tail"], "a name or settings"),
        ("broken", "compactor 'broken': a compactor is a function"),
    ],
)
def test_wrong_settings_are_an_error_that_says_what_is_right(config: Any, problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        Compactors({"broken": 42}).build(config)  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "extra",
    [
        {"a": "a"},
        {"a": "b", "b": "a"},
        {"a": {"type": "chain", "steps": ["tail", "b"]}, "b": {"type": "chain", "steps": ["a"]}},
        {"a": {"type": "summarize", "using": "w", "fallback": "a"}, "w": write},
        {"a": {"type": "summarize", "using": "b"}, "b": {"type": "summarize", "using": "a"}},
    ],
)
def test_names_that_lead_back_to_themselves_are_an_error(extra: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=r"in a cycle: .*a -> .*a"):
        Compactors(extra).build("a")


def test_the_same_name_may_be_used_twice_without_a_cycle() -> None:
    extra = {"t": {"type": "tail"}, "a": {"type": "chain", "steps": ["t", "t"]}}

    assert Compactors(extra).build("a") == ChainCompactor((TailCompactor(), TailCompactor()))


def test_an_async_function_can_be_registered() -> None:
    async def slow(request: CompactionRequest) -> str:
        await asyncio.sleep(0)
        return "slow"

    assert Compactors({"slow": slow}).build("slow") == FunctionCompactor(slow)
    assert Compactors({"slow": slow}).build("slow").compact(LONG) == "slow"


def test_the_error_of_a_summarizer_is_named_by_its_class_and_chained() -> None:
    def fail(_: CompactionRequest) -> str:
        raise OSError("down")

    compactor = Compactors(summarizer=fail).build({"type": "summarize", "fallback": None})

    with pytest.raises(CompactorError, match="OSError") as caught:
        compactor.compact(LONG)
    # Its text may hold credentials, and errors of ours are logged.
    assert "down" not in str(caught.value)
    assert str(caught.value.__cause__) == "down"


def test_a_declaration_accepts_no_other_keys() -> None:
    assert CompactorDeclaration.model_validate({"name": "x", "config": []}).config == {}
    with pytest.raises(ValidationError):
        CompactorDeclaration.model_validate({"name": "x", "cfg": {}})


def test_the_types_that_need_settings_are_those_with_a_required_one() -> None:
    required = {
        name
        for name, kind in COMPACTORS.entries.items()
        if TypeAdapter(kind).json_schema().get("required")
    }
    assert required == COMPACTORS.incomplete
    assert COMPACTORS.without_settings() == {*COMPACTORS.entries} - required
