"""How much of each call a provider's cache has already: at no fewer tokens kept than a peer keeps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from benchmarks.environments import python_of
from benchmarks.prefix_child import run
from benchmarks.talk import BUDGET, SEED, TURNS, reuse
from benchmarks.targets import Target
from biblicus_context import ContextAssembler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.messages import Message
    from benchmarks.talk import Reuse, Trim

MARKS = tuple(mark / 100 for mark in range(50, 100, 3))
PEERS = {
    "langchain_core": ("langchain-core trim_messages, limit", (8_000, 7_000, 6_000)),
    "prompt_poet": ("prompt-poet, step", (500, 1_000, 2_000, 3_000)),
}
"""Each peer with its settings, by its module."""


def prefixes(turns: int, *, share_at_least: float) -> Iterator[Target]:
    """This engine alone, with its default mark, next to a history that only loses what it has to."""
    for title, held in (("previous=", True), ("stateless", False)):
        ours = reuse(0.75, trimming(0.75, held=held), turns)
        yield Target(
            f"prefixes: sent again, low_mark 0.75, {title}",
            ours.share,
            "%",
            at_least=share_at_least,
        )
        yield Target("  its largest call", ours.most, "tokens", at_most=BUDGET)
    sliding = reuse(1, trimming(1, held=False), turns)
    yield Target("prefixes: sent again, no more dropped than has to be", sliding.share, "%")


def prefixes_against_peers() -> Iterator[Target]:
    """For every setting of a peer, the best of ours that keeps no fewer tokens on average."""
    ways = {
        title: [reuse(mark, trimming(mark, held=held)) for mark in MARKS]
        for title, held in (("previous=", True), ("stateless", False))
    }
    for module, (name, settings) in PEERS.items():
        for setting in settings:
            print(f"prefixes: {name} {setting:,} ...", file=sys.stderr)
            theirs = run(python_of(module), f"benchmarks.peers.{module}_prefixes", setting, SEED)
            yield Target(f"prefixes: {name} {setting:,}: sent again", theirs.share, "%")
            yield Target("  kept on average", theirs.kept, "tokens")
            for title, curve in ways.items():
                yield from _ahead(title, theirs, curve)


def _ahead(title: str, theirs: Reuse, curve: Sequence[Reuse]) -> Iterator[Target]:
    as_full = [ours for ours in curve if ours.kept >= theirs.kept]
    best = max(as_full, key=lambda ours: ours.share, default=None)
    if best is None:
        yield Target(f"  ours, {title}: keeps as many", 0, "settings", at_least=1)
        return
    sure = f"low_mark {best.setting:g}, {best.kept:,.0f} tokens"
    ahead = best.share - theirs.share
    yield Target(f"  ours, {title} ({sure}): ahead by", ahead, "%", at_least=0)


def trimming(mark: float, *, held: bool) -> Trim:
    """Our way to trim: the plan of a chat, each call told of the one before, or of nothing."""
    history = {"type": "history", "keep_last": 1, "low_mark": mark}
    system = {"type": "system", "content": "{input.system}"}
    policy = {"input_budget": {"max_tokens": BUDGET}}
    plan = {"policy": policy, "messages": [system, history]}
    assembler = ContextAssembler({"talk": plan})
    options: dict[str, Any] = {}
    told: list[dict[str, Any]] = []

    def trim(said: list[Message]) -> list[Message]:
        told.extend(message.as_dict() for message in said[1 + len(told) :])
        inputs = {"system": said[0].content}
        result = assembler.assemble("talk", history=told, inputs=inputs, **options)
        if held:
            options["previous"] = result
        return [said[0], *said[-len(result.history) :]]

    return trim


def full_prefixes() -> Iterator[Target]:
    """Two hundred turns, next to the peers."""
    yield from prefixes(TURNS, share_at_least=0.8)
    yield from prefixes_against_peers()


def quick_prefixes() -> Iterator[Target]:
    """Fifty turns, alone."""
    yield from prefixes(50, share_at_least=0.75)
