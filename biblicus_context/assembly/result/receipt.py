"""The receipt: a published account of one assembly, every token of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.assembly.reasons import Cause, PartKind, counted
from biblicus_context.base.deferred import Deferred
from biblicus_context.base.doors import door
from biblicus_context.retrieval.origin import Origin
from biblicus_context.retrieval.relevance import VERDICTS, Verdict
from biblicus_context.text.valid_unicode import Text

if TYPE_CHECKING:
    from biblicus_context.assembly.result.explain import explanation
else:  # it reads receipts
    explanation = Deferred("biblicus_context.assembly.result.explain:explanation")

Action = Literal["kept", "shortened", "dropped", "not asked", "failed"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ReceiptBlock(_Entry):
    """One block of evidence that was offered."""

    id: Text = Field(description="Names the evidence.")
    source: Text | None = Field(default=None, description="Where it comes from.")
    origin: Origin | None = Field(
        default=None,
        description="Its session and messages, its file, or its commit, if that says more than the source.",
    )
    score: float | None = Field(default=None, description="As the retriever gave it.")
    parts: Mapping[str, float] = Field(
        default_factory=dict, description="What the score is made of, as the retriever names it."
    )
    sources: tuple[Text, ...] = Field(
        default=(), description="The sources of a combined retriever that found it."
    )
    page: int = Field(default=1, description="The page it came on.")
    asked: int | None = Field(default=None, description="As offered, separator included.")
    given: int = Field(description="As placed.")
    action: Action
    reason: Text = Field(default="", description="Why, in words.")
    cause: Cause | None = Field(default=None, description="What bound: the limit, by its name.")
    figure: int | None = Field(default=None, description="The limit's figure.")


class ReceiptTurns(_Entry):
    """A turn of the history, or a run of old turns that went together."""

    first: int = Field(description="Number of its first message in the history that was passed.")
    last: int = Field(description="Number of its last message.")
    asked: int | None = Field(default=None, description="None if it was not measured.")
    given: int
    action: Action
    reason: Text = Field(default="", description="Why, in words.")
    cause: Cause | None = Field(default=None, description="What bound: the limit, by its name.")
    figure: int | None = Field(default=None, description="The limit's figure.")


class ReceiptSource(_Entry):
    """One source of a combined retriever."""

    name: Text
    query: Text = Field(default="", description="What it was asked.")
    requests: int = 0
    pages: int = 0
    offered: int = Field(default=0, description="Blocks that it offered.")
    placed: int = Field(default=0, description="Blocks that it found and that were placed.")
    failure: Text = Field(default="", description="Why it failed, with on_error: skip.")
    sources: tuple[ReceiptSource, ...] = Field(default=(), description="Of a combined source.")


class ReceiptPart(_Entry):
    """One directive of the plan."""

    place: str = Field(description="Its place in the plan.")
    kind: PartKind
    name: Text = Field(default="", description="The pack's name.")
    share: int | None = Field(default=None, description="Tokens it was allotted.")
    cap: int | None = Field(default=None, description="The most its own budget allows.")
    pack_budget: int | None = Field(
        default=None, description="Of a nested context: tokens for its packs together."
    )
    minimum: int | None = Field(default=None, description="Tokens it is guaranteed.")
    asked: int | None = Field(default=None, description="What it asked for.")
    given: int = Field(default=0, description="What it was given.")
    format: int = Field(
        default=0, description="Of these, the title, the header and the footer of its format."
    )
    action: Action
    reason: Text = Field(default="", description="Why, in words.")
    cause: Cause | None = Field(default=None, description="What bound: the limit, by its name.")
    figure: int | None = Field(default=None, description="The limit's figure.")
    priority: int = 0
    query: Text = Field(default="", description="What the retriever was asked.")
    requests: int = 0
    pages: int = 0
    sources: tuple[ReceiptSource, ...] = Field(
        default=(), description="Of a combined retriever: what each source was asked and offered."
    )
    relevance: Verdict | None = Field(
        default=None,
        description="Whether anything that was found is relevant, where `min_score: auto` decides it.",
    )
    blocks: tuple[ReceiptBlock, ...] = ()
    turns: tuple[ReceiptTurns, ...] = ()
    parts: tuple[ReceiptPart, ...] = Field(default=(), description="Of a nested context.")


HintSetting = Literal["pack_budget", "budget", "limit", "max_pages", "maximum_total_characters"]


class ReceiptHint(_Entry):
    """A setting that left evidence out, or may have, although 5 % or more of the total is unused."""

    setting: HintSetting = Field(description="The setting to change.")
    figure: int = Field(description="What it is now.")
    packs: tuple[Text, ...] = Field(description="The packs that it bound.")
    left_out: int = Field(default=0, description="Blocks that are known to be left out for it.")
    unused: int = Field(description="Tokens of the total that are unused.")
    enough: int | None = Field(
        default=None, description="A figure with which one more block fits, where it is known."
    )
    text: Text = Field(description="All of it in words.")


class ReceiptStep(_Entry):
    """How long one step took."""

    name: Text
    seconds: float


class ReceiptTool(_Entry):
    """What one tool definition takes."""

    name: Text
    tokens: int


@door
class Receipt(_Entry):
    """The account of one assembly: used = parts + framing + joins."""

    context: Text
    now: datetime | None = Field(
        default=None,
        description="The moment that recency and relative times are measured from. "
        "Not part of the fingerprint.",
    )
    model: str | None = None
    counter: str
    estimated: bool = Field(description="Whether counts are estimates with a margin.")
    overflow: Literal["compact", "error", "none"]
    budget: int | None = Field(
        description="Tokens for everything sent besides tool definitions; None: no limit."
    )
    pack_budget: int | None = Field(default=None, description="Tokens for all packs together.")
    window: int | None = None
    reserve: int = Field(default=0, description="Taken off the window for the answer.")
    tools: int = Field(
        default=0, description="Taken off the window and off max_tokens for tool definitions."
    )
    tool_definitions: tuple[ReceiptTool, ...] = Field(
        default=(),
        description="Each of them, in the order given. Not part of the fingerprint.",
    )
    used: int = Field(description="The exact count of the finished messages.")
    left: int | None = None
    over: int = Field(default=0, description="Tokens above the budget (overflow: none).")
    framing: int = Field(default=0, description="Added by the model's message format.")
    joins: int = Field(
        default=0, description="What joining texts adds to, or takes off, the sum of the parts."
    )
    same_prefix: int | None = Field(
        default=None,
        description="Leading tokens that are byte-identical with the previous result; "
        "None where none was passed.",
    )
    previous_used: int | None = Field(default=None, description="The previous result's tokens.")
    parts: tuple[ReceiptPart, ...]
    hints: tuple[ReceiptHint, ...] = Field(
        default=(), description="Settings to change so that unused tokens are used."
    )
    notes: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = Field(
        default=(),
        description="What retrievers say about their answers, such as a stale index. "
        "Not part of the fingerprint.",
    )
    steps: tuple[ReceiptStep, ...] = Field(default=(), description="Not part of the fingerprint.")

    @property
    def is_complete(self) -> bool:
        """Whether all evidence that was found is in the result as it was found, duplicates aside."""
        offered = _offered(self.parts)
        return all(each.action == "kept" or each.cause in _NOT_MISSING for each in offered)

    @property
    def verdict(self) -> Verdict | None:
        """Whether the evidence is relevant: the best of what its retrievers decided; None if none did."""
        known = {*_verdicts(self.parts)}
        return next((each for each in VERDICTS if each in known), None)

    def placed(self, pack: str) -> tuple[str, ...]:
        """The evidence of a pack that is in the result, wherever in the plan the pack is."""
        return tuple(dict.fromkeys(_placed(self.parts, pack)))

    def __repr__(self) -> str:
        """What fits into a line; `explain()` shows all of it."""
        whole = self.used if self.budget is None else self.budget
        used = "" if self.budget is None else f"{self.used:,} of "
        tokens, parts = counted(whole, "token"), counted(len(self.parts), "part")
        return f"<Receipt of '{self.context}': {used}{tokens}, {parts}>"

    def explain(self, width: int | None = None, *, details: bool = False) -> str:
        """The table for people; `details` has a line for each block of evidence."""
        return explanation(self, width, details=details)

    def without_timings(self) -> Receipt:
        """The receipt as the fingerprint sees it."""
        return self.model_copy(
            update={"steps": (), "warnings": (), "now": None, "tool_definitions": ()}
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values, without what differs when the same call is repeated: its moment and its timings."""
        without = {"steps", "now"} | (set() if self.tool_definitions else {"tool_definitions"})
        return self.model_dump(mode="json", exclude=without)


_NOT_MISSING: Final = frozenset({"duplicate", "relevance"})


def _verdicts(parts: Iterable[ReceiptPart]) -> Iterator[Verdict]:
    for part in parts:
        if part.relevance is not None:
            yield part.relevance
        yield from _verdicts(part.parts)


def _offered(parts: Iterable[ReceiptPart]) -> Iterator[ReceiptBlock]:
    for part in parts:
        yield from part.blocks
        yield from _offered(part.parts)


def _placed(parts: Iterable[ReceiptPart], pack: str) -> Iterator[str]:
    for part in parts:
        if part.name == pack:
            yield from (each.id for each in part.blocks if each.given)
        yield from _placed(part.parts, pack)
