"""How an assembly compares with merely tokenising what it sends."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import biblicus_context as engine
from benchmarks.counting import tokenizer
from benchmarks.declared import assembler, assembling, sent
from benchmarks.measuring import timed
from benchmarks.targets import Target
from benchmarks.texts import Writer
from benchmarks.workloads import WORKLOADS

if TYPE_CHECKING:
    from collections.abc import Iterator


def against_tokenising(
    workload: str, *, rounds: int, cold_at_most: float, warm_at_most: float
) -> Iterator[Target]:
    """Cold texts, then the same conversation one turn later; ratios taken round by round."""
    cold, cold_batch, warm = zip(
        *(_ratios(workload, round_) for round_ in range(rounds)), strict=True
    )
    yield Target(
        f"{workload}: cold / tokenising its output", median(cold), "x", at_most=cold_at_most
    )
    yield Target(f"{workload}: cold / tokenising its output in one batch", median(cold_batch), "x")
    yield Target(
        f"{workload}: one more turn / tokenising its output",
        median(warm),
        "x",
        at_most=warm_at_most,
    )


def _ratios(workload: str, round_: int) -> tuple[float, float, float]:
    (work,) = WORKLOADS[workload](1_000 + round_)
    ours = assembler(engine, work)
    cold, result = timed(assembling(ours, engine, work))
    texts = [message.content or "" for message in sent(result)]
    encode = tokenizer().encode_ordinary
    one_by_one, _ = timed(lambda: [len(encode(text)) for text in texts])
    batch, _ = timed(lambda: tokenizer().encode_batch_flat(texts))
    writer = Writer(("next turn", round_))
    later = work.with_another_turn(answer=writer.text(80), question=writer.text(30))
    warm, _ = timed(assembling(ours, engine, later))
    return cold / one_by_one, cold / batch, warm / one_by_one
