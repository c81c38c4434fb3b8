"""Builds a pack from blocks of named sections within budgets; some blocks may be required."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.base.doors import door
from biblicus_context.errors import BudgetError
from biblicus_context.retrieval.packs.fitters import CHARACTERS, TokenCounter, longest_fit
from biblicus_context.text.counters import Counter
from biblicus_context.text.valid_unicode import Text


class ContextBlock(BaseModel):
    """One text of a section."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    block_id: Text = Field(min_length=1, description="Names the block.")
    section: str = Field(min_length=1, description="What it belongs to.", examples=["doctrine"])
    text: Text = Field(min_length=1, description="The text itself.")
    required: bool = Field(default=False, description="Never left out: an error rather than that.")
    priority: int = Field(default=0, description="Among blocks not required, lower goes first.")
    metadata: dict[str, object] | None = Field(default=None, description="What is known of it.")


class ContextSectionBudget(BaseModel):
    """The share of one section."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    section: str = Field(min_length=1, description="The section.")
    share: float = Field(gt=0, le=1, description="Part of `max_tokens`.")


class ContextBlockBuildRequest(BaseModel):
    """Blocks in the order they are placed, and what limits them."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    blocks: list[ContextBlock] = Field(default_factory=list, description="In order.")
    join_with: str = Field(default="\n\n", description="Stands between two blocks.")
    max_tokens: int | None = Field(default=None, ge=1, description="Tokens at most.")
    max_characters: int | None = Field(default=None, ge=1, description="Characters at most.")
    section_budgets: list[ContextSectionBudget] = Field(
        default_factory=list, description="Shares of `max_tokens`; nothing where that is not set."
    )
    token_counter: TokenCounter = Field(default_factory=TokenCounter, description="Counts tokens.")


class ContextBlockBuildResult(BaseModel):
    """The text, and which blocks are in it; blank blocks are ignored."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    text: str = Field(description="The blocks that fit, joined.")
    included_blocks: list[ContextBlock] = Field(default_factory=list, description="In order.")
    dropped_blocks: list[ContextBlock] = Field(
        default_factory=list, description="In the order in which they were left out."
    )
    section_token_counts: dict[str, int] = Field(
        default_factory=dict, description="Tokens of each section's blocks, separators not counted."
    )
    total_tokens: int = Field(ge=0, description="Tokens of the text.")
    total_characters: int = Field(ge=0, description="Characters of the text.")
    max_tokens: int | None = Field(default=None, ge=1, description="As requested.")
    max_characters: int | None = Field(default=None, ge=1, description="As requested.")


class _Limit(NamedTuple):
    """A budget of the pack or of one section."""

    maximum: int
    unit: str
    counter: Counter
    section: str | None = None

    def __str__(self) -> str:
        whose = f"section '{self.section}'" if self.section else "the pack"
        return f"{whose} may have {self.maximum} {self.unit}"


@door
def build_context_pack_from_blocks(request: ContextBlockBuildRequest) -> ContextBlockBuildResult:
    """The blocks that fit, in order; the lowest priority is dropped first, then the last block.

    A block larger than what required blocks leave of a budget is dropped before any other.
    """
    counter = request.token_counter.counter
    kept = [
        block.model_copy(update={"text": text}, deep=True)
        for block in request.blocks
        if (text := block.text.strip())
    ]
    dropped: list[ContextBlock] = []
    for limit in _limits(request, counter):
        kept, gone = _within(limit, kept, request.join_with)
        dropped += gone
    texts = [block.text for block in kept]
    text = request.join_with.join(texts)
    sections = Tally[str]()
    for block, tokens in zip(kept, counter.count_many(texts), strict=True):
        sections[block.section] += tokens
    return ContextBlockBuildResult(
        text=text,
        included_blocks=kept,
        dropped_blocks=dropped,
        section_token_counts=dict(sections),
        total_tokens=counter.count(text),
        total_characters=len(text),
        max_tokens=request.max_tokens,
        max_characters=request.max_characters,
    )


def _limits(request: ContextBlockBuildRequest, counter: Counter) -> Iterator[_Limit]:
    if request.max_tokens is not None:
        for budget in request.section_budgets:
            share = max(1, int(request.max_tokens * budget.share))
            yield _Limit(share, "tokens", counter, budget.section)
    if request.max_characters is not None:
        yield _Limit(request.max_characters, "characters", CHARACTERS)
    if request.max_tokens is not None:
        yield _Limit(request.max_tokens, "tokens", counter)


def _within(
    limit: _Limit, blocks: Sequence[ContextBlock], join_with: str
) -> tuple[list[ContextBlock], list[ContextBlock]]:
    """The blocks that fit into a limit, and those that are dropped."""
    limited = [
        position for position, block in enumerate(blocks) if limit.section in (None, block.section)
    ]
    required = [position for position in limited if blocks[position].required]
    _refuse_if_over(limit, [blocks[position] for position in required], join_with)
    ranking = sorted(
        (position for position in limited if not blocks[position].required),
        key=lambda position: -blocks[position].priority,
    )
    kept = longest_fit(
        [block.text for block in blocks],
        join_with=join_with,
        counter=limit.counter,
        maximum=limit.maximum,
        ranking=ranking,
        required=required,
    )
    gone = {position: blocks[position] for position in reversed(ranking) if position not in kept}
    left = [block for position, block in enumerate(blocks) if position not in gone]
    return left, list(gone.values())


def _refuse_if_over(limit: _Limit, required: Sequence[ContextBlock], join_with: str) -> None:
    needed = limit.counter.count(join_with.join(block.text for block in required))
    if needed <= limit.maximum:
        return
    parts = Tally[str]()
    for block in required:
        parts[block.block_id] += limit.counter.count(block.text)
    raise BudgetError(
        f"{limit}, its required blocks need {needed}",
        budget=limit.maximum,
        needed=needed,
        parts=parts,
        fix="Raise the budget, shorten these blocks, or require fewer of them.",
    )
