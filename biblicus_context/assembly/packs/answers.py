"""The answer of a retriever to one request: its page, or the error it failed with."""

from __future__ import annotations

from biblicus_context.assembly.packs.other_threads import thread_advice
from biblicus_context.assembly.steps.parts import RetrieverSource
from biblicus_context.base.effects import Effectful, Outcome, TookTooLongError
from biblicus_context.base.outlines import outline_of
from biblicus_context.errors import PlanError, RetrieverError
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.answer import EvidencePage, answer_from
from biblicus_context.retrieval.requests.request import PageRequest


def answered(
    source: RetrieverSource, page: PageRequest, timeout: float | None, name: str
) -> Effectful[EvidencePage | None]:
    """One page of a retriever; None where there is nothing more."""
    if source.function is None:
        raise PlanError(
            "No retriever override or default retriever configured",
            place=f"pack '{name}'",
            fix="Pass retriever_override or default_retriever, or a callable under this name.",
        )
    outcome = yield from source.asked(page.request(), timeout)
    return _answer(outcome, name, page.limit, timeout)


def _answer(outcome: Outcome, name: str, limit: int, timeout: float | None) -> EvidencePage | None:
    if isinstance(outcome.error, TookTooLongError):
        limit_of = "the deadline of the call" if timeout is None else f"{timeout:g} s"
        raise RetrieverError(name, f"did not answer within {limit_of}") from outcome.error
    if outcome.error is not None:
        fix = thread_advice(outcome.error, timeout)
        problem = f"failed: {outline_of(outcome.error)}"
        raise RetrieverError(name, problem, fix=fix) from outcome.error
    return answer_from(outcome.value, pack=name, limit=limit)


def has_more_for_share(pack: ContextPack, limit: int) -> bool:
    """Whether the tokens or characters of a request ended an answer, and not its limit on blocks.

    A retriever over a corpus counts what it found, also the blocks that did not fit.

    >>> fits = ContextPackBlock(evidence_item_id="tea", text="Tea.")
    >>> pack = ContextPack(text="Tea.", evidence_count=3, blocks=[fits], more=True)
    >>> has_more_for_share(pack, limit=3), has_more_for_share(pack, limit=1)
    (True, False)
    """
    repeated = sum(each.cause == "duplicate" for each in pack.left_out)
    counted = len(pack.blocks) + repeated if pack.blocks else pack.evidence_count
    return pack.more and min(counted, pack.evidence_count) < limit


def blocks_in(pack: ContextPack, page: int) -> list[ContextPackBlock]:
    """The blocks of a page; one that is only text is one block."""
    if pack.blocks or not pack.text:
        return pack.blocks
    return [ContextPackBlock(evidence_item_id=f"page-{page}", text=pack.text)]
