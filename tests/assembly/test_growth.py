"""Four times the packs take about four times the time: nothing in an assembly is quadratic."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.assembly.division import Claim, shares

Run = Callable[[], object]
MOST = 9.0
"""Four times is 4, and 5 with the logarithm; sixteen times is what this has to tell apart."""


def assembling(messages: list[dict[str, Any]], retrievers: dict[str, Any], **policy: Any) -> Run:
    plan = {"messages": messages, "policy": {"counter": "whitespace", **policy}}
    inner = {"messages": [{"type": "context", "name": "kb"}] * len(messages)}
    assembler = ContextAssembler(
        {"main": plan, "inner": inner}, {"kb": lambda _: ["x y z", "a b c"], **retrievers}
    )
    return lambda: assembler.assemble("main").receipt


def packs(count: int) -> Run:
    """Every pack has to shrink, and leaves tokens for another one."""
    names = [f"kb{number}" for number in range(count)]
    texts = {name: (lambda _, name=name: [f"x y z w {name}", f"q r {name}"]) for name in names}
    messages = [{"type": "context", "name": name} for name in names]
    return assembling(
        messages,
        texts,
        input_budget={"max_tokens": 4 * count},
        pack_budget={"default_ratio": 1},
    )


def guaranteed(count: int) -> Run:
    """Each pack has a minimum and a weight of its own."""
    messages = [
        {"type": "context", "name": "kb", "weight": 1 + at, "budget": {"min_tokens": 3 + at % 5}}
        for at in range(count)
    ]
    budget = {"max_tokens": 6 * count}
    return assembling(messages, {}, input_budget=budget, pack_budget={"default_ratio": 1})


def nested(count: int) -> Run:
    """A nested context of many packs has to shrink as one."""
    plan = {
        "messages": [{"type": "context", "name": "inner"}],
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 4 * count}},
    }
    inner = {"messages": [{"type": "context", "name": "kb"}] * count}
    assembler = ContextAssembler(
        {"main": plan, "inner": inner}, {"kb": lambda _: ["x y z", "a b c"]}
    )
    return lambda: assembler.assemble("main").receipt


def quoting(count: int) -> Run:
    """Each pack is placed only where a later text quotes it."""
    names = [f"kb{number}" for number in range(count)]
    messages: list[dict[str, Any]] = [
        {"type": "context", "name": name, "place": "quoted"} for name in names
    ]
    messages += [{"type": "system", "template": f"{{{{ context.{name} }}}}"} for name in names]
    return assembling(messages, {name: lambda _: ["x y z"] for name in names})


def alike(count: int) -> Run:
    """Two packs of texts that share most of their words, compared by similarity."""
    common = "the goods can be sent back within thirty days after delivery to the same address"

    def answering(name: str) -> Callable[[Any], list[str]]:
        return lambda _: [f"{common} {name} {number} {number * 7}" for number in range(count)]

    messages = [{"type": "context", "name": name} for name in "ab"]
    return assembling(
        messages,
        {name: answering(name) for name in "ab"},
        dedupe={"near": 0.9},
    )


def chained(count: int) -> Run:
    """Claims of which each falls below its minimum only once the one before it is served."""
    claims, total, whole = [Claim()], 10**9, count + 1
    left = total
    for _ in range(count):
        minimum = left // whole + 1
        claims.append(Claim(minimum=minimum))
        left, whole = left - minimum, whole - 1
    return lambda: shares(total, claims)


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (packs, 100),
        (guaranteed, 400),
        (nested, 125),
        (quoting, 75),
        (alike, 100),
        (chained, 4_000),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_four_times_as_many_take_about_four_times_the_time(make: Callable[[int], Run], count: int):
    best = 99.0
    for _ in range(4):
        small, large = make(count), make(4 * count)
        best = min(best, min(map(seconds, [large] * 2)) / min(map(seconds, [small] * 2)))
        if best <= MOST:
            return
    pytest.fail(f"four times as many take {best:.1f} times as long")


def seconds(run: Run) -> float:
    gc.collect()
    began = process_time()
    run()
    return process_time() - began
