"""Cache marks for a conversation that grows from call to call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biblicus_context.formats.cache_marks import MOST_MARKS, Mark, MarkableBlock, MarkAfter


def automatic(
    blocks: Sequence[MarkableBlock], steady: int = 0, *, fetched: bool = False
) -> list[Mark]:
    """The ends of parts that the next call repeats, the most certain first, up to a limit.

    These are: the tools, the steady part of the system prompt, the whole system prompt, the
    conversation before the current question, and the conversation before the previous question.
    Evidence is fetched again for each question, so nothing after it repeats, except while a model
    calls tools to answer one question.
    """
    room = MOST_MARKS - sum(block.is_marked for block in blocks)
    goes_on = blocks[-1].is_result
    marks = [*_in_front(blocks, steady)]
    if goes_on or not fetched:
        marks += _behind(blocks)
    return list(dict.fromkeys(marks))[: max(0, room)]


def _in_front(blocks: Sequence[MarkableBlock], steady: int) -> Iterator[Mark]:
    if blocks[0].place == "tools":
        yield "tools"
    first = next((block for block in blocks if block.place == "system prompt"), None)
    if first is not None:
        words = first.body["text"]
        rest = words[steady:]
        if words[:steady].strip() and rest.strip():
            # After the line breaks: most vocabularies join them to the word before, and a text that
            # is cut before them costs a token more than it was counted with.
            yield MarkAfter(first.number, len(words) - len(rest.lstrip("\n")))


def _behind(blocks: Sequence[MarkableBlock]) -> Iterator[Mark]:
    system = [block for block in blocks if block.place == "system prompt"]
    if system:
        yield MarkAfter(system[-1].number)
    said = [block for block in blocks if block.place not in {"tools", "system prompt"}]
    # Results at the end will be in the next call too; a question may not.
    now = said if said[-1].is_result else _before_question(said)
    for past in (now, _before_question(now)):
        markable = [block.number for block in past if block.ends(MarkAfter(block.number))]
        if markable:
            yield MarkAfter(markable[-1])


def _before_question(blocks: Sequence[MarkableBlock]) -> Sequence[MarkableBlock]:
    """Where the last message of a user begins, with the evidence before it."""
    asked = [block.number for block in blocks if block.place == "user" and _is_question(block)]
    if not asked:
        return []
    past = list(blocks[: next(at for at, block in enumerate(blocks) if block.number == asked[-1])])
    while past and past[-1].late:
        past.pop()
    return past


def _is_question(block: MarkableBlock) -> bool:
    return not block.is_result and not block.late
