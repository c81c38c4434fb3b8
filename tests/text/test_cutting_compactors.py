"""Compactors that keep parts of a text as they are."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.text.compactors import (
    CompactionRequest,
    DropBlocksCompactor,
    HeadTailCompactor,
    SummaryCompactor,
    TailCompactor,
    TruncateCompactor,
)
from biblicus_context.text.counters import Counters
from tests.text.graphemes import clustered
from tests.text.samples import texts

WORDS = Counters().get("whitespace")
SIX = "one two three four five six"
LINES = "one\n  two\n\nthree\n  four"
PARAGRAPHS = "First of all.\n\nThen more.\r\n\r\n\r\nLast of all."
SENTENCES = "Dr. Ames came, e.g. on foot. She sat.\n\nThen she left. The end."


@pytest.mark.parametrize(
    ("compactor", "text", "max_tokens", "expected"),
    [
        (TruncateCompactor(), SIX, 3, "one two three"),
        (TruncateCompactor(), LINES, 3, "one\n  two\n\nthree"),
        (TruncateCompactor(mark=" …"), SIX, 3, "one two …"),
        (TruncateCompactor(mark="\n[cut]"), LINES, 3, "one\n  two\n[cut]"),
        (TruncateCompactor(mark=" …"), SIX, 6, SIX),
        (TruncateCompactor(mark=" a mark of many words"), SIX, 3, "one two three"),
        (TailCompactor(), SIX, 2, "five six"),
        (TailCompactor(), LINES, 2, "three\n  four"),
        (TailCompactor(), LINES, 1, "  four"),
        (TailCompactor(mark="… "), SIX, 3, "… five six"),
        (HeadTailCompactor(), SIX, 5, "one two\n[…]\nfive six"),
        (HeadTailCompactor(head_ratio=0.75, mark=" … "), SIX, 5, "one two three … six"),
        (HeadTailCompactor(mark=" … "), SIX, 3, "one … six"),
        (HeadTailCompactor(mark=" … "), SIX, 2, "one two"),
        (HeadTailCompactor(), SIX, 6, SIX),
        (DropBlocksCompactor(), PARAGRAPHS, 8, PARAGRAPHS),
        (DropBlocksCompactor(), PARAGRAPHS, 7, "First of all.\n\nThen more."),
        (DropBlocksCompactor(), PARAGRAPHS, 5, "First of all.\n\nThen more."),
        (DropBlocksCompactor(), PARAGRAPHS, 4, "First of all."),
        (DropBlocksCompactor(), PARAGRAPHS, 2, ""),
        (DropBlocksCompactor(), f"\n\n{SIX}", 5, ""),
        (SummaryCompactor(), SENTENCES, 10, "Dr. Ames came, e.g. on foot. She sat."),
        (SummaryCompactor(), SENTENCES, 11, "Dr. Ames came, e.g. on foot. She sat.\n\nThen she left."),
        (SummaryCompactor(), SENTENCES, 6, "Dr. Ames came, e.g. on foot."),
        (SummaryCompactor(), SENTENCES, 3, "Dr. Ames came,"),
    ],
)  # fmt: skip
def test_the_parts_that_are_kept(
    compactor: TruncateCompactor, text: str, max_tokens: int, expected: str
) -> None:
    assert compactor.compact(CompactionRequest(text, max_tokens, counter=WORDS)) == expected


def test_a_request_counts_real_tokens_unless_told_otherwise() -> None:
    request = CompactionRequest("Antidisestablishmentarianism of tokens", 3)

    assert request.counter.name == "o200k_base"
    assert 0 < len(TruncateCompactor().compact(request)) < len("Antidisestablishmentarianism")


@given(texts | clustered, st.integers(0, 40))
def test_without_a_mark_the_output_is_a_true_start_or_end(text: str, max_tokens: int) -> None:
    request = CompactionRequest(text, max_tokens)

    assert text.startswith(TruncateCompactor().compact(request))
    assert text.endswith(TailCompactor().compact(request))
    assert text.startswith(DropBlocksCompactor().compact(request))
    assert text.startswith(SummaryCompactor().compact(request))


@given(texts | clustered, st.integers(0, 60))
def test_both_ends_of_a_text_never_overlap(text: str, max_tokens: int) -> None:
    answer = HeadTailCompactor(mark="\n<cut>\n").compact(CompactionRequest(text, max_tokens))

    head, mark, tail = answer.partition("\n<cut>\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert not mark or len(head) + len(tail) < len(text)


@given(st.lists(texts.map(str.strip).filter(bool), max_size=6), st.integers(1, 60))
def test_blocks_are_dropped_whole_and_no_more_than_needed(blocks: list[str], room: int) -> None:
    text = "\n\n".join(blocks)

    answer = DropBlocksCompactor().compact(CompactionRequest(text, room, counter=WORDS))

    rest = text.removeprefix(answer)
    assert not answer or not rest or rest.startswith(("\n", "\r"))
    if rest and answer:
        following = rest.lstrip("\r\n \t").partition("\n\n")[0]
        assert (
            len(f"{answer}\n\n{following}".split()) > room or "\n" in following or "\r" in following
        )
