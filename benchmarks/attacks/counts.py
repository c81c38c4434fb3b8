"""Texts of any kind, counted by the engine and by tiktoken with OpenAI's own ranks: the same number."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from benchmarks.attacks import Extent
from benchmarks.attacks.recount import tokens
from benchmarks.targets import Target
from biblicus_context.text import Counters

TEXTS: Final = 20_000
_PIECES: Final = (
    *("the", "Straße", "заказ", "注文番号", "ประเทศ", "العربية", "नमस्ते", "İstanbul", "naïve"),
    *("\n", "\r\n", "\n\n", " ", "  ", "\t", "\u00a0", "\u2028", "\u200d", "\ufeff", "\x00"),
    *("e\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "\U0001f9ff", "\ud800", "\udfff", "\ufffd"),
    *("don't", "I'LL", "'s", "12345678", "3.14", "٣٤٥", "x_y", "</tag>", "{{ x }}", "```", "--"),
    *("<|endoftext|>", "<|im_start|>", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "====", "\\u0041"),
)


def counts(extent: Extent) -> Iterator[Target]:
    """Twenty thousand texts in full, each alone and joined to the next."""
    wanted = extent.of(TEXTS)
    wrong = [seed for seed in range(wanted) if not is_counted_alike(seed)]
    for seed in wrong[:5]:
        print(f"  counted otherwise: {text(Random(seed))[:200]!r}", flush=True)
    yield Target("attack: texts counted by an independent oracle", wanted, "texts")
    yield Target("attack: counted otherwise", len(wrong), "texts", at_most=0)


def is_counted_alike(seed: int) -> bool:
    """Whether the engine counts a text as tiktoken does."""
    given = text(Random(seed))
    return Counters().get("o200k_base").count(given) == tokens(given)


def text(chance: Random) -> str:
    """Some pieces, a run of one piece, or any characters."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice(_PIECES) * chance.randint(1, 300)
    if kind == 1:
        return "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randint(0, 60)))
    between = chance.choice(("", " ", " ", "\n"))
    return between.join(chance.choices(_PIECES, k=chance.randint(0, 80)))
