"""The finished messages as stretches of text, each with the part of the plan that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from biblicus_context.assembly.result.citations import Citation
from biblicus_context.assembly.result.receipt import ReceiptBlock, ReceiptPart
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.result.spans import PartSpan
from biblicus_context.errors import ContextError
from biblicus_context.pages.wording import message_text
from biblicus_context.text.counters import Counters, default_counter
from biblicus_context.text.messages.meter import MessageMeter


@dataclass(frozen=True, slots=True)
class ShownText:
    """A stretch of a message; what separates two others belongs to no part and has no place."""

    text: str
    place: str = ""
    """The part of the plan, as the receipt names it."""
    label: str = ""
    """Which block of the part, or which message of the history."""
    source: str = ""
    score: float | None = None
    page: int | None = None
    tokens: int | None = None
    shortened: str = ""
    """Why it is not placed as it came."""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One finished message."""

    role: str
    tokens: int
    texts: tuple[ShownText, ...]


def shown_messages(result: ContextAssemblyResult) -> list[ShownMessage]:
    """Every message of a result; the stretches of a message are its text, without a gap.

    A result that was stored has its spans, its citations and its receipt, and so the same stream.
    """
    meter, count = _measures(result)
    shown = _Stretches(
        count,
        {part.place: part for part in result.receipt.parts},
        # A citation is written for each block that has a span, in the order of the spans.
        iter(result.citations),
    )
    spans: dict[int, list[PartSpan]] = {}
    for span in result.spans:
        spans.setdefault(span.message, []).append(span)
    tokens = meter.measure_many(result.messages)
    return [
        ShownMessage(str(message["role"]), size, tuple(shown.of(message, spans.get(number, []))))
        for number, (message, size) in enumerate(zip(result.messages, tokens, strict=True))
    ]


def _measures(result: ContextAssemblyResult) -> tuple[MessageMeter, Callable[[str], int]]:
    if result.draft is not None:
        return result.draft.limits.meter, result.draft.limits.counter.count
    try:
        counter = Counters().get(result.receipt.counter)
    except ContextError:  # a counter of the program that stored the result
        counter = default_counter()
    return MessageMeter(counter, result.framing), counter.count


@dataclass(frozen=True, slots=True)
class _Stretches:
    count: Callable[[str], int]
    accounts: Mapping[str, ReceiptPart]
    cited: Iterator[Citation]

    def of(self, message: Mapping[str, Any], spans: Iterable[PartSpan]) -> Iterator[ShownText]:
        """The stretches of a message."""
        end = 0
        for span in spans:
            account = self.accounts[span.place]
            if account.kind == "history":
                label = "summary" if span.history is None else f"message {span.history}"
                yield ShownText(message_text(message), span.place, label)
                continue
            text = message["content"]
            for start, found in self._placed(span, text, account):
                if start > end:
                    yield ShownText(text[end:start])
                end = start + len(found.text)
                if found.text:
                    yield replace(found, tokens=self.count(found.text))

    def _placed(
        self, span: PartSpan, text: str, account: ReceiptPart
    ) -> Iterator[tuple[int, ShownText]]:
        """The pieces of a pack, or a text of the plan, each with where it begins."""
        if account.kind != "context":
            yield span.start, ShownText(text[span.start : span.end], span.place)
            return
        blocks = {block.id: block for block in _blocks(account)}
        for piece in span.pieces:
            words = ShownText(text[piece.start : piece.end], span.place)
            if piece.is_block:
                citation = next(self.cited)
                block = blocks.get(citation.evidence)
                yield piece.start, _with_evidence(words, citation, block, account)
            else:
                part = _nested_part(account, piece.owner)
                changed = part is not None and part.action != "kept"
                yield piece.start, replace(words, shortened=account.reason if changed else "")


def _with_evidence(
    words: ShownText, citation: Citation, block: ReceiptBlock | None, account: ReceiptPart
) -> ShownText:
    shortened = block is not None and block.action == "shortened"
    # The blocks of a nested context are accounted for in its own parts.
    why = block.reason if block is not None and account.blocks else account.reason
    return replace(
        words,
        label=citation.evidence,
        source=citation.source or "",
        score=citation.score,
        page=block.page if block else None,
        shortened=why if shortened else "",
    )


def _blocks(part: ReceiptPart) -> Iterator[ReceiptBlock]:
    yield from part.blocks
    for inner in part.parts:
        yield from _blocks(inner)


def _nested_part(part: ReceiptPart, owner: str) -> ReceiptPart | None:
    """The part of a nested context at a path of places."""
    found: ReceiptPart | None = part
    for place in owner.split("/"):
        found = next((each for each in found.parts if each.place == place), None) if found else None
    return found
