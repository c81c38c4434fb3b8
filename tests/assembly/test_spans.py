"""Where everything is in the finished messages, known once and read by all that ask."""

from __future__ import annotations

import pickle

from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler, ContextAssemblyResult
from biblicus_context.assembly.result.spans import PartSpan, packs_named
from biblicus_context.assembly.steps.layout import BETWEEN_SYSTEM_TEXTS
from tests.assembly.fakes import Shelf, assembled, plan
from tests.assembly.strategies import Case, cases


def text_of(result: ContextAssemblyResult, span: PartSpan) -> str:
    return result.messages[span.message]["content"][span.start : span.end]


@settings(max_examples=80)
@given(cases(overflow=("compact", "none")))
def test_the_spans_of_each_message_cover_it_but_for_what_joins_system_texts(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    for number, message in enumerate(result.messages):
        spans = [span for span in result.spans if span.message == number]
        if isinstance(message["content"], str):
            texts = [text_of(result, span) for span in spans]
            assert BETWEEN_SYSTEM_TEXTS.join(texts) == message["content"]
        assert [span.start for span in spans] == sorted(span.start for span in spans)


@settings(max_examples=80)
@given(cases(overflow=("compact", "none")))
def test_the_body_of_each_block_is_the_excerpt_of_its_citation(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    bodies = [
        result.messages[span.message]["content"][piece.body_start : piece.body_end]
        for span in result.spans
        for piece in span.pieces
        if piece.is_block
    ]
    assert bodies == [citation.excerpt for citation in result.citations]


def test_a_pack_inside_a_nested_context_has_its_own_span():
    inner = plan({"type": "system", "content": "Rules."}, {"type": "context", "name": "kb"})
    outer = plan(
        {"type": "system", "content": "Be kind."},
        {"type": "context", "name": "inner"},
        {"type": "context", "name": "kb"},
    )
    result = assembled(outer, {"kb": Shelf(["One.", "Two."])}, {"inner": inner})
    texts = [text_of(result, span) for span in packs_named(result.spans, "kb")]
    assert texts == ["One.\n\nTwo."] * 2
    (nested,) = packs_named(result.spans, "inner")
    assert [text_of(result, span) for span in nested.nested] == ["Rules.", "One.\n\nTwo."]


def test_a_message_of_the_history_has_its_number_in_what_was_passed():
    history = [{"role": "user", "content": text} for text in ("one", "two", "three")]
    context = plan({"type": "history", "max_turns": 2}, {"type": "user", "content": "Q"})
    spans = assembled(context, history=history).spans
    assert [(span.message, span.history) for span in spans] == [(0, 1), (1, 2), (2, None)]


def test_a_stored_result_keeps_its_spans():
    result = assembled(plan({"type": "context", "name": "kb"}), {"kb": Shelf(["One."])})
    assert pickle.loads(pickle.dumps(result)).spans == result.spans != ()
